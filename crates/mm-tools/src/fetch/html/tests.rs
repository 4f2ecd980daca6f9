use super::*;

fn page(html: &str) -> String {
    let url = Url::parse("http://site.example/a/b/c").unwrap();
    convert(html, &url, 5 << 20).text
}

/// Rows of (a page, what the model reads of it).
#[test]
fn elements_become_markdown() {
    let rows = [
        ("<title> A \n page </title><p>one <p>two", "# A page\n\none\n\ntwo"),
        ("<title>T</title><h1>T</h1><p>x", "# T\n\nx"),
        ("<title>T</title><h1>Other</h1>", "# T\n\n# Other"),
        ("<h2>A <em>b</em></h2>\n text  with\n\tspace", "## A *b*\n\ntext with space"),
        (
            "<p>a <b> bold </b>, <i>it</i>, <s>no</s>, <code>x  y</code>, <code>a`b</code>",
            "a **bold** , *it*, ~~no~~, `x y`, `` a`b ``",
        ),
        ("<b><strong>x</strong></b> <b></b>y", "**x** y"),
        ("one<br>two<br/>three", "one\ntwo\nthree"),
        (
            "2<sup>10</sup> H<sub>2</sub>O x<sup><a href=/n>[1]</a></sup>",
            "2^10 H_2O x[[1]](http://site.example/n)",
        ),
        ("&lt;p&gt; &amp;amp; &eacute; &#x1F600; a&nbsp;b so&shy;ft", "<p> &amp; é 😀 a b soft"),
        ("<a href='../d?q=1#f'>l</a>", "[l](http://site.example/a/d?q=1#f)"),
        ("<base href='/x/'><a href=y>l</a>", "[l](http://site.example/x/y)"),
        ("<base href='//other.example/'><a href=y>l</a>", "[l](http://other.example/y)"),
        (
            "<a href='#here'>here</a> <a href='javascript:x()'>js</a> <a>no</a> <a href=mailto:a@b.c>m</a>",
            "here js no [m](mailto:a@b.c)",
        ),
        ("<h2>Head<a class=anchor href='#head'>¶</a></h2>", "## Head"),
        ("<a href='http://x.example/'>http://x.example/</a>", "<http://x.example/>"),
        ("see <a href='/w_(x)'> this </a>now", "see [this](http://site.example/w_%28x%29) now"),
        ("<a href=/c><h3>Card</h3><p>words</p></a>", "[Card words](http://site.example/c)"),
        ("<a href=1>one<a href=2>two", "[one](http://site.example/a/b/1)[two](http://site.example/a/b/2)"),
        (
            "<img src=i.png alt='a cat'><img src=j.png><img alt=x src='data:image/png;base64,AA'>",
            "![a cat](http://site.example/a/b/i.png)x",
        ),
        ("<a href=/big><img src=i.png alt=cat></a>", "[cat](http://site.example/big)"),
        ("<ul><li>a<li>b<ul><li>c<li>d</ul><li>e</ul>after", "- a\n- b\n  - c\n  - d\n- e\n\nafter"),
        ("<ol start=9><li>a</li><li><p>b</p><p>c</p></li></ol>", "9. a\n10. b\n\n    c"),
        ("<ul><li><ul><li>x</ul><li></li></ul>", "- - x"),
        ("<dl><dt>f(x)<dd>does it<dd>twice<dt>g</dl>", "f(x)\n: does it\n\n: twice\n\ng"),
        ("<blockquote><p>a<p>b<ul><li>c</ul></blockquote>d", "> a\n>\n> b\n>\n> - c\n\nd"),
        ("a<hr>b", "a\n\n---\n\nb"),
        ("<pre>\n  a\n\n  b  \n</pre>", "```\n  a\n\n  b\n```"),
        ("<pre><code class='hljs language-rust'>fn x() {}\n</code></pre>", "```rust\nfn x() {}\n```"),
        (
            "<div class='highlight-python notranslate'><div class=highlight><pre>x = <span>1</span></pre></div></div>",
            "```python\nx = 1\n```",
        ),
        ("<div class='highlight highlight-source-shell'><pre>ls</pre></div>", "```shell\nls\n```"),
        ("<pre class='brush: js; x'>y</pre><pre data-lang=c++>z</pre>", "```js\ny\n```\n\n```c++\nz\n```"),
        ("<pre>a ``` b</pre>", "````\na ``` b\n````"),
        ("<ul><li>see<pre>x\n\ny</pre></ul>", "- see\n\n  ```\n  x\n\n  y\n  ```"),
        (
            "<table><tr><th>A<th>B<tr><td>1|2<td><a href=/x>y</a><tr><td>3</table>",
            "| A | B |\n| --- | --- |\n| 1\\|2 | [y](http://site.example/x) |\n| 3 |",
        ),
        (
            "<table><caption>Cap</caption><thead><tr><th colspan=2>H</thead><tbody><tr><td>a<p>b<td>c</table>",
            "Cap\n\n| H |  |\n| --- | --- |\n| a b | c |",
        ),
        ("<table><tr><td><h2>Side</h2><td>text<p>more</table>", "## Side\n\ntext\n\nmore"),
        (
            "<table><tr><td>1.<td><a href=/x>story</a><tr><td><td><pre>c</pre></table>",
            "1. [story](http://site.example/x)\n\n```\nc\n```",
        ),
        ("<table><tr><td>only<tr><td>one column</table>", "only\n\none column"),
        ("<table>lost<tr>also<td>a<td>b</table>", "lostalso\n\n| a | b |\n| --- | --- |"),
        ("<x-row>a</x-row><x-row>b</x-row>", "a b"),
        (
            "<form><label>Name</label><input value=v><select><option>o</select><button>Go</button> text</form>",
            "Name text",
        ),
        ("<math alttext='x^2'><mi>x</mi></math>", "x^2"),
        ("\u{1b}[2J\u{7}x", "[2Jx"),
    ];
    for (html, expected) in rows {
        assert_eq!(page(html), expected, "{html}");
    }
}

