use proptest::prelude::*;

use super::*;

/// Marks what has a look: `<b>`, `<i>`, `<s>`, `<c>`, `<u>`, `<d>`.
fn shown(spans: &[Span]) -> String {
    let mut joined: Vec<Span> = Vec::new();
    for span in spans {
        match joined.last_mut() {
            Some(last) if last.style == span.style => last.text.push_str(&span.text),
            _ => joined.push(span.clone()),
        }
    }
    let mut out = String::new();
    for span in joined.iter().filter(|span| !span.text.is_empty()) {
        let names: String = [
            (Style::BOLD, 'b'),
            (Style::ITALIC, 'i'),
            (Style::STRUCK, 's'),
            (Style::CODE, 'c'),
            (Style::UNDERLINED, 'u'),
            (Style::DIM, 'd'),
        ]
        .iter()
        .filter(|(style, _)| span.style.and(*style) == span.style)
        .map(|(_, name)| name)
        .collect();
        let text = &span.text;
        out.push_str(&if names.is_empty() { text.clone() } else { format!("<{names}>{text}</>") });
    }
    out
}

fn streamed(text: &str, paint: Paint) -> String {
    let mut inline = Inline::new(paint);
    let mut out = Vec::new();
    text.chars().for_each(|c| inline.push(c, &mut out));
    inline.end(&mut out);
    shown(&out)
}

#[test]
fn marks_become_looks_and_everything_else_stays() {
    let rows = [
        ("a **b** c", "a <b>b</> c"),
        ("*a* _b_ __c__ ***d***", "<i>a</> <i>b</> <b>c</> <bi>d</>"),
        ("**a *b* c**", "<b>a </><bi>b</><b> c</>"),
        ("*a **b** c*", "<i>a </><bi>b</><i> c</>"),
        ("***a** b*", "<bi>a</><i> b</>"),
        ("~~a~~ ~b~ ~/x ~/y", "<s>a</> ~b~ ~/x ~/y"),
        ("2 * 3 * 4, 2*3", "2 * 3 * 4, 2*3"),
        ("snake_case_name and __init__.py", "snake_case_name and <b>init</>.py"),
        ("a `b *c*` d", "a <c>b *c*</> d"),
        ("``a ` b`` `` ` ``", "<c>a ` b</> <c>`</>"),
        ("a ` b", "a ` b"),
        ("**a", "**a"),
        ("**a `b", "**a `b"),
        ("**a\nb** c", "<b>a\nb</> c"),
        ("\\*a\\* \\d", "*a* \\d"),
        ("\\u{1b}[2J", "\\u{1b}[2J"),
        ("[a](http://b) c", "<u>a</> <d>(http://b)</> c"),
        ("[**a** b](c \"t\")", "<bu>a</><u> b</> <d>(c)</>"),
        ("**[a](b)**", "<bu>a</><b> </><bd>(b)</>"),
        ("[http://b](http://b) [](c)", "<u>http://b</> <u>c</>"),
        ("[x] a[i] [1]: b", "[x] a[i] [1]: b"),
        ("![a](b.png)!", "<u>a</> <d>(b.png)</>!"),
        ("[a](b c) [d", "[a](b c) [d"),
        ("[a](b(c)d)", "<u>a</> <d>(b(c)d)</>"),
        ("<https://a.b> a < b <br>c <div>", "<u>https://a.b</> a < b \nc <div>"),
        ("a &lt;b&gt; &amp; & &x;", "a <b> & & &x;"),
        ("*a b* c* **d*", "<i>a b</> c* *<i>d</>"),
    ];
    for (text, expected) in rows {
        assert_eq!(streamed(text, Paint::Colours), expected, "{text:?}");
        assert_eq!(shown(&spans(text, Style::PLAIN, Paint::Colours)), expected, "{text:?} at once");
    }
}

#[test]
fn without_attributes_the_marks_stay() {
    let rows = [
        ("a **b** _c_ ~~d~~", "a **<b>b</>** _<i>c</>_ ~~<s>d</>~~"),
        ("`` ` ``", "<c>`` ` ``</>"),
        ("[a](b)", "<u>a</> <d>(b)</>"),
    ];
    for (text, expected) in rows {
        assert_eq!(streamed(text, Paint::Nothing), expected, "{text:?}");
    }
}

#[test]
fn text_waits_for_a_closing_mark_and_no_longer() {
    // After each character: `w` where something waits.
    let rows = [
        ("plain words", "..........."),
        ("**a** b", "wwwww.."),
        ("`a` b", "www.."),
        ("2 * 3", "..w.."),
        ("a[i] b", ".www.."),
        ("&co <em", "w...w.."),
        ("*a\nb\nc", "wwww.."),
    ];
    for (text, expected) in rows {
        let mut inline = Inline::new(Paint::Colours);
        let waits = text.chars().map(|c| {
            inline.push(c, &mut Vec::new());
            if inline.waits() { 'w' } else { '.' }
        });
        assert_eq!(waits.collect::<String>(), expected, "{text:?}");
    }
}

proptest! {
    #[test]
    fn nothing_but_marks_is_lost(text in "[a-c *_`~\\[\\]()!<>&\\\\\n]{0,60}") {
        let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        let mut inline = Inline::new(Paint::Colours);
        let mut out = Vec::new();
        text.chars().for_each(|c| inline.push(c, &mut out));
        inline.end(&mut out);
        let all: String = out.iter().map(|span| span.text.as_str()).collect();
        // The target of a link may be what its text says already.
        if !text.contains("](") {
            prop_assert_eq!(letters(&all), letters(&text));
        }
    }
}
