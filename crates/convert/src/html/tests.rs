use proptest::prelude::*;

use super::*;
use crate::place;

fn markdown(page: &str) -> String {
    convert(page.as_bytes(), &Limits::default()).unwrap_or_else(|error| format!("error: {error}"))
}

/// Checks what pages become; a final line feed is not written in the cases.
fn check(cases: &[(&str, &str)]) {
    for (page, wanted) in cases {
        assert_eq!(markdown(page).trim_end_matches('\n'), *wanted, "{page}");
    }
}

#[test]
fn text_is_written_as_paragraphs() {
    check(&[
        ("<p>One\n  two<p>three", "One two\n\nthree"),
        ("<p>a<br>b<br/>  c</p>", "a\nb\nc"),
        ("a<b>bold</b>c <i>d</i>e", "a**bold**c de"),
        ("<p>un&shy;broken&nbsp;space&#8203;d</p>", "unbroken spaced"),
        (
            "<p># no heading<p>1. no item<p>- nor that<p>&gt; no quote",
            "\\# no heading\n\n1\\. no item\n\n\\- nor that\n\n\\> no quote",
        ),
        ("<p><code>a  b</code>, <tt>`</tt> and <kbd> Esc </kbd>", "`a b`, `` ` `` and `Esc`"),
        ("<p>x<sub>1</sub><p><img src=a alt='An image'><img src=b>", "x1\n\nAn image"),
        ("<p>a<hr>b<!-- comment -->c", "a\n\nbc"),
        ("<p>&lt;!-- page 3 --&gt;", "<! -- page 3 -->"),
    ]);
}

#[test]
fn links_keep_their_address() {
    check(&[
        ("<p><a href='../a.html#b'>text</a>", "[text](../a.html#b)"),
        ("<p><a href='https://a.example/'>https://a.example/</a>", "https://a.example/"),
        ("<p><a href='a(b) c'><code>x</code></a>", "[`x`](<a(b) c>)"),
        ("<p><a href='javascript:void(0)'>text</a> <a name=x>more</a> <a href=y></a>.", "text more ."),
        ("<p>a<a href='#a' class=headerlink>¶</a> b<a href='#b'>#</a>", "a b"),
        ("<a href=x><div><h2>Card</h2><p>text</div></a>", "## Card\n\ntext"),
        ("<p><a href=x><img alt=Logo src=y></a>", "[Logo](x)"),
    ]);
}

#[test]
fn headings_say_their_place() {
    check(&[
        (
            "<h1 id=a>One</h1><p>text<h2 id=b>Two</h2>",
            "<!-- section #a -->\n# One\n\ntext\n\n<!-- section #b -->\n## Two",
        ),
        (
            "<h1>T</h1><section id=s><h2>Two<a class=headerlink href=#s>¶</a></h2></section>",
            "# T\n\n<!-- section #s -->\n## Two",
        ),
        ("<h1>T</h1><h2><a name=old></a>Old</h2>", "# T\n\n<!-- section #old -->\n## Old"),
        ("<h1>T</h1><a id=before></a><h2>Next</h2>", "# T\n\n<!-- section #before -->\n## Next"),
        ("<h1>T</h1><h2 id=x><a class=header href=#x>Book</a></h2>", "# T\n\n<!-- section #x -->\n## Book"),
        (
            "<h1>T</h1><div class=markdown-heading><h2>Git</h2><a id=user-content-git class=anchor href=#git><svg></svg></a></div>",
            "# T\n\n<!-- section #git -->\n## Git",
        ),
        ("<h1>T</h1><section id=s><p>text</p><h2>Two</h2></section>", "# T\n\ntext\n\n## Two"),
        ("<h1>T</h1><h2><a href=x>Link</a> <code>c</code> <b>b</b></h2>", "# T\n\n## Link `c` b"),
    ]);
}

#[test]
fn a_page_has_one_title() {
    check(&[
        ("<title>Page | Site</title><p>text", "# Page\n\ntext"),
        ("<title>Page | Site</title><h1>Heading</h1><p>text", "# Heading\n\ntext"),
        (
            "<title>a</title><h1>One</h1><h2>Two</h2><h1>Three</h1><h2>Four</h2>",
            "# One\n\n### Two\n\n## Three\n\n### Four",
        ),
        ("<title>Name - Site</title><header><h1>Name</h1><nav>Nav</nav></header><div><p>text</div>", "# Name\n\ntext"),
        ("<title>Name - Site</title><header><h1>Site</h1></header><div><h1>Name</h1><p>text</div>", "# Name\n\ntext"),
        ("<p>text", "text"),
    ]);
}

