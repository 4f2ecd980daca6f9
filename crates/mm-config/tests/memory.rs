//! Hostile texts cost little memory, however they are made. A process of its own: the allocator counts everything.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use mm_config::{Config, Environment, Overrides, Report};
use peak_alloc::PeakAlloc;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

const MIB: usize = 1 << 20;
/// Room for what stands around a part that is repeated.
const FULL: usize = MIB - 256;

/// Texts of a mebibyte, by name.
fn hostile() -> Vec<(&'static str, String)> {
    let filled = |part: &str| part.repeat(FULL / part.len());
    let lines = |line: &dyn Fn(usize) -> String| {
        let mut text = String::new();
        let mut at = 0;
        while text.len() < FULL - 64 {
            text += &line(at);
            at += 1;
        }
        text
    };
    let bomb = (1..=9).fold("a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned(), |text, level| {
        let aliases = vec![format!("*a{}", level - 1); 9].join(", ");
        format!("{text}a{level}: &a{level} [{aliases}]\n")
    });
    let long = format!("a: &a {}\nb: [{}]\n", "x".repeat(MIB / 2), "*a, ".repeat(1000));
    let merges = lines(&|at| format!("m{at}: &m{at} {{a{at}: 1}}\nn{at}: {{<<: *m{at}}}\n"));
    vec![
        ("alias bomb", bomb),
        ("aliases of a long text", long),
        ("merges", merges),
        ("brackets", filled("[")),
        ("braces", filled("{a: ")),
        ("dashes", filled("- ")),
        ("question marks", filled("? ")),
        ("indentation", lines(&|at| format!("{}a:\n", " ".repeat(at)))),
        ("keys", lines(&|at| format!("k{at}: 1\n"))),
        ("the same key", filled("model: a\n")),
        ("tools without anything", format!("tools:\n{}", filled("- {}\n"))),
        ("hooks without anything", format!("hooks:\n  preAsk:\n{}", filled("  - {}\n"))),
        (
            "an inline mapping in a list",
            format!("tools: [{{parameters: {{{}}}}}]", lines(&|at| format!("'{at}': 5, "))),
        ),
        (
            "an inline list in a list",
            format!(
                "tools:
 - [{}]",
                lines(&|_| "5,
   "
                .to_owned())
            ),
        ),
        ("one text", format!("system: {}", "x".repeat(MIB - 16))),
        ("one quoted text", format!("system: \"{}\"", "\\x41".repeat(MIB / 4 - 8))),
        ("comments", filled("# c\n")),
        ("placeholders", format!("tools: [{{command: [a, '{}']}}]", "{{".repeat(MIB / 2 - 32))),
        ("a pattern", format!("guard: {{denyPatterns: ['{}']}}", "(a{1,1000}){1,1000}".repeat(100))),
        ("one long pattern", format!("guard: {{denyPatterns: ['{}']}}", r"\w".repeat(MIB / 2 - 64))),
        ("many patterns", format!("guard: {{denyPatterns: [{}]}}", r"'\w{25}', ".repeat(9000))),
        ("patterns of words", format!("guard: {{denyPatterns: [{}]}}", r"'(?i)(\pL|\pN){9}N', ".repeat(100))),
        ("deep faults", nested(&".".repeat(60), &format!("[{}]", ".nan, ".repeat(3000)))),
        ("deep keys", nested(&"k".repeat(1000), &format!("[{}]", "1, ".repeat(4500)))),
        (
            "deep values",
            nested(
                &"k".repeat(1000),
                &format!("{{{}}}", lines(&|at| format!("k{at}: 1, ")).get(..60_000).unwrap_or_default()),
            ),
        ),
        ("anchors", lines(&|at| format!("- &a{at} x\n"))),
    ]
}

/// A value under 58 keys of `sampling`.
fn nested(key: &str, value: &str) -> String {
    let open = format!("{{? \"{key}\" : ").repeat(58);
    format!("sampling: {open}{}{}", value.trim_end_matches(", }"), "}".repeat(58))
}

#[test]
fn no_text_of_a_mebibyte_costs_much() {
    let (env, flags) = (Environment::default(), Overrides::default());
    for (name, text) in hostile() {
        let before = HEAP.current_usage();
        HEAP.reset_peak_usage();
        let problems = Config::from_yaml(&text, "f", &env, &flags).err().unwrap_or_default();
        let report = Report::of_yaml(&text, "f", &env, &flags);
        if let Some(effective) = report.effective() {
            let shown = effective.to_yaml().len() + effective.settings().len();
            assert!(shown > 0);
        }
        let cost = HEAP.peak_usage().saturating_sub(before);
        assert_eq!(problems.len(), report.problems.len());
        println!("{name}: {} KiB, {} problems", cost / 1024, problems.len());
        // Of what stands in brackets within another list the parser keeps every token, since it might be a key.
        let most = if name.starts_with("an inline") { 100 } else { 20 };
        assert!(cost < most * MIB, "{name}: {} KiB", cost / 1024);
    }
}
