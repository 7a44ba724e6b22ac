//! `robots.txt` (RFC 9309): what a site asks crawlers to leave alone.

use std::time::Duration;

/// Our name in a `User-agent` line.
const AGENT: &str = "ai-assist";

/// More of the file than this is not read.
pub(super) const MOST_BYTES: u64 = 512 << 10;

const MOST_RULES: usize = 10_000;

/// A longer wait between two pages is not kept.
const LONGEST_DELAY: Duration = Duration::from_secs(10);

/// The rules that hold for us.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Robots {
    rules: Vec<Rule>,
    pub(super) delay: Option<Duration>,
    pub(super) sitemaps: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    allow: bool,
    pattern: String,
}

impl Robots {
    pub(super) fn parse(text: &str) -> Self {
        let (mut ours, mut everyone) = (None::<Robots>, Robots::default());
        let mut sitemaps = Vec::new();
        // Which groups the lines at hand belong to, and whether the last line named one.
        let (mut for_us, mut for_all, mut naming) = (false, false, false);
        for line in text.trim_start_matches('\u{feff}').lines() {
            let line = line.split('#').next().unwrap_or_default();
            let Some((key, value)) = line.split_once(':') else { continue };
            let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
            match key.as_str() {
                "user-agent" => {
                    if !naming {
                        (for_us, for_all, naming) = (false, false, true);
                    }
                    let token: String =
                        value.chars().take_while(|c| c.is_ascii_alphabetic() || matches!(c, '-' | '_')).collect();
                    for_us |= token.eq_ignore_ascii_case(AGENT);
                    for_all |= value.starts_with('*');
                    if for_us {
                        ours.get_or_insert_default();
                    }
                }
                "sitemap" => sitemaps.push(value.to_owned()),
                "allow" | "disallow" | "crawl-delay" => {
                    naming = false;
                    let groups = [ours.as_mut().filter(|_| for_us), Some(&mut everyone).filter(|_| for_all)];
                    groups.into_iter().flatten().for_each(|group| group.take(&key, value));
                }
                // An unknown line ends the list of names as little as a blank one does.
                _ => {}
            }
        }
        Robots { sitemaps, ..ours.unwrap_or(everyone) }
    }

    fn take(&mut self, key: &str, value: &str) {
        match key {
            "crawl-delay" => {
                let seconds = value.parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds > 0.0);
                self.delay = seconds.map(|seconds| Duration::from_secs_f64(seconds.min(LONGEST_DELAY.as_secs_f64())));
            }
            // An empty rule says nothing.
            _ if value.is_empty() || self.rules.len() >= MOST_RULES => {}
            key => self.rules.push(Rule { allow: key == "allow", pattern: value.to_owned() }),
        }
    }

    /// Whether a path with its query may be asked for: the longest rule that matches decides, and of two as long the kinder.
    pub(super) fn allows(&self, path: &str) -> bool {
        let matching = self.rules.iter().filter(|rule| matches(&rule.pattern, path));
        matching.max_by_key(|rule| (rule.pattern.len(), rule.allow)).is_none_or(|rule| rule.allow)
    }
}

/// Whether a path begins as a pattern says: `*` stands for anything, `$` at its end for the end.
fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, whole) = pattern.strip_suffix('$').map_or((pattern, false), |pattern| (pattern, true));
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = path.strip_prefix(first) else { return false };
    let mut last_is_open = false;
    let pieces: Vec<&str> = pieces.collect();
    for (number, piece) in pieces.iter().enumerate() {
        last_is_open = piece.is_empty();
        if whole && number + 1 == pieces.len() {
            return rest.ends_with(piece);
        }
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    !whole || rest.is_empty() || last_is_open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_the_standard_says() {
        for (pattern, path, expected) in [
            ("/", "/anything", true),
            ("/fish", "/fish.html", true),
            ("/fish", "/Fish.asp", false),
            ("/fish*", "/fishheads", true),
            ("/fish/", "/fish", false),
            ("/*.php", "/folder/any.php.file.html", true),
            ("/*.php$", "/filename.php", true),
            ("/*.php$", "/filename.php?parameters", false),
            ("/fish*.php", "/fishheads/catfish.php?p", true),
            ("/a$", "/a", true),
            ("/a$", "/ab", false),
            ("/*$", "/x", true),
            ("*/x", "/a/b/x", true),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn our_group_counts_before_everyones_and_the_longest_rule_wins() {
        let text = "User-agent: *\nDisallow: /\n\nUser-agent: Other\nUser-agent: AI-Assist/1.0 # us\nDisallow: /private\n\
                    Allow: /private/docs\nCrawl-delay: 2\nSitemap: https://h/s.xml\n\nUser-agent: ai-assist\nDisallow: /more\n";
        let robots = Robots::parse(text);
        for (path, allowed) in [("/", true), ("/private/x", false), ("/private/docs/x", true), ("/more", false)] {
            assert_eq!(robots.allows(path), allowed, "{path}");
        }
        assert_eq!((robots.delay, robots.sitemaps), (Some(Duration::from_secs(2)), vec!["https://h/s.xml".to_owned()]));
    }

    #[test]
    fn without_a_group_of_ours_everyones_holds() {
        let robots = Robots::parse(
            "user-agent: googlebot\ndisallow: /\nuser-agent: *\ndisallow: /a\nallow: /a\ncrawl-delay: 86400",
        );
        assert!(robots.allows("/a"), "of two rules as long the kinder");
        assert_eq!(robots.delay, Some(LONGEST_DELAY));
        assert!(Robots::parse("User-agent: *\nDisallow:").allows("/x"));
        assert!(Robots::parse("<html>not found</html>").allows("/x"));
        assert!(!Robots::parse("\u{feff}User-agent: *\r\nDisallow: /x\r\n").allows("/x"));
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "(?s)(user-agent:|allow:|disallow:|crawl-delay:|[*$/a-c#\\n .0-9]){0,40}", path in "/[a-c*$/]{0,10}") {
            Robots::parse(&text).allows(&path);
        }
    }
}