#[test]
fn scripts_and_styles_never_show() {
    let html = "<style>.a{}</style><script>var x=1;</script><noscript>n</noscript><template>t</template>\
                <svg><style>q</style><text>s</text></svg><p>Text <a href='../d?q=1#f'>l</a><img src=i.png></p>";
    assert_eq!(page(html), "Text [l](http://site.example/a/d?q=1#f)");
    let rows = [
        ("<script>if (a < b) document.write('<p>no</p>')</script>yes", "yes"),
        ("<template><template>a</template>b</template>yes", "yes"),
        ("<svg/>yes<svg><path/><svg></svg>no</svg> and", "yes and"),
        ("<svg><path><p>yes", "yes"),
        ("<textarea><b>no</textarea>yes", "yes"),
        ("<iframe src=x>no</iframe>yes<video>no</video><!-- no -->", "yes"),
        ("<svg><title>no</title></svg><title>Yes</title>yes", "# Yes\n\nyes"),
    ];
    for (html, expected) in rows {
        assert_eq!(page(html), expected, "{html}");
    }
}

/// Rows of (tags as people write them, what is read).
#[test]
fn tags_in_the_wrong_order_lose_no_text() {
    let rows = [
        ("<p>a<div>b</p>c</div>d", "a\n\nbc\n\nd"),
        ("<b><p>x</b>y</p>z", "x\n\nyz"),
        ("<table><tr><td></div></span>a<td>b</b></table></table>c", "| a | b |\n| --- | --- |\n\nc"),
        ("</p></div></table></li>a", "a"),
        ("<li>a<li>b", "- a\n\n- b"),
        ("<tr><td>a<td>b", "a\n\nb"),
        ("<h1>a<h2>b</h1>c", "# a\n\n## b\n\nc"),
        ("<p>a<button>b<p>c", "a\n\nc"),
        ("a<", "a<"),
        ("a<b", "a"),
        ("<p", ""),
        ("a & b &unknown; &#xFFFFFF;", "a & b &unknown; \u{fffd}"),
    ];
    for (html, expected) in rows {
        assert_eq!(page(html), expected, "{html}");
    }
}

