//! EPUB books: their chapters in reading order.

use std::collections::{HashMap, HashSet};

use crate::archive::Archive;
use crate::html::tree::{Id, Tree};
use crate::html::{self, Page};
use crate::{ConvertError, Format, Limits, emit, place};

const MIMETYPE: &[u8] = b"application/epub+zip";

pub(crate) fn detect(path: &str, bytes: &[u8]) -> Option<Format> {
    // The first entry of a book is its type, stored: it stands at a fixed place.
    let is_book = bytes.get(30..38) == Some(b"mimetype") && bytes.get(38..58) == Some(MIMETYPE);
    let is_named = path.to_ascii_lowercase().ends_with(".epub");
    (Archive::is(bytes) && (is_book || is_named)).then_some(Format::Epub)
}

pub(crate) fn convert(bytes: &[u8], limits: &Limits) -> Result<String, ConvertError> {
    let mut archive = Archive::open(bytes, limits)?;
    if is_encrypted(&mut archive)? {
        return Err(ConvertError::Encrypted);
    }
    let package_path = package_path(&mut archive, limits)?;
    let package = read_text(&mut archive, &package_path)?.ok_or_else(|| malformed("its package file is missing"))?;
    let package = Package::read(&package, &package_path, limits)?;
    let names = Names::of(&archive);
    let mut text = String::new();
    if let Some(title) = &package.title {
        text.push_str(&format!("# {title}\n"));
    }
    let mut chapters = 0;
    for path in &package.chapters {
        let Some(chapter) = read_text(&mut archive, names.find(path))? else { continue };
        let page = Page::parse_whole(&chapter, limits)?;
        let Some(written) = page.write_chapter(limits) else { continue };
        chapters += 1;
        let title = page.chapter_title().unwrap_or_default();
        place::write(&mut text, "chapter", format!("{chapters} {title}").trim());
        text.push_str(&written);
        if text.len() > limits.max_text {
            break;
        }
    }
    if chapters == 0 {
        return Err(ConvertError::NoText("its chapters are pictures, or missing"));
    }
    emit::cut(&mut text, limits);
    Ok(text)
}

struct Package {
    title: Option<String>,
    /// Paths in the archive, in reading order, each once.
    chapters: Vec<String>,
}

impl Package {
    fn read(text: &str, path: &str, limits: &Limits) -> Result<Self, ConvertError> {
        let tree = Tree::parse(text, true, limits.max_depth)?;
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let named = |id: &Id, name: &str| local(tree.name(*id)) == name;
        let title = tree.below(Tree::ROOT).find(|id| named(id, "title")).map(|id| words(&tree.raw_text(id)));

        let mut files = HashMap::new();
        for id in tree.below(Tree::ROOT).filter(|id| named(id, "item")) {
            let kind = tree.attribute(id, "media-type").unwrap_or_default();
            let is_contents =
                tree.attribute(id, "properties").is_some_and(|all| all.split(' ').any(|one| one == "nav"));
            if kind.contains("html")
                && !is_contents
                && let (Some(name), Some(href)) = (tree.attribute(id, "id"), tree.attribute(id, "href"))
            {
                files.insert(name.into_owned(), resolve(folder, &href));
            }
        }
        let mut seen = HashSet::new();
        let chapters = tree
            .below(Tree::ROOT)
            .filter(|id| named(id, "itemref"))
            .filter_map(|id| files.get(&*tree.attribute(id, "idref")?).cloned())
            .filter(|path| seen.insert(path.clone()))
            .collect();
        Ok(Package { title: title.filter(|title| !title.is_empty()), chapters })
    }
}

/// The names of an archive, also found in another case: books are made on systems that don't tell cases apart.
struct Names {
    exact: HashSet<String>,
    by_lower: HashMap<String, String>,
}

impl Names {
    fn of(archive: &Archive<'_>) -> Self {
        let exact = archive.names().map(str::to_owned).collect();
        let by_lower = archive.names().map(|name| (name.to_lowercase(), name.to_owned())).collect();
        Names { exact, by_lower }
    }