#[test]
fn lists_are_nested() {
    check(&[
        ("<ul><li>a<li>b<ul><li>c</ul><li>d</ul><p>e", "- a\n- b\n  - c\n- d\n\ne"),
        ("<ol start=9><li>a<li>b<ul><li>c</ul></ol>", "9. a\n10. b\n    - c"),
        ("<ul><li><p>a<p>b<li>c</ul>", "- a\n\n  b\n\n- c"),
        ("<ul><li><pre>x\ny</pre></ul>", "- ```\n  x\n  y\n  ```"),
        ("<ul><li><h3>Heading</h3><p>text</ul>", "### Heading\n\ntext"),
        ("<ul><li><li>a</ul>", "- a"),
        ("<dl><dt>term<dd>meaning<dt>other<dd><p>one<p>two</dl>", "- **term**\n  meaning\n- **other**\n  one\n\n  two"),
        ("<h1>T</h1><dl><dt id=x>term<dd>meaning</dl>", "# T\n\n<!-- section #x -->\n**term**\n\nmeaning"),
        (
            "<h1>T</h1><dl class='py function'><dt class='sig sig-object py' id=f><span>f</span>(<em>a</em>)<a class=headerlink href=#f>¶</a></dt><dd><p>Does.</dd></dl>",
            "# T\n\n<!-- section #f -->\n## `f(a)`\n\nDoes.",
        ),
    ]);
}

#[test]
fn tables_are_grids_unless_they_arrange_a_page() {
    check(&[
        ("<table><tr><th>a<th>b<tr><td>1|2<td><p>x<p>y</table>", "| a | b |\n| --- | --- |\n| 1\\|2 | x y |"),
        (
            "<table><caption>Cap</caption><tr><th rowspan=2>v<th colspan=2>l<tr><th>m<th>w<tr><td>1<td>2<td>3</table>",
            "Cap\n\n| v | l |  |\n| --- | --- | --- |\n| v | m | w |\n| 1 | 2 | 3 |",
        ),
        ("<table><tr><td><h2>Left</h2><p>a<td><p>b</table>", "## Left\n\na\n\nb"),
        ("<table><tr><td><ul><li>a<li>b</ul><td>c</table>", "| a • b | c |\n| --- | --- |"),
        ("<table><tr><td><pre>x\ny</pre><td>c</table>", "```\nx\ny\n```\n\nc"),
        (
            "<main><div class='summary-table two-column-summary'><div class='table-header col-first'>A</div><div class='table-header col-last'>B</div><div class=col-first>1</div><div class=col-last>2</div></div></main>",
            "| A | B |\n| --- | --- |\n| 1 | 2 |",
        ),
    ]);
}

#[test]
fn listings_keep_their_lines_and_language() {
    check(&[
        ("<pre>\n  a\n\n  b  \n\n</pre>", "```\n  a\n\n  b\n```"),
        ("<pre><code class=language-rs>a</code></pre>", "```rs\na\n```"),
        (
            "<div class='highlight-python notranslate'><div class=highlight><pre><span></span>a</pre></div></div>",
            "```python\na\n```",
        ),
        (
            "<div class='highlight highlight-source-shell'><pre>a</pre><clipboard-copy>Copy</clipboard-copy></div>",
            "```shell\na\n```",
        ),
        ("<pre class='brush: js; gutter: true'>a</pre>", "```js\na\n```"),
        ("<pre class='brush:xml'>a</pre>", "```xml\na\n```"),
        ("<div data-lang=go><pre>a</pre></div>", "```go\na\n```"),
        ("<pre class='rust rust-example-rendered'><code>a</code></pre>", "```rust\na\n```"),
        ("<pre class='sourceCode python'>a</pre>", "```python\na\n```"),
        ("<div class=highlight-default><pre>a</pre></div>", "```\na\n```"),
        (
            "<div class='language-py highlight'><table class=highlighttable><tr><td class=linenos><pre>1\n2</pre><td class=code><pre>a\nb</pre></table></div>",
            "```py\na\nb\n```",
        ),
        (
            "<pre><code><span class=token-line>a<br></span><span class=token-line>b<br></span></code></pre>",
            "```\na\nb\n```",
        ),
        (
            "<pre><code><div class=line><span class=ln>1</span>a</div><div class=line><span class=ln>2</span>b</div></code></pre>",
            "```\na\nb\n```",
        ),
        ("<pre>a\n```\nb</pre>", "````\na\n```\nb\n````"),
        ("<pre><button>Copy</button>a</pre>", "```\na\n```"),
        (
            "<pre><code class=language-rust><span class=boring>fn main() {\n</span>a\n<span class=boring>}</span></code></pre>",
            "```rust\na\n```",
        ),
    ]);
}

