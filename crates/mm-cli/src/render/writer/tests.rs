use std::time::Duration;

use mm_hooks::HookVerdict;
use mm_llm::Usage;

use super::*;
use crate::render::{Columns, Paint};

const LOOK: Look = Look {
    preview_lines: 2,
    show_thinking: true,
    show_hooks: true,
    show_compressions: true,
    answers: Answers::AsWritten,
    dim: false,
    lists_done: false,
};

/// Plays events; answers stand as they are, other text in ‹›, phases in {}.
fn screen(look: Look, events: Vec<Event>) -> String {
    let mut writer = Writer::new(look);
    let shown = events.into_iter().flat_map(|event| writer.take(event));
    shown
        .map(|shown| match shown {
            Shown::Answer(text) => text,
            Shown::Other(text) => format!("‹{text}›"),
            Shown::Spinner(phase) => format!("{{{}}}", phase.unwrap_or_default()),
        })
        .collect()
}

fn text(text: &str) -> Event {
    Event::Text { text: text.into() }
}

fn thinking(text: &str) -> Event {
    Event::Thinking { text: text.into() }
}

fn started(mended: bool) -> Event {
    Event::ToolStarted {
        id: "a".into(),
        name: "bash".into(),
        kind: ToolKind::BuiltIn,
        summary: "ls".into(),
        mended,
    }
}

fn progress(text: &str) -> Event {
    Event::ToolProgress { id: "a".into(), text: text.into() }
}

fn finished(ok: bool, result: &str) -> Event {
    Event::ToolFinished {
        id: "a".into(),
        name: "bash".into(),
        ok,
        result: result.into(),
        elapsed: Duration::ZERO,
    }
}

fn edit(kind: ToolKind) -> Vec<Event> {
    let (id, name) = ("a".to_owned(), "edit_file".to_owned());
    let result = "[edited f]\n@@ -1 +1 @@\n-a\n+b".to_owned();
    vec![
        Event::ToolStarted { id: id.clone(), name: name.clone(), kind, summary: "f".into(), mended: false },
        Event::ToolFinished { id, name, ok: true, result, elapsed: Duration::ZERO },
    ]
}

fn hook_ran(target: Option<&str>, verdict: HookVerdict) -> Event {
    let (target, command) = (target.map(str::to_owned), "./c\x1b.sh".to_owned());
    Event::HookRan { event: "preToolCall", target, command, verdict, context_len: 7 }
}

fn ended(outcome: Outcome) -> Event {
    Event::TurnEnded { outcome, usage: Usage::default() }
}

fn compacted() -> mm_session::Compacted {
    mm_session::Compacted {
        id: "c1".into(),
        summary: "a cat\n\u{1b}[2J\nmore".into(),
        messages: (84, 9),
        tokens: (21_400, 2_900),
        elapsed: std::time::Duration::from_secs(3),
    }
}

