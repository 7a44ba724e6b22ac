//! Sitemaps: lists of pages, and lists of such lists.

use std::io::Read;

use flate2::read::MultiGzDecoder;

use super::html::{looks_like_html, unescape};

/// What the standard allows one to have, unpacked.
pub(super) const MOST_BYTES: u64 = 50 << 20;

/// What a sitemap names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Sitemap {
    pub(super) is_index: bool,
    pub(super) locations: Vec<String>,
}

/// Reads a sitemap: XML or a plain list of URLs, packed or not. Nothing for what is neither.
pub(super) fn read(bytes: Vec<u8>) -> Option<Sitemap> {
    let bytes = if bytes.starts_with(&[0x1f, 0x8b]) { unpacked(&bytes)? } else { bytes };
    if looks_like_html(&bytes) && find_tag(&bytes, b"urlset").is_none() && find_tag(&bytes, b"sitemapindex").is_none() {
        return None;
    }
    let text = String::from_utf8_lossy(&bytes);
    if text.trim_start_matches('\u{feff}').trim_start().starts_with('<') {
        return Some(Sitemap { is_index: find_tag(&bytes, b"sitemapindex").is_some(), locations: locations(&text) });
    }
    let is_url = |line: &&str| line.starts_with("http://") || line.starts_with("https://");
    let locations: Vec<String> = text.lines().map(str::trim).filter(is_url).map(str::to_owned).collect();
    (!locations.is_empty()).then_some(Sitemap { is_index: false, locations })
}

/// What a packed sitemap holds, unless that is too much.
fn unpacked(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    MultiGzDecoder::new(bytes).take(MOST_BYTES + 1).read_to_end(&mut out).ok()?;
    (out.len() as u64 <= MOST_BYTES).then_some(out)
}

fn find_tag(bytes: &[u8], name: &[u8]) -> Option<usize> {
    let head = bytes.get(..bytes.len().min(4096))?;
    head.windows(name.len() + 1).position(|it| it[0] == b'<' && &it[1..] == name)
}

/// The texts of all elements `loc`. Those of images and videos are called otherwise (`image:loc`).
fn locations(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("<loc") {
        rest = &rest[at + 4..];
        if !rest.starts_with(['>', ' ', '\t', '\r', '\n']) {
            continue;
        }
        let Some(open) = rest.find('>') else { break };
        rest = &rest[open + 1..];
        let Some(close) = rest.find("</loc") else { break };
        let inner = rest[..close].trim();
        let plain = inner.strip_prefix("<![CDATA[").and_then(|it| it.strip_suffix("]]>"));
        found.push(plain.map_or_else(|| unescape(inner), |plain| plain.trim().to_owned()));
        rest = &rest[close..];
    }
    found
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    const MAP: &str = "<?xml version=\"1.0\"?><!-- made by x --><urlset xmlns=\"s\">\
        <url><loc> https://h/a?x=1&amp;y=2 </loc><image:loc>https://h/i.png</image:loc></url>\
        <url><loc><![CDATA[https://h/b]]></loc><lastmod>2026-01-01</lastmod></url></urlset>";

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn every_form_is_read() {
        let expected = Sitemap { is_index: false, locations: vec!["https://h/a?x=1&y=2".into(), "https://h/b".into()] };
        assert_eq!(read(MAP.into()).as_ref(), Some(&expected));
        assert_eq!(read(packed(MAP.as_bytes())).as_ref(), Some(&expected));
        let index = "<sitemapindex><sitemap><loc>https://h/1.xml</loc></sitemap></sitemapindex>";
        assert!(read(index.into()).unwrap().is_index);
        assert_eq!(read("https://h/a\nx\nhttps://h/b\n".into()).unwrap().locations, ["https://h/a", "https://h/b"]);
    }

    #[test]
    fn what_is_no_sitemap_is_none() {
        for text in ["<!DOCTYPE html><html>not found</html>", "", "hello"] {
            assert_eq!(read(text.into()), None, "{text}");
        }
        assert_eq!(read(vec![0x1f, 0x8b, 1, 2, 3]), None);
        let bomb = packed(&vec![b'<'; (MOST_BYTES + 1) as usize]);
        assert!(bomb.len() < 1 << 20);
        assert_eq!(read(bomb), None, "a bomb");
    }
}