    fn find<'a>(&'a self, path: &'a str) -> &'a str {
        if self.exact.contains(path) {
            return path;
        }
        self.by_lower.get(&path.to_lowercase()).map_or(path, String::as_str)
    }
}

/// Where the archive says that its package file stands.
fn package_path(archive: &mut Archive<'_>, limits: &Limits) -> Result<String, ConvertError> {
    let container = read_text(archive, "META-INF/container.xml")?;
    let container = container.ok_or_else(|| malformed("META-INF/container.xml is missing"))?;
    let tree = Tree::parse(&container, true, limits.max_depth)?;
    let mut paths = tree.below(Tree::ROOT).filter_map(|id| tree.attribute(id, "full-path"));
    paths.next().map(|path| resolve("", &path)).ok_or_else(|| malformed("META-INF/container.xml names no package file"))
}

/// Whether chapters are locked. Fonts that are only scrambled don't count: they are not read.
fn is_encrypted(archive: &mut Archive<'_>) -> Result<bool, ConvertError> {
    let Some(text) = read_text(archive, "META-INF/encryption.xml")? else { return Ok(false) };
    let mut methods = text.split("EncryptionMethod").skip(1);
    Ok(methods.any(|method| {
        let tag = method.split('>').next().unwrap_or(method);
        tag.contains("Algorithm") && !tag.contains("idpf.org/2008/embedding") && !tag.contains("pdf/enc#RC")
    }))
}

fn read_text(archive: &mut Archive<'_>, path: &str) -> Result<Option<String>, ConvertError> {
    let Some(bytes) = archive.read(path)? else { return Ok(None) };
    html::check_size(&bytes)?;
    // Most are UTF-8, and need no second copy.
    let text = String::from_utf8(bytes).unwrap_or_else(|error| html::decode(error.as_bytes()).into_owned());
    Ok(Some(text))
}

