use super::*;

fn error(pattern: &str) -> Error {
    Pattern::new(pattern, PatternOptions::default()).unwrap_err()
}

#[test]
fn patterns_that_can_not_be_run_say_why() {
    assert!(matches!(error("(a"), Error::Syntax(_)));
    assert!(matches!(error(r"(a)\1"), Error::Syntax(_)));
    assert!(matches!(error("(?=a)"), Error::Syntax(_)));
    assert!(matches!(error(&"(".repeat(1000)), Error::Syntax(_)));
    assert!(matches!(error(r"\w{5000}"), Error::PatternTooLarge { .. }));
    assert!(matches!(error("((a{100}){100}){100}"), Error::PatternTooLarge { .. }));
    assert!(matches!(error(&"a".repeat(20_000)), Error::PatternTooLong { .. }));
    for pattern in [r"a\nb", r"xy|\n", r"[\n]", "a\nb", r"(?:a\n?)*"] {
        assert!(matches!(error(pattern), Error::LineEnd(r"\n")), "{pattern}");
    }
}

#[test]
fn the_syntax_error_shows_the_place() {
    use std::error::Error as _;
    let shown = error("foo(bar").source().unwrap().to_string();
    assert!(shown.contains("unclosed group"), "{shown}");
}

#[test]
fn large_but_honest_patterns_compile() {
    for pattern in ["(a|b){1000}", ".*.*.*.*.*", r"[\w\W]", r"\pL{10,20}", "(?i)straße"] {
        assert!(Pattern::new(pattern, PatternOptions::default()).is_ok(), "{pattern}");
    }
}

#[test]
fn a_carriage_return_is_part_of_the_line_end_only_when_asked() {
    let crlf = PatternOptions { crlf: true, ..Default::default() };
    assert!(Pattern::new(r"a\r", PatternOptions::default()).is_ok());
    assert!(matches!(Pattern::new(r"a\r", crlf), Err(Error::LineEnd(r"\r"))));
}
