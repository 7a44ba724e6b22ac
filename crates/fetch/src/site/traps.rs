//! Sites without end: calendars, filters, links that repeat themselves.

use std::collections::{HashMap, HashSet};

use url::Url;

/// Folders in one another.
const MOST_LEVELS: usize = 32;
/// How often one name may stand in a path.
const MOST_REPEATS: usize = 3;
/// Pages that differ only in the values of their parameters.
const MOST_OF_QUERY: usize = 100;
/// Pages that differ only in their numbers. Those that a list near the first page names are as many as it names: what has no end
/// makes its links as one goes on.
const MOST_OF_NUMBERS: usize = 2000;
const NEAR: usize = 2;
const MOST_OF_FOLDER: usize = 20_000;

#[derive(Debug, Default)]
pub(super) struct Traps {
    counts: HashMap<String, usize>,
    told: HashSet<String>,
}

/// A link that is not followed; with the reason the first time that there is one.
pub(super) struct Trap(pub(super) Option<String>);

impl Traps {
    /// `depth` is how many links it is from the first page.
    pub(super) fn admit(&mut self, url: &Url, depth: usize) -> Result<(), Trap> {
        let path = url.path();
        let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
        if names.len() > MOST_LEVELS {
            return Err(self.trap("levels", format!("has more than {MOST_LEVELS} folders in one another")));
        }
        let repeats = |name: &&str| names.iter().filter(|other| *other == name).count() > MOST_REPEATS;
        if let Some(name) = names.iter().find(|name| repeats(name)) {
            let reason = format!("has `{name}` in its path more than {MOST_REPEATS} times");
            return Err(self.trap("repeats", reason));
        }
        if let Some(query) = url.query() {
            let mut parameters: Vec<&str> =
                query.split('&').map(|pair| pair.split('=').next().unwrap_or_default()).collect();
            parameters.sort_unstable();
            let names = parameters.join("&");
            let reason =
                format!("is one of more than {MOST_OF_QUERY} pages that differ only in the values of `?{names}`");
            self.count(&format!("{path}?{names}"), MOST_OF_QUERY, reason)?;
        }
        let pattern = without_numbers(path);
        if pattern != path && depth > NEAR {
            let reason =
                format!("is one of more than {MOST_OF_NUMBERS} pages that differ only in the numbers of `{pattern}`");
            self.count(&pattern, MOST_OF_NUMBERS, reason)?;
        }
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let reason = format!("is one of more than {MOST_OF_FOLDER} pages of the folder `{folder}/`");
        self.count(&format!("{folder}/"), MOST_OF_FOLDER, reason)
    }

    fn count(&mut self, key: &str, most: usize, reason: String) -> Result<(), Trap> {
        let count = self.counts.entry(key.to_owned()).or_default();
        *count += 1;
        if *count > most { Err(self.trap(key, reason)) } else { Ok(()) }
    }

    fn trap(&mut self, key: &str, reason: String) -> Trap {
        Trap(self.told.insert(key.to_owned()).then_some(reason))
    }
}

/// A path with `#` for each run of digits.
fn without_numbers(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for c in path.chars() {
        match c {
            c if !c.is_ascii_digit() => out.push(c),
            _ if !out.ends_with('#') => out.push('#'),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admitted(urls: impl Iterator<Item = String>) -> (usize, Vec<String>) {
        admitted_at(NEAR + 1, urls)
    }

    fn admitted_at(depth: usize, urls: impl Iterator<Item = String>) -> (usize, Vec<String>) {
        let mut traps = Traps::default();
        let (mut count, mut reasons) = (0, Vec::new());
        for url in urls {
            match traps.admit(&Url::parse(&url).unwrap(), depth) {
                Ok(()) => count += 1,
                Err(Trap(reason)) => reasons.extend(reason),
            }
        }
        (count, reasons)
    }

    #[test]
    fn what_has_no_end_gets_one_and_a_reason() {
        let (count, reasons) = admitted((0..5000).map(|n| format!("https://h/cal?month={n}&view=x")));
        assert_eq!((count, reasons.len()), (MOST_OF_QUERY, 1));
        assert!(reasons[0].contains("?month&view"), "{reasons:?}");
        let (count, reasons) = admitted((0..5000).map(|n| format!("https://h/cal/{}/{}/", n / 12, n % 12)));
        assert_eq!((count, reasons.len()), (MOST_OF_NUMBERS, 1));
        let (count, _) = admitted((0..100).map(|n| format!("https://h/{}", "a/b/".repeat(n))));
        assert_eq!(count, MOST_REPEATS + 1);
        let (count, _) =
            admitted((0..100).map(|n| format!("https://h/{}", (0..n).map(|it| format!("x{it}/")).collect::<String>())));
        assert_eq!(count, MOST_LEVELS + 1);
    }

    #[test]
    fn ordinary_sites_are_left_alone() {
        let (count, reasons) = admitted(
            (0..5000).map(|n| format!("https://h/api/{}/struct.T{}.html", ["a", "b", "c"][n % 3], "x".repeat(n % 40))),
        );
        assert_eq!((count, reasons.len()), (5000, 0));
        let (count, reasons) = admitted_at(1, (0..5000).map(|n| format!("https://h/rfc/rfc{n}.html")));
        assert_eq!((count, reasons.len()), (5000, 0), "a list of numbered pages");
    }
}
