use std::error::Error;

/// An error with everything that led to it, on one line. A cause that is in the text already is not said again.
pub fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    for cause in std::iter::successors(error.source(), |&cause| cause.source()) {
        let part = cause.to_string();
        if !text.contains(&part) {
            text.push_str(": ");
            text.push_str(&part);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{0}")]
    struct Link(&'static str, #[source] Option<Box<Link>>);

    #[test]
    fn every_cause_is_said_once() {
        let of = |texts: &[&'static str]| {
            let links = texts.iter().rev().fold(None, |inner, text| Some(Box::new(Link(text, inner))));
            chain(&*links.unwrap())
        };
        assert_eq!(of(&["a"]), "a");
        assert_eq!(of(&["a", "b", "c"]), "a: b: c");
        assert_eq!(of(&["reading x: no such file", "no such file"]), "reading x: no such file");
    }
}
