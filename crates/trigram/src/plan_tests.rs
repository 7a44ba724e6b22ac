use crate::{Pattern, PatternOptions};

fn plan(pattern: &str) -> String {
    Pattern::new(pattern, PatternOptions::default()).unwrap().plan.to_string()
}

#[test]
fn patterns_ask_for_the_grams_they_can_not_do_without() {
    let cases = [
        ("abcd", r#"("abc" "bcd")"#),
        ("ABCD", r#"("abc" "bcd")"#),
        ("(?i)aBcD", r#"("abc" "bcd")"#),
        ("(?i)skip", r#"("kip" "ski")"#),
        ("ab", "all"),
        ("", "all"),
        (".*", "all"),
        ("^abc$", r#"("abc")"#),
        (r"\babc\b", r#"("abc")"#),
        ("abc.*xyz", r#"("abc" "xyz")"#),
        ("abc|xyz", r#"(("abc") | ("xyz"))"#),
        ("abc|x", "all"),
        ("(abc|abd)e", r#"(("abc" "bce") | ("abd" "bde"))"#),
        ("abc(def|deg)", r#"("abc" "bcd" "cde" (("def") | ("deg")))"#),
        ("a[bc]d", r#"(("abd") | ("acd"))"#),
        ("a[bB]c", r#"("abc")"#),
        ("abc?", "all"),
        ("abcd?", r#"("abc")"#),
        ("(abc)?def", r#"("def")"#),
        ("(abc)*def", r#"("def")"#),
        ("(ab)+", "all"),
        ("(ab){2,}", r#"("aba" "bab")"#),
        ("x(ab){2}y", r#"("aba" "aby" "bab" "xab")"#),
        ("a+bc", r#"("abc")"#),
        ("a+b+c", r#"(all)"#),
        (r"\w+foo\w+", r#"("foo")"#),
        (r"fn\s+main", r#"(" ma" "ain" "fn " "mai")"#),
        (
            "[0-9]abc",
            r#"("abc" (("0ab") | ("1ab") | ("2ab") | ("3ab") | ("4ab") | ("5ab") | ("6ab") | ("7ab") | ("8ab") | ("9ab")))"#,
        ),
        (r"\p{Greek}+abc", r#"(beyond-ascii "abc")"#),
        (r"[^\x00-\x7F]{2}|\p{Han}", "(beyond-ascii)"),
        (r"(?i)[k-\u{3000}]", "all"),
        (r"[^\x00-\x{10FFFF}]", "nothing"),
        (r"abc[^\x00-\x{10FFFF}]|xyz", r#"("xyz")"#),
    ];
    for (pattern, expected) in cases {
        let expected = if expected == "(all)" { "all" } else { expected };
        assert_eq!(plan(pattern), expected, "{pattern}");
    }
}

#[test]
fn digits_and_white_space_of_all_scripts_can_be_planned_by() {
    assert_eq!(plan(r"a\sb\s+c"), r#"(" b " "a b")"#);
    let plan = plan(r"\d{4}-\d{2}");
    assert!(plan.contains("\"19-\"") && plan.contains("\"-07\""), "{plan}");
}

#[test]
fn grams_reach_over_the_seams_of_parts_that_are_not_spelt_out() {
    // Neither side is a set of strings, yet `cde` and `bcd` lie across the seam.
    let plan = plan(r"(?:x\w*bc)(?:de\w*y)");
    assert!(plan.contains("\"bcd\"") && plan.contains("\"cde\""), "{plan}");
}

#[test]
fn line_ends_are_asked_of_no_document() {
    let options = PatternOptions { multiline: true, ..Default::default() };
    let plan = Pattern::new(r"abc\ndef", options).unwrap().plan.to_string();
    assert_eq!(plan, r#"("abc" "def")"#);
}

#[test]
fn plans_stay_small_and_quick_whatever_the_pattern() {
    let words: String = (0..2000).map(|n| format!("w{n:04}x|")).collect();
    let mut tower = "[ab]x[cd]".to_owned();
    for _ in 0..100 {
        tower = format!("(?:{tower}){{2,}}");
    }
    let patterns = [
        words + "zzzz",
        "[0-9a-f]".repeat(2000),
        "[ab]".repeat(4000),
        "(?:a|b|cd)".repeat(1500),
        "(?:ab|cd+)".repeat(1500),
        "abcdefgh".repeat(2000),
        tower,
        "(?:a|b){1000}".to_owned(),
        "(?:(?:(?:ab|c){9}){9}){9}".to_owned(),
    ];
    for pattern in patterns {
        let hir = regex_syntax::parse(&pattern).unwrap();
        let start = std::time::Instant::now();
        let plan = super::Plan::of(&hir);
        let short = &pattern[..40.min(pattern.len())];
        assert!(plan.0.size() <= super::MOST_IN_ALL, "{short}");
        // Far more than it takes, far less than anything that is not linear would.
        assert!(start.elapsed().as_secs() < 20, "{short}: {:?}", start.elapsed());
    }
}
