//! Source text as lines of HTML: colours, marks, and names that lead to their definitions.

use ai_assist_syntax::{Token, TokenKind};

use crate::shown::escape_into;

/// Lines of HTML, one for each line of the text. `link` may give an address for a name. Marks are byte ranges in order.
pub(crate) fn lines(
    text: &str,
    tokens: &[Token],
    marks: &[(usize, usize)],
    link: &dyn Fn(&str) -> Option<String>,
) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut tokens, mut marks) = (tokens, marks);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (start, shown) = (at, line.trim_end_matches(['\n', '\r']));
        let end = start + shown.len();
        let mut html = String::with_capacity(shown.len() * 2);
        while at < end {
            while let [first, rest @ ..] = tokens
                && first.bytes.end <= at
            {
                tokens = rest;
            }
            while let [first, rest @ ..] = marks
                && first.1 <= at
            {
                marks = rest;
            }
            let token = tokens.first().filter(|token| token.bytes.start <= at);
            let mark = marks.first().filter(|mark| mark.0 <= at);
            let mut next = end;
            next = next.min(token.map_or_else(|| tokens.first().map_or(end, |it| it.bytes.start), |it| it.bytes.end));
            next = next.min(mark.map_or_else(|| marks.first().map_or(end, |it| it.0), |it| it.1));
            let next = text.ceil_char_boundary(next.max(at + 1)).min(end);
            let said = text.get(at..next).unwrap_or_default();
            let address =
                token.filter(|token| may_lead(token.kind) && token.bytes == (at..next)).and_then(|_| link(said));
            piece(&mut html, said, token.and_then(|token| class(token.kind)), mark.is_some(), address);
            at = next;
        }
        at = start + line.len();
        lines.push(html);
    }
    lines
}

fn piece(html: &mut String, said: &str, class: Option<&str>, is_marked: bool, address: Option<String>) {
    if is_marked {
        html.push_str("<mark>");
    }
    match (&address, class) {
        (Some(address), class) => {
            html.push_str("<a class=\"ref ");
            html.push_str(class.unwrap_or_default());
            html.push_str("\" tabindex=\"-1\" href=\"");
            escape_into(html, address);
            html.push_str("\">");
        }
        (None, Some(class)) => {
            html.push_str("<span class=\"");
            html.push_str(class);
            html.push_str("\">");
        }
        (None, None) => {}
    }
    escape_into(html, said);
    match (address, class) {
        (Some(_), _) => html.push_str("</a>"),
        (None, Some(_)) => html.push_str("</span>"),
        (None, None) => {}
    }
    if is_marked {
        html.push_str("</mark>");
    }
}

/// Whether a token may be the name of something that is defined elsewhere.
pub(crate) fn may_lead(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Type | TokenKind::Call | TokenKind::Name | TokenKind::Field)
}

fn class(kind: TokenKind) -> Option<&'static str> {
    Some(match kind {
        TokenKind::Comment => "tc",
        TokenKind::Text => "ts",
        TokenKind::Number | TokenKind::Constant => "tn",
        TokenKind::Keyword => "tk",
        TokenKind::Type => "tt",
        TokenKind::Call => "tf",
        TokenKind::Defined => "td",
        TokenKind::Field => "tp",
        TokenKind::Mark => "tm",
        TokenKind::Name => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ai_assist_text::Language;

    #[test]
    fn nothing_in_a_source_is_markup() {
        let text = "let a = \"<script>é\"; // </code>\nopen(b)\r\n";
        let tokens = ai_assist_syntax::tokens(text, Language::JAVASCRIPT);
        let link = |name: &str| (name == "open").then(|| "/x?\"<".to_owned());
        let shown = lines(text, &tokens, &[(4, 5), (9, 12)], &link);
        assert_eq!(shown.len(), 2);
        assert!(!shown.concat().contains("<script") && !shown.concat().contains("</code"), "{shown:?}");
        assert!(shown[0].contains("<mark><span class=\"td\">a</span></mark>"), "{shown:?}");
        assert!(
            shown[1].starts_with("<a class=\"ref tf\" tabindex=\"-1\" href=\"/x?&quot;&lt;\">open</a>("),
            "{shown:?}"
        );
    }
}