#[test]
fn notes_are_quotes_with_their_kind() {
    let note = "> **Note**\n>\n> text";
    check(&[
        ("<blockquote><p>a<p>b</blockquote>", "> a\n>\n> b"),
        ("<div class='admonition note'><p class=admonition-title>Note</p><p>text</div>", note),
        (
            "<div class='theme-admonition theme-admonition-note admonition_x alert'><div class=admonitionHeading_y><span><svg></svg></span>note</div><div class=admonitionContent_z><p>text</div></div>",
            note,
        ),
        ("<div class='note custom-block'><p class=custom-block-title>NOTE</p><p>text</div>", note),
        (
            "<div class='markdown-alert markdown-alert-note'><p class=markdown-alert-title><svg></svg>Note</p><p>text</div>",
            note,
        ),
        ("<aside class='callout callout-note'><p>text</aside>", note),
        ("<main><aside role=note><p>text</aside></main>", "> text"),
        ("<details><summary>More</summary><p>text</details>", "**More**\n\ntext"),
        ("<p>a<div class=warning>text</div><p>b", "a\n\n> **Warning**\n>\n> text\n\nb"),
    ]);
}

#[test]
fn formulas_stay_text() {
    check(&[
        ("<p>\\(a^2\\)", "\\(a^2\\)"),
        (
            "<span class=katex><span class=katex-mathml><math><semantics><mi>a</mi><annotation encoding=application/x-tex>a^2</annotation></semantics></math></span><span class=katex-html aria-hidden=true>a2</span></span>",
            "$a^2$",
        ),
        ("<math alttext='x+1'><mi>x</mi></math>", "$x+1$"),
        ("<math><mi>x</mi><mo>+</mo><mn>1</mn></math>", "x+1"),
    ]);
}

#[test]
fn what_is_no_content_is_left_out() {
    check(&[
        ("<script>a</script><style>b</style><template>c</template><noscript>d</noscript><p>text", "text"),
        ("<nav>a</nav><main><p>text</main><footer>b</footer>", "text"),
        ("<p hidden>a<p style='display: none'>b<p aria-hidden=true>c<p class=sr-only>d<p>text", "text"),
        (
            "<main><div class=breadcrumbs>a</div><div class=tableOfContents_x1>b</div><p>text<div class=pagination-nav>c</div></main>",
            "text",
        ),
        ("<main><p>text<form><input><label>a</label><button>b</button></form></main>", "text"),
        ("<form><h1>In a form</h1><p>text<input></form>", "# In a form\n\ntext"),
        ("<div id=cookie-banner><p>a</div><div class=cookie-consent>b</div><p>text", "text"),
        ("<div class=header><a href=a>b</a></div><div><h1>T</h1><p>text</div><div id=footer>c</div>", "# T\n\ntext"),
        (
            "<ul><li><a href=a>Nav one</a><li><a href=b>Nav two</a></ul><h1>T</h1><p>text<ul><li><a href=c>Kept link</a></ul><p>end",
            "# T\n\ntext\n\n- [Kept link](c)\n\nend",
        ),
        ("<body style='display:none'><p>text", "text"),
        ("<blockquote>quote<footer>author</footer></blockquote>", "> quote\n>\n> author"),
        ("<div role=tabpanel hidden><p>text</div>", "text"),
        ("<h2 class=toc-x><a class=toc-backref href=#id1>Back</a></h2><p>text", "## Back\n\ntext"),
    ]);
}

#[test]
fn tabs_are_named_before_their_panels() {
    let tabs = "**npm**\n\n```sh\nnpm i\n```\n\n**pnpm**\n\n```sh\npnpm i\n```";
    check(&[
        (
            "<div class=tabs-container><ul role=tablist class=tabs><li role=tab>npm<li role=tab>pnpm</ul><div><div role=tabpanel><pre class=language-sh>npm i</pre></div><div role=tabpanel hidden><pre class=language-sh>pnpm i</pre></div></div></div>",
            tabs,
        ),
        (
            "<div class=tabbed-set><input type=radio><input type=radio><div class=tabbed-labels><label>npm</label><label>pnpm</label></div><div class=tabbed-content><div class=tabbed-block><pre class=language-sh>npm i</pre></div><div class=tabbed-block><pre class=language-sh>pnpm i</pre></div></div></div>",
            tabs,
        ),
        (
            "<div class=vp-code-group><div class=tabs><input><label>npm</label><input><label>pnpm</label></div><div class=blocks><div class='language-sh active'><button class=copy></button><span class=lang>sh</span><pre>npm i</pre></div><div class=language-sh><span class=lang>sh</span><pre>pnpm i</pre></div></div></div>",
            tabs,
        ),
    ]);
}