/// The path in the archive of an address that stands in a file of a folder.
fn resolve(folder: &str, href: &str) -> String {
    let href = href.split(['#', '?']).next().unwrap_or(href);
    let href = percent_decoded(href);
    let mut parts: Vec<&str> = Vec::new();
    let base = if href.starts_with('/') { "" } else { folder };
    for part in base.split('/').chain(href.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| first == b'%').and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A name without the prefix of its namespace.
fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn malformed(detail: &str) -> ConvertError {
    ConvertError::Malformed { format: "EPUB", detail: detail.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::make;

    const CONTAINER: &str =
        r#"<?xml version="1.0"?><container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>"#;

    fn package(items: &[(&str, &str)]) -> String {
        let manifest: String = items
            .iter()
            .map(|(id, href)| format!("<opf:item id='{id}' href='{href}' media-type='application/xhtml+xml'/>"))
            .collect();
        let spine: String = items.iter().map(|(id, _)| format!("<opf:itemref idref='{id}'/>")).collect();
        format!(
            "<?xml version='1.0'?><opf:package><opf:metadata><dc:title>The\n Book</dc:title></opf:metadata>\
             <opf:manifest>{manifest}<opf:item id='nav' href='nav.xhtml' properties='nav' media-type='application/xhtml+xml'/>\
             <opf:item id='css' href='a.css' media-type='text/css'/></opf:manifest>\
             <opf:spine><opf:itemref idref='nav'/>{spine}<opf:itemref idref='gone'/></opf:spine></opf:package>"
        )
    }

    fn chapter(body: &str) -> String {
        format!(
            "<?xml version='1.0' encoding='utf-8'?><html xmlns='http://www.w3.org/1999/xhtml'><head><title/>\
             <script src='a.js'/></head><body>{body}</body></html>"
        )
    }

    #[test]
    fn chapters_come_in_reading_order() {
        let package = package(&[("b", "text/two%20words.xhtml"), ("a", "../one.xhtml"), ("cover", "cover.xhtml")]);
        let two = chapter(
            "<h1 id='x'><a id='y'/>Second &amp; first</h1><p>Words of two.</p><h2 id='z'>Part</h2><p>More.</p>",
        );
        let one = chapter("<section><header><h1>One</h1></header><p>Words of one.<br/>Next line.</p></section>");
        let cover = chapter("<img src='cover.jpg'/>");
        let bytes = make::zip(&[
            ("mimetype", MIMETYPE),
            ("META-INF/container.xml", CONTAINER.as_bytes()),
            ("OEBPS/book.opf", package.as_bytes()),
            ("One.xhtml", one.as_bytes()),
            ("OEBPS/text/two words.xhtml", two.as_bytes()),
            ("OEBPS/Cover.XHTML", cover.as_bytes()),
            ("OEBPS/nav.xhtml", chapter("<nav><a href='one.xhtml'>One</a></nav>").as_bytes()),
        ]);
        assert_eq!(detect("unnamed", &bytes), Some(Format::Epub));
        let text = convert(&bytes, &Limits::default()).unwrap();
        let wanted = "# The Book\n<!-- chapter 1 Second & first -->\n## Second & first\n\nWords of two.\n\n### Part\n\nMore.\n\
                      <!-- chapter 2 One -->\n## One\n\nWords of one.\nNext line.\n";
        assert_eq!(text, wanted);
        assert_eq!(place::at(&text, text.find("More.").unwrap()), Some("chapter 1 Second & first"));
    }

    #[test]
    fn books_that_can_not_be_read_say_why() {
        let package = package(&[("a", "a.xhtml")]);
        let chapter = chapter("<p>Text.</p>");
        let book = |more: &[(&str, &[u8])]| {
            let mut entries: Vec<(&str, &[u8])> = vec![
                ("mimetype", MIMETYPE),
                ("META-INF/container.xml", CONTAINER.as_bytes()),
                ("OEBPS/book.opf", package.as_bytes()),
            ];
            entries.extend_from_slice(more);
            convert(&make::zip(&entries), &Limits::default())
        };
        assert!(book(&[("OEBPS/a.xhtml", chapter.as_bytes())]).is_ok());
        assert!(matches!(book(&[]), Err(ConvertError::NoText(_))));
        let locked = b"<enc:EncryptionMethod Algorithm='http://www.w3.org/2001/04/xmlenc#aes128-cbc'/>";
        let fonts = b"<enc:EncryptionMethod Algorithm='http://www.idpf.org/2008/embedding'/>".as_slice();
        let fonts_too = b"<enc:EncryptionMethod Algorithm='http://ns.adobe.com/pdf/enc#RC'/>".as_slice();
        for (encryption, is_locked) in [(locked.as_slice(), true), (fonts, false), (fonts_too, false)] {
            let found = book(&[("OEBPS/a.xhtml", chapter.as_bytes()), ("META-INF/encryption.xml", encryption)]);
            assert_eq!(found == Err(ConvertError::Encrypted), is_locked);
        }
        let empty = convert(&make::zip(&[("mimetype", MIMETYPE)]), &Limits::default());
        assert!(matches!(empty, Err(ConvertError::Malformed { format: "EPUB", .. })));
    }

    #[test]
    fn a_bomb_of_chapters_is_stopped() {
        let package = package(&[("a", "a.xhtml")]);
        let blanks = vec![b' '; 5 << 20];
        let bytes = make::zip(&[
            ("mimetype", MIMETYPE),
            ("META-INF/container.xml", CONTAINER.as_bytes()),
            ("OEBPS/book.opf", package.as_bytes()),
            ("OEBPS/a.xhtml", &blanks),
        ]);
        assert!(matches!(convert(&bytes, &Limits::default()), Err(ConvertError::TooLarge { .. })));
    }

    #[test]
    fn addresses_are_paths_of_the_archive() {
        for (folder, href, path) in [
            ("OEBPS", "a.xhtml#x", "OEBPS/a.xhtml"),
            ("OEBPS/x", "../a%20b.xhtml", "OEBPS/a b.xhtml"),
            ("", "./a.xhtml", "a.xhtml"),
            ("a", "/b.xhtml", "b.xhtml"),
            ("", "../../etc/passwd", "etc/passwd"),
            ("", "100%.xhtml", "100%.xhtml"),
        ] {
            assert_eq!(resolve(folder, href), path);
        }
    }
}