#[test]
fn the_main_content_is_the_page() {
    let prose = "A sentence that says something. ".repeat(20);
    let prose = prose.trim();
    let list: String =
        (0..9).map(|n| format!("<li><a href=/{n}>Result {n}</a> with a few words about it</li>")).collect();
    let shell = |content: &str| {
        format!(
            "<header><a href=/>Logo</a></header><nav><a href=/x>Menu</a></nav>{content}<aside>Ads</aside>\
             <footer>Imprint</footer>"
        )
    };
    let rows = [
        (shell(&format!("<main><p>{prose}</main>")), prose.to_owned()),
        (
            shell(&format!("<div role=main><nav>Crumbs</nav><aside>Note</aside><p>{prose}</div>")),
            format!("Note\n\n{prose}"),
        ),
        (
            shell(&format!("<article><header><h2>Title</h2></header><p>{prose}</article>")),
            format!("## Title\n\n{prose}"),
        ),
        (shell(&format!("<p>{prose}")), prose.to_owned()),
        // Two articles are a list.
        (
            shell(&format!("<article>one {prose}</article><article>two</article>")),
            format!("one {prose}\n\ntwo"),
        ),
        // The banner that has the heading of the page.
        (format!("<header><h1>Name</h1><nav>x</nav></header><p>{prose}"), format!("# Name\n\n{prose}")),
        // A page from before there was `nav`.
        (
            format!("<ul><li><a href=/a>A</a><li><a href=/b>B</a></ul> | <h1>Head</h1><p>{prose}"),
            format!("# Head\n\n{prose}"),
        ),
        (
            format!("<p>Words before it <a href=/a>A</a><h1>Head</h1>{prose}"),
            format!("Words before it [A](http://site.example/a)\n\n# Head\n\n{prose}"),
        ),
        // An empty shell beside the text.
        (format!("<main></main><div>{prose}</div>"), prose.to_owned()),
        (format!("<main>Loading</main><div>{prose}</div>"), format!("Loading\n\n{prose}")),
        // Nothing but a menu is the page.
        (
            "<nav><a href=/a>A</a> <a href=/b>B</a></nav>".to_owned(),
            "[A](http://site.example/a) [B](http://site.example/b)".to_owned(),
        ),
        (format!("<aside>{prose}</aside><p>x"), format!("{prose}\n\nx")),
        (format!("<body style='display: none'><p>{prose}"), prose.to_owned()),
        (format!("<p hidden>no</p><span aria-hidden=true>#</span><p>{prose}"), prose.to_owned()),
    ];
    for (html, expected) in rows {
        assert_eq!(page(&html), expected, "{html}");
    }
    let results = page(&shell(&format!("<div><ol>{list}</ol></div>")));
    assert_eq!(results.lines().count(), 9, "{results}");
    assert!(results.starts_with("1. [Result 0](http://site.example/0) with"), "{results}");
}

/// Each of these makes a parser slow, deep or large that follows the letter of the standard.
#[test]
fn odd_pages_cost_no_stack_and_little_memory() {
    let many = |piece: &str| piece.repeat(20_000);
    let rows = [
        format!("{}deep{}", "<div>".repeat(100_000), "</div>".repeat(100_000)),
        format!("{}deep", many("<ul><li>")),
        format!("{}deep", many("<blockquote>")),
        format!("{}deep", many("<b><i>")),
        format!("{}deep", many("<table><tr><td>")),
        format!("{}deep", many("<a href=/x><p>")),
        format!("<font color=red>{}deep", many("<p>x</font><font size=2>")),
        format!("{}deep", many("<svg>") + "<p>"),
        format!("deep{}", many("</div>")),
        format!("<table><tr>{}</table>deep", many("<td colspan=1000>x")),
        format!("<p {}>deep", many("a=b ")),
        format!("<x{}>deep", many("x")),
    ];
    for html in rows {
        let text = page(&html);
        assert!(text.contains("deep"), "{}", &html[..40]);
        assert!(text.len() <= 6 << 20);
    }
    // A page of links grows by what they are relative to.
    let url = Url::parse(&format!("http://site.example/{}/", "long".repeat(500))).unwrap();
    for wrap in ["<p>", "<table><tr><td>x<td>", "<h1>", "<ul><li>"] {
        let html = format!("{wrap}{}", many("<a href=x>l</a> "));
        let converted = convert(&html, &url, 1 << 20);
        assert!(converted.cut && converted.text.len() <= 1 << 20, "{wrap} {}", converted.text.len());
    }
    let table = format!("<table>{}", many("<tr><td>x<td><a href=x>l</a>"));
    let converted = convert(&table, &url, 1 << 20);
    assert!(converted.cut && converted.text.len() <= 1 << 20);
}