#[test]
fn a_page_without_words_says_why() {
    check(&[
        (
            "<html><body><div id=root></div><script src=a.js></script>",
            "error: it has no text in it (the page is drawn by a script)",
        ),
        (
            "<html><body><div id=app>Loading\u{2026}</div><script src=a.js></script>",
            "error: it has no text in it (the page is drawn by a script)",
        ),
        (
            "<html><title>App</title><body><noscript>Enable it</noscript><script></script>",
            "error: it has no text in it (the page is drawn by a script)",
        ),
        ("<html><body></body></html>", "error: it has no text in it"),
        ("", "error: it has no text in it"),
    ]);
}

#[test]
fn pages_are_detected_by_name_and_content() {
    let page = b"\xef\xbb\xbf<!-- saved -->\n<!DOCTYPE HTML>\n<p>text".as_slice();
    let template = b"<!doctype html><title>{{ t }}</title><a href='{{ u }}'>a</a>".as_slice();
    for (path, bytes, is) in [
        ("a/index.html", b"<p>text".as_slice(), true),
        ("a.HTM", b"<p>text", true),
        ("a.xhtml", b"<?xml version='1.0'?><html/>", true),
        ("LICENSE", page, true),
        ("release-1.2", page, true),
        ("a.html?page=2", page, true),
        ("a.txt", page, true),
        ("a.txt", b"<p>text", false),
        ("a.md", page, false),
        ("a.php", page, false),
        ("a.vue", page, false),
        ("README", b"plain text", false),
        ("a.html", template, false),
        ("plain", template, false),
        ("a.html", b"\0\0\0binary", false),
    ] {
        assert_eq!(detect(path, bytes).is_some(), is, "{path} {:?}", String::from_utf8_lossy(bytes));
    }
}

/// Pages of pieces that matter to the reader, in any order.
fn soup() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "<p>",
        "</p>",
        "<div class='admonition note'>",
        "</div>",
        "<ul>",
        "<ol>",
        "<li>",
        "</ul>",
        "<table>",
        "<tr>",
        "<td rowspan=3>",
        "<th colspan=2>",
        "</table>",
        "<pre>",
        "</pre>",
        "<code>",
        "</code>",
        "<h1>",
        "<h2 id=a>",
        "</h2>",
        "<a href=#x>",
        "</a>",
        "<dl>",
        "<dt id=t>",
        "<dd>",
        "<blockquote>",
        "</blockquote>",
        "<b>",
        "</b>",
        "<main>",
        "<nav>",
        "</nav>",
        "<script>",
        "</script>",
        "<title>",
        "</title>",
        "<br>",
        "<!-- page 3 -->",
        "<!--",
        "&lt;!-- page 3 --&gt;\n",
        "&amp;",
        "&#x0;",
        "word ",
        "é\u{200b} ",
        "\n",
        "`",
        "|",
        "<div class=tabbed-set>",
        "<label>",
        "<div role=tabpanel>",
        "<svg>",
        "<math>",
        "<form>",
        "<x-y>",
        "</x-y>",
        "<",
        ">",
        "<![CDATA[",
        "]]>",
        "<?xml version='1.0'?>",
        "<dt class=sig>",
        "<details>",
        "<summary>",
    ]);
    prop::collection::vec(pieces, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 400 } else { 4000 }))]

    #[test]
    fn any_bytes_are_read_without_panic_and_always_alike(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let limits = Limits::default();
        prop_assert_eq!(convert(&bytes, &limits), convert(&bytes, &limits));
        let _ = detect("a.html", &bytes);
    }

    #[test]
    fn any_tags_are_read_without_panic_and_always_alike(page in soup()) {
        let limits = Limits { max_depth: 12, ..Limits::default() };
        let text = convert(page.as_bytes(), &limits);
        prop_assert_eq!(&text, &convert(page.as_bytes(), &limits));
        if let Ok(text) = text {
            let places = text.lines().filter_map(place::of_line);
            prop_assert!(places.into_iter().all(|place| place.starts_with("section #")), "{}", text);
            prop_assert!(text.ends_with('\n') && !text.ends_with("\n\n"));
        }
    }
}
