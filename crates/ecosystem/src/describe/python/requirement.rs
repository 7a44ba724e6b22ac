//! One requirement, as PEP 508 has it.

/// The name and what follows it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Requirement<'a> {
    pub(super) name: &'a str,
    /// The range or the address, as written.
    pub(super) version: Option<&'a str>,
}

impl<'a> Requirement<'a> {
    pub(super) fn parse(text: &'a str) -> Option<Requirement<'a>> {
        let text = text.trim();
        let name = crate::python::leading_name(text);
        if name.is_empty() || !name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            return None;
        }
        let mut rest = text[name.len()..].trim_start();
        if let Some(extras) = rest.strip_prefix('[') {
            rest = extras.split_once(']').map_or("", |(_, rest)| rest).trim_start();
        }
        if let Some(address) = rest.strip_prefix('@') {
            let address = address.split(" ;").next().unwrap_or_default().trim();
            return Some(Requirement { name, version: Some(address) });
        }
        let range = rest.split(';').next().unwrap_or_default().trim();
        let range = range.strip_prefix('(').and_then(|range| range.strip_suffix(')')).unwrap_or(range).trim();
        // What is neither a range nor nothing is not a requirement but some other line.
        let is_range = range.starts_with(['=', '<', '>', '~', '!']);
        (range.is_empty() || is_range).then_some(Requirement { name, version: Some(range).filter(|_| is_range) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_taken_apart() {
        let cases = [
            ("requests", Some(("requests", None))),
            (" requests[socks, x] >=2,<3 ; python_version > '3'", Some(("requests", Some(">=2,<3")))),
            ("flask (>=2)", Some(("flask", Some(">=2")))),
            ("a @ https://x/y.whl ; extra == 'z'", Some(("a", Some("https://x/y.whl")))),
            ("a==1.0", Some(("a", Some("==1.0")))),
            ("", None),
            ("-r other.txt", None),
            ("some words here", None),
            ("[x]", None),
        ];
        for (text, expected) in cases {
            let parsed = Requirement::parse(text).map(|found| (found.name, found.version));
            assert_eq!(parsed, expected, "{text}");
        }
    }
}