#[test]
fn each_event_has_its_place() {
    let pipe = Look { answers: Answers::WholeLines, ..LOOK };
    let laid_out = Look { answers: Answers::Markdown(Paint::Colours, Columns::Fixed(40)), ..LOOK };
    let listed = Look { lists_done: true, ..LOOK };
    let quiet = Look { show_thinking: false, ..LOOK };
    let failed = || Outcome::Failed("boom".into());
    let rows = [
        (
            LOOK,
            vec![Event::Waiting, text("\n\nhe"), text("llo"), ended(Outcome::Answered)],
            "{Waiting for the model}{}hello\n",
        ),
        (LOOK, vec![text("hello\n"), ended(Outcome::Answered)], "hello\n"),
        (pipe, vec![text("a\nb"), text("c"), text("\nd"), ended(Outcome::Answered)], "a\nbc\nd\n"),
        (LOOK, vec![thinking("hm"), text("yes"), ended(Outcome::Answered)], "‹hm›‹\n\n›yes\n"),
        (pipe, vec![thinking("hm"), text("yes"), ended(Outcome::Answered)], "‹hm›‹\n›yes\n"),
        (LOOK, vec![thinking("\na\n"), thinking("\n"), thinking("b\n\n"), text("c")], "‹a›‹\n\nb›‹\n\n›c"),
        (quiet, vec![thinking("hm"), text("yes"), ended(Outcome::Answered)], "{Thinking}{}yes\n"),
        (Look { dim: true, ..LOOK }, vec![thinking("hm")], "‹\u{1b}[2mhm\u{1b}[0m›"),
        (LOOK, vec![text("hm"), Event::TextWasThinking, text("\nyes")], "hm\nyes"),
        (
            LOOK,
            vec![Event::PromptProgress { processed: 12_000, total: 25_349 }],
            "{Reading the prompt 12.0k/25.3k tokens}",
        ),
        (
            LOOK,
            vec![
                text("Let me look."),
                Event::WritingCall { name: "bash".into() },
                started(false),
                progress("a\nb\nc\n"),
                finished(true, "a\nb\nc"),
            ],
            "Let me look.\n{Writing a call of bash}‹🔧 bash: ls\n›{bash}‹   │ a\n   │ b\n›‹   │ … 1 more line\n›{}",
        ),
        (LOOK, vec![started(true)], "‹🔧 bash: ls (its arguments had a fault of form, mended)\n›{bash}"),
        (
            LOOK,
            vec![started(false), finished(false, "x\n[exit code: 2]")],
            "‹🔧 bash: ls\n›{bash}‹   └ [exit code: 2]\n›{}",
        ),
        (
            LOOK,
            vec![started(false), finished(true, "[x]\nok\n[still running: 1 process, pid 4]")],
            "‹🔧 bash: ls\n›{bash}‹   └ [still running: 1 process, pid 4]\n›{}",
        ),
        (LOOK, vec![started(false), finished(true, "[1, 2]")], "‹🔧 bash: ls\n›{bash}{}"),
        // Failures that go on behind their first line; the first line of a command is its own.
        (
            LOOK,
            vec![started(false), finished(false, "[error: HTTP 404]\n# Gone\n[redirected to x]")],
            "‹🔧 bash: ls\n›{bash}‹   └ [error: HTTP 404]\n   └ [redirected to x]\n›{}",
        ),
        (
            LOOK,
            vec![started(false), finished(false, "[error: old is not in f]\n5\tfn b() {")],
            "‹🔧 bash: ls\n›{bash}‹   └ [error: old is not in f]\n›{}",
        ),
        (
            LOOK,
            vec![started(false), finished(false, "[error: mine]\nx\n[exit code: 2]")],
            "‹🔧 bash: ls\n›{bash}‹   └ [exit code: 2]\n›{}",
        ),
        (
            LOOK,
            vec![started(false), finished(false, "[error: no]")],
            "‹🔧 bash: ls\n›{bash}‹   └ [error: no]\n›{}",
        ),
        (LOOK, vec![text("a\u{1b}[2J\n")], "a\\u{1b}[2J\n"),
        (pipe, vec![text("a\u{1b}[2J\n")], "a\u{1b}[2J\n"),
        (
            LOOK,
            vec![
                hook_ran(Some("bash"), HookVerdict::Deny),
                hook_ran(None, HookVerdict::Failed),
                text("a"),
                ended(Outcome::Answered),
            ],
            "a\n‹🪝 preToolCall bash ./c\\u{1b}.sh → deny (context 7)\n🪝 preToolCall ./c\\u{1b}.sh → failed (context 7)\n›",
        ),
        (
            Look { show_hooks: false, ..LOOK },
            vec![hook_ran(None, HookVerdict::Allow), ended(Outcome::Answered)],
            "",
        ),
        (LOOK, vec![text("a"), Event::Notice { text: "n".into() }], "a\n‹[notice: n]\n›"),
        (
            LOOK,
            vec![Event::Compacting, Event::Compacted(compacted())],
            "{Compressing the conversation}{}‹🗜️ 84 → 9 messages, ~21.4k → ~2.9k tokens (3.0 s)\n›‹   │ a cat\n   │ \\u{1b}[2J\n   │ … 1 more line\n›",
        ),
        (
            Look { show_compressions: false, preview_lines: 0, ..LOOK },
            vec![Event::Compacting, Event::Compacted(compacted())],
            "{Compressing the conversation}{}",
        ),
        (
            LOOK,
            vec![text("a"), Event::SaveFailed { why: "/s/x.json: full".into() }],
            "a\n‹[session: cannot save /s/x.json: full]\n›",
        ),
        (LOOK, vec![text("half"), ended(failed())], "half\n‹[the answer broke off here]\n›"),
        (LOOK, vec![text("half\n"), ended(failed())], "half\n‹[the answer broke off here]\n›"),
        (
            LOOK,
            vec![text("Let me look."), started(false), ended(failed())],
            "Let me look.\n‹🔧 bash: ls\n›{bash}{}",
        ),
        (LOOK, vec![ended(Outcome::Interrupted)], ""),
        (
            LOOK,
            vec![started(false), progress("a"), ended(Outcome::Interrupted)],
            "‹🔧 bash: ls\n›{bash}{}‹   │ a\n›",
        ),
        (
            laid_out,
            vec![text("A **b"), text("** c"), Event::Notice { text: "n".into() }],
            "A \u{1b}[1mb\u{1b}[0m c\n‹[notice: n]\n›",
        ),
        (
            laid_out,
            vec![text("- a"), Event::TextWasThinking, text("- b\n"), ended(Outcome::Answered)],
            "• a\n• b\n",
        ),
        (
            listed,
            vec![started(false), finished(false, "x"), text("done"), ended(Outcome::Answered)],
            "‹🔧 bash: ls\n›{bash}{}done\n‹Done in this turn:\n   1. ✗ bash: ls\n›",
        ),
        (listed, vec![text("done"), ended(Outcome::Answered)], "done\n"),
        (
            LOOK,
            edit(ToolKind::BuiltIn),
            "‹🔧 edit_file: f\n›{edit_file}‹   │ @@ -1 +1 @@\n   │ -a\n   │ … 1 more line\n›{}",
        ),
        (LOOK, edit(ToolKind::Declared), "‹🧰 edit_file: f\n›{edit_file}{}"),
    ];
    for (look, events, expected) in rows {
        let told = format!("{events:?}");
        assert_eq!(screen(look, events), expected, "{told}");
    }
}
