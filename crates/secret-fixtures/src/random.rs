//! A seeded source of characters and words.

use base64::Engine as _;

const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const LOWER: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const HEX: &str = "0123456789abcdef";
const DIGITS: &str = "0123456789";
const BASE32: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const BECH32: &str = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L";
const SYMBOLS: &str = "!@#$%^&*";

const WORDS: &[&str] = &[
    "winter", "harbor", "copper", "silent", "marble", "falcon", "orchid", "timber", "violet", "anchor", "meadow",
    "canyon", "pepper", "saddle", "thunder", "velvet", "walnut", "yellow", "zephyr", "basket", "candle", "dragonfly",
    "ember", "forest", "garden", "hollow", "island", "jungle", "kettle", "lantern", "mirror", "nectar", "oyster",
    "planet", "quartz", "ribbon", "summit", "tunnel", "umbrella", "valley", "whisper", "breeze", "cobalt", "desert",
    "engine", "feather", "glacier",
];

/// SplitMix64: the same numbers from the same seed, everywhere.
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end.max(1) as u64).unwrap_or_default()
    }

    /// So many characters of a class.
    pub fn of(&mut self, class: &str, count: usize) -> String {
        let class = class.as_bytes();
        (0..count).map(|_| char::from(class[self.below(class.len())])).collect()
    }

    /// One of several.
    pub fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    pub fn word(&mut self) -> &'static str {
        self.pick(WORDS)
    }

    pub fn uuid(&mut self) -> String {
        let part = |n| (n, HEX);
        [part(8), part(4), part(4), part(4), part(12)].map(|(n, class)| self.of(class, n)).join("-")
    }

    /// A password as people choose them: a third is random, a seventh is words alone.
    pub fn password(&mut self) -> String {
        self.password_of(7)
    }

    /// One that is more than words.
    pub fn strong_password(&mut self) -> String {
        self.password_of(6)
    }

    fn password_of(&mut self, ways: usize) -> String {
        let (one, two) = (self.word(), self.word());
        let capital = one[..1].to_uppercase() + &one[1..];
        match self.below(ways) {
            0 => {
                let length = 10 + self.below(10);
                self.of(ALNUM, length)
            }
            1 => self.of(ALNUM, 6) + &self.of(SYMBOLS, 1) + &self.of(ALNUM, 5),
            2 => format!("{capital}{}{}", 10 + self.below(89), self.of(SYMBOLS, 1)),
            3 => format!("{one}{two}{}", self.of(DIGITS, 3)),
            4 => format!("{}{}", capital.replace('e', "3").replace('a', "4").replace('o', "0"), self.of(DIGITS, 4)),
            5 => format!("{one}-{two}-{}", self.of(DIGITS, 2)),
            _ => format!("{one}{two}"),
        }
    }

    /// Replaces `{w36}` and the like by that many characters of a class.
    pub fn fill(&mut self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            out.push_str(&rest[..open]);
            rest = &rest[open..];
            match self.slot(rest) {
                Some((written, after)) => {
                    out.push_str(&written);
                    rest = &rest[after..];
                }
                None => {
                    out.push('{');
                    rest = &rest[1..];
                }
            }
        }
        out + rest
    }

    fn slot(&mut self, text: &str) -> Option<(String, usize)> {
        let close = text.find('}')?;
        let slot = &text[1..close];
        let written = match slot {
            "uuid" => self.uuid(),
            "word" => self.word().to_owned(),
            "password" => self.password(),
            "strong" => self.strong_password(),
            _ => {
                let class = match slot.chars().next()? {
                    'w' => ALNUM,
                    'l' => LOWER,
                    'u' => UPPER,
                    'a' => LETTERS,
                    'x' => HEX,
                    'd' => DIGITS,
                    'v' => BASE32,
                    'b' => BASE64,
                    'y' => URL64,
                    'k' => BECH32,
                    's' => SYMBOLS,
                    _ => return None,
                };
                let count = slot[1..].parse().ok()?;
                self.of(class, count)
            }
        };
        Some((written, close + 1))
    }
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(bytes)
}
