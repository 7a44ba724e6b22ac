//! Looking for values, whole or in pieces, in whatever the program writes.

use std::collections::HashMap;

use ai_assist_secret_fixtures::Secret;

use crate::support::contains;

/// As much of a value as tells something.
const PIECE: usize = 12;

/// Values to look for.
#[derive(Default)]
pub(super) struct Watch {
    pieces: HashMap<[u8; PIECE], usize>,
    /// Values shorter than a piece.
    short: Vec<(Vec<u8>, usize)>,
    kinds: Vec<&'static str>,
    /// What was found: where, and the number of the secret.
    pub(super) leaks: Vec<String>,
    pub(super) looked_at: usize,
}

impl Watch {
    pub(super) fn add(&mut self, secret: &Secret) {
        let number = self.kinds.len();
        self.kinds.push(secret.kind);
        for form in secret.forms.iter().flat_map(|form| spellings(form)) {
            let bytes = form.as_bytes();
            if bytes.len() < PIECE {
                self.short.push((bytes.to_vec(), number));
            }
            for window in bytes.windows(PIECE) {
                self.pieces.insert(window.try_into().unwrap(), number);
            }
        }
    }

    /// How many secrets are looked for.
    pub(super) fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Takes note of every value that stands in some bytes.
    pub(super) fn look(&mut self, place: &str, bytes: &[u8]) {
        self.looked_at += 1;
        let mut found: Vec<usize> = bytes
            .windows(PIECE)
            .filter_map(|window| self.pieces.get(<&[u8; PIECE]>::try_from(window).unwrap()))
            .copied()
            .collect();
        found.extend(self.short.iter().filter(|(value, _)| contains(bytes, value)).map(|(_, number)| *number));
        found.sort_unstable();
        found.dedup();
        self.leaks.extend(found.iter().map(|&number| format!("{} (secret {number}) in {place}", self.kinds[number])));
    }
}

/// A value as the formats would write it.
fn spellings(value: &str) -> Vec<String> {
    let json = serde_json::to_string(value).unwrap();
    let xml = value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let html = xml.replace('"', "&quot;").replace('\'', "&#39;");
    let mut all = vec![value.to_owned(), json[1..json.len() - 1].to_owned(), xml, html];
    all.sort_unstable();
    all.dedup();
    all
}

#[test]
fn a_piece_is_enough() {
    let secret = Secret { kind: "k", forms: vec!["0123456789&abcdef".to_owned(), "short".to_owned()] };
    let mut watch = Watch::default();
    watch.add(&secret);
    for (text, leaks) in [
        ("x 0123456789&abcdef y", 1),
        ("x 23456789&abcd y", 1),
        ("89&amp;abcdef", 1),
        ("0123456789\\u0026", 0),
        ("a short one", 1),
        ("0123456789", 0),
    ] {
        watch.leaks.clear();
        watch.look("text", text.as_bytes());
        assert_eq!(watch.leaks.len(), leaks, "{text}");
    }
}
