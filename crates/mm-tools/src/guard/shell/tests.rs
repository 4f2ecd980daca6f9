use super::*;

/// The commands of a text as one line: words in brackets, with what they are made of.
fn drawn(text: &str) -> String {
    let script = parse(text, 0);
    let fault = script.fault.map(|fault| format!(" !{fault}")).unwrap_or_default();
    list(&script.list) + &fault
}

fn list(list: &[Pipeline]) -> String {
    let pipelines = list.iter().map(|pipeline| {
        let commands: Vec<_> = pipeline.commands.iter().map(command).collect();
        commands.join(" | ") + if pipeline.in_background { " &" } else { "" }
    });
    pipelines.collect::<Vec<_>>().join("; ")
}

fn command(command: &Command) -> String {
    match command {
        Command::Simple(simple) => {
            let assignments = simple.assignments.iter().map(|a| format!("{}={}", a.name, word(&a.value)));
            let redirects = simple.redirects.iter().map(|redirect| match redirect {
                Redirect::Write { target, .. } => format!(">{}", word(target)),
                Redirect::Read(target) => format!("<{}", word(target)),
                Redirect::Document(body) => format!("<<{}", body.get().map(word).unwrap_or_default()),
                Redirect::Text(target) => format!("<<<{}", word(target)),
            });
            assignments.chain(simple.words.iter().map(word)).chain(redirects).collect::<Vec<_>>().join(" ")
        }
        Command::Compound(compound) => {
            let words: String = compound.words.iter().map(|w| word(w) + " ").collect();
            let bodies: Vec<_> = compound.bodies.iter().map(|body| format!("{{{}}}", list(body))).collect();
            words + &bodies.join(" ")
        }
        Command::Function { name, body } => format!("{name}() {}", self::command(body)),
    }
}

fn word(word: &Word) -> String {
    let parts = word.parts.iter().map(|part| match part {
        Part::Text { text, quoted: true } => format!("'{text}'"),
        Part::Text { text, .. } => text.clone(),
        Part::Parameter { name, .. } => format!("${name}"),
        Part::Output { list, .. } => format!("$({})", self::list(list)),
        Part::Process { list, .. } => format!("<({})", self::list(list)),
        Part::Arithmetic(inner) => format!("$(({}))", self::word(inner)),
    });
    parts.collect()
}

#[test]
fn each_text_is_read_as_a_shell_reads_it() {
    let rows = [
        ("a b", "a b"),
        ("a; b && c || d & e", "a; b; c; d &; e"),
        ("a | b |& c", "a | b | c"),
        ("a 'b c' \"d $e\" f\\ g", "a 'b c' 'd '$e f' 'g"),
        ("a''b", "a''b"),
        ("x=1 y='a b' c", "x=1 y='a b' c"),
        ("x+=1; x[0]=2; x=(1 2)", "x=1; x=2; x="),
        ("a $(b | c) `d`", "a $(b | c) $(d)"),
        ("echo \"$(a \"b\")\"", "echo ''$(a 'b')"),
        ("a ${b} ${c:-d} ${e##*/} ${f[@]} ${#g}", "a $b $c $e $f $g"),
        ("a $((1+2)) $((b) | c)", "a $(('1+2')) $({b} | c)"),
        ("a <(b) > >(c)", "a <(b) ><(c)"),
        ("a >b 2>&1 >>c <d &>e", "a >b >c <d >e"),
        ("cat <<E\na $b\nE\nc", "cat <<'a '$b'\n'; c"),
        ("cat <<'E' | d\na $b\nE", "cat <<'a $b\n' | d"),
        ("cat <<-E\n\ta\n\tE\nb", "cat <<'a\n'; b"),
        ("cat <<A <<B\na\nA\nb\nB\nc", "cat <<'a\n' <<'b\n'; c"),
        ("x=$(cat <<E\na\nE\n); b", "x=$(cat <<'a\n'); b"),
        ("cat <<E\na", "cat <<'a\n'"),
        ("if a; then b; elif c; then d; else e; fi | f", "{a} {b} {c} {d} {e} | f"),
        ("while a; do b; done", "{a} {b}"),
        ("for x in a b; do c; done", "a b {c}"),
        ("for x; do c; done", "{c}"),
        ("for ((i=0; i<1; i++)); do c; done", "$(('i=0; i<1; i++')) {c}"),
        ("case a in (b|c) d;; *) e;& esac", "a b c * {d} {e}"),
        ("{ a; b; }; (c; d)", "{a; b}; {c; d}"),
        ("f() { a; }; function g { b; }", "f() {a}; g() {b}"),
        ("[[ a < b && ( c || $(d) ) ]]", "a b c $(d) "),
        ("((x > 1)) && a", "$(('x > 1')) ; a"),
        ("! time -p a", "a"),
        ("a # b\nc#d", "a; c#d"),
        ("a\\\nb", "ab"),
        ("echo if then", "echo if then"),
        ("$'a\\n\\x41\\u00e9\\101'", "'a\nA\u{e9}A'"),
        ("a=b{c,d}", "a=b{c,d}"),
        ("a 'b", " !a quote is not closed"),
        ("a\nb $(c", "a !a substitution is not closed"),
        ("a; )", "a !it closes what was not opened"),
        ("| a", " !a command is missing"),
        ("if a", " !a compound command is not closed"),
    ];
    let drawn_rows: Vec<_> = rows.iter().map(|(text, _)| (*text, drawn(text))).collect();
    let wrong: Vec<_> = rows.iter().zip(&drawn_rows).filter(|(row, drawn)| row.1 != drawn.1).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
