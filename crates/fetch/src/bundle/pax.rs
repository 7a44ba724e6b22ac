//! The records of a PAX header: `<length> <key>=<value>\n`, where a value may have newlines in it.

/// What we take from the records about one entry.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Pax {
    pub(super) path: Option<Vec<u8>>,
    pub(super) size: Option<u64>,
    /// The content is not what it seems.
    pub(super) sparse: bool,
}

/// Reads the records, or says what is wrong with them. The `tar` crate can't do it: it takes every newline for an end.
pub(super) fn parse(mut bytes: &[u8]) -> Result<Pax, &'static str> {
    const MALFORMED: &str = "its extended attributes are malformed";
    let mut pax = Pax::default();
    while !bytes.is_empty() {
        let space = bytes.iter().take(20).position(|&b| b == b' ').ok_or(MALFORMED)?;
        let length: usize = number(&bytes[..space]).and_then(|n| n.try_into().ok()).ok_or(MALFORMED)?;
        if length > bytes.len() || length < space + 2 || bytes[length - 1] != b'\n' {
            return Err(MALFORMED);
        }
        let record = &bytes[space + 1..length - 1];
        let equals = record.iter().position(|&b| b == b'=').ok_or(MALFORMED)?;
        let (key, value) = (&record[..equals], &record[equals + 1..]);
        match key {
            b"path" => pax.path = Some(value.to_vec()),
            b"size" => pax.size = Some(number(value).ok_or(MALFORMED)?),
            key if key.starts_with(b"GNU.sparse.") => pax.sparse = true,
            _ => {}
        }
        bytes = &bytes[length..];
    }
    Ok(pax)
}

fn number(digits: &[u8]) -> Option<u64> {
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read() {
        let pax = parse(b"13 path=a\nb/c\n14 comment=x=y\n11 size=512\n").unwrap_err();
        assert_eq!(pax, "its extended attributes are malformed", "a length that lies");
        let pax = parse(b"14 path=a\nb/c\n15 comment=x=y\n12 size=512\n").unwrap();
        assert_eq!(pax, Pax { path: Some(b"a\nb/c".to_vec()), size: Some(512), sparse: false });
        assert!(parse(b"22 GNU.sparse.major=1\n").unwrap().sparse);
        assert_eq!(parse(b"").unwrap(), Pax::default());
    }

    #[test]
    fn malformed_records_are_refused() {
        for bytes in [
            &b"x"[..],
            b" ",
            b"0 a=b\n",
            b"3 =\n",
            b"99999999999999999999999 a=b\n",
            b"18446744073709551615 a=b\n",
            b"-6 a=b\n",
            b"+6 a=b\n",
            b"6 a=bx",
            b"5 ab\n",
            b"2 \n",
            b"10 size=-1\n",
            b"8 size=\n",
        ] {
            assert!(parse(bytes).is_err(), "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    proptest::proptest! {
        #[test]
        fn nothing_panics(bytes in proptest::collection::vec(proptest::sample::select(&b"0123 =\npath"[..]), 0..30)) {
            let _ = parse(&bytes);
        }
    }
}
