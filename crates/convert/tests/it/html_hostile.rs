//! Pages made to break a reader: no panic, and time that grows with the page, not with its square.

use std::time::{Duration, Instant};

use ai_assist_convert::{ConvertError, Format, Limits, convert};

fn page(text: &str) -> Result<String, ConvertError> {
    convert(Format::Html, text.as_bytes(), &Limits::default()).map(|converted| converted.text)
}

/// Pages of a size that is given, each hard for some part of the reader.
fn hard_pages(n: usize) -> Vec<(&'static str, String)> {
    let attributes: String = (0..n).map(|at| format!(" a{at}=b")).collect();
    let different: String = (0..n / 4).map(|at| format!("<b class=x{at}>")).collect();
    vec![
        ("unclosed div", "<div>word ".repeat(n)),
        ("unclosed inline", "<b><i><span><a href=x>word ".repeat(n / 4)),
        ("nested tables", "<table><tr><td>word ".repeat(n / 4)),
        ("nested lists", "<ul><li>word ".repeat(n / 2)),
        ("nested quotes", "<blockquote>word ".repeat(n / 2)),
        ("nested pre", "<pre>word\n".repeat(n)),
        ("nested definitions", "<dl><dt>word<dd>more ".repeat(n / 3)),
        ("nested tabs", "<div class=tabbed-set><label>word</label><div class=tabbed-block>text ".repeat(n / 8)),
        ("nested callouts", "<div class=admonition><p class=admonition-title>word<div>text ".repeat(n / 8)),
        ("formatting in paragraphs", format!("{different}{}", "<p>word".repeat(n / 4))),
        ("end tags", format!("{}word{}", "<div>".repeat(250), "</span></p></td>".repeat(n))),
        ("attributes", format!("<p{attributes}>word")),
        ("one attribute", format!("<p title=\"{}\" id=\"{}\">word", "x".repeat(n * 10), "y".repeat(n * 10))),
        ("entities", format!("<p>word {}", "&lt;&amp;&nosuch;&#x41;&".repeat(n))),
        ("open angles", format!("<p>word {}", "<".repeat(n * 4))),
        ("unclosed comments", format!("<p>word {}", "<!-- x ".repeat(n))),
        ("unclosed scripts", format!("<p>word {}", "<script>x</scrip".repeat(n))),
        ("wide table", format!("<table>{}</table>", "<tr><td rowspan=900 colspan=900>word<td>more".repeat(n / 8))),
        ("wide list", format!("<ul>{}</ul>", "<li>word".repeat(n))),
        ("headings", "<h2 id=x>word</h2><h1>more".repeat(n / 4)),
        ("links", "<a href=#x>word</a> ".repeat(n)),
        ("forms", "<form><p>word".repeat(n / 2)),
        ("classes", format!("<p class=\"{}\">word", "nave-x tocs_y ".repeat(n))),
        ("one paragraph", format!("<p>{}", "word <code>`</code> ".repeat(n))),
    ]
}

/// The best of some runs, which is what the machine does when nothing else runs on it.
fn time(text: &str) -> Duration {
    let run = || {
        let start = Instant::now();
        let _ = page(text);
        start.elapsed()
    };
    (0..4).map(|_| run()).min().unwrap()
}

#[test]
fn hostile_pages_are_read_in_time() {
    for (name, text) in hard_pages(100_000) {
        let start = Instant::now();
        let read = page(&text);
        assert!(start.elapsed() < Duration::from_secs(10), "{name} took {:?}", start.elapsed());
        assert!(read.is_ok_and(|text| text.contains("word")), "{name}");
    }
}

#[test]
fn twice_the_page_takes_twice_the_time() {
    let pages = hard_pages(40_000).into_iter().zip(hard_pages(80_000));
    for ((name, small), (_, large)) in pages {
        let least = Duration::from_millis(2);
        // A run that another process disturbed is repeated; a quadratic one fails each time.
        let fits = (0..5).any(|_| time(&large) < time(&small).max(least).mul_f64(2.5));
        assert!(fits, "{name}: {:?} for twice of {:?}", time(&large), time(&small));
    }
}

#[test]
fn entities_of_a_document_type_are_not_expanded() {
    let mut text = String::from("<?xml version='1.0'?><!DOCTYPE lolz [<!ENTITY lol 'lol'>");
    for level in 1..20 {
        text.push_str(&format!("<!ENTITY lol{level} '{}'>", format!("&lol{};", level - 1).repeat(10)));
    }
    text.push_str("]><html><body><p>word &lol19;</p></body></html>");
    assert_eq!(page(&text).unwrap(), "word &lol19;\n");
}

#[test]
fn a_long_page_is_cut_and_says_so() {
    let limits = Limits { max_text: 1000, ..Limits::default() };
    let text = convert(Format::Html, "<p>word".repeat(1000).as_bytes(), &limits).unwrap().text;
    assert!(text.len() <= 1000 && text.ends_with("the text of one document.]\n"), "{text}");
}
