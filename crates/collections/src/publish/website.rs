//! A package of a website, so that one person crawls it and many read it.

use std::collections::{BTreeMap, HashSet};

use ai_assist_base::Cancel;
use ai_assist_fetch::site::page_urls;
use ai_assist_fetch::{FileEntry, MANIFEST_FILE, Manifest, Sources};
use ai_assist_identity::DocPath;

use super::pack::{OnSecret, PackOptions, Packed, pack};
use crate::site_pages::PAGES_KEY;
use crate::{Error, Library, Member, Resolved, Result};

impl Library {
    /// Packs what is indexed of a website: the texts of its pages, with their URLs beside them.
    pub fn pack_site(&self, member: &Member, options: &PackOptions, cancel: &Cancel) -> Result<Packed> {
        let Resolved::Site { scope, .. } = &member.resolved else {
            return Err(Error::NotAWebsite(member.name.clone()));
        };
        let id = self.read_by(member)?;
        let Some(package) = self.store().package(&id)? else { return Err(Error::NotSynced(member.name.clone())) };
        let temporary = self.roots().cache.join("tmp");
        std::fs::create_dir_all(&temporary).map_err(Error::io("creating", &temporary))?;
        let folder = tempfile::Builder::new().prefix("pack-").tempdir_in(&temporary);
        let folder = folder.map_err(Error::io("creating", &temporary))?;
        let urls = page_urls(&package.manifest);
        let (mut pages, mut taken) = (BTreeMap::new(), HashSet::new());
        for info in self.store().list_documents(&id)? {
            if cancel.is_cancelled() {
                return Err(Error::Cancelled);
            }
            let Some(document) = self.store().document(&id, &info.path)? else { continue };
            let path = packed_path(&info.path, &document.text, &mut taken);
            let file = folder.path().join(path.to_path_buf());
            let above = file.parent().unwrap_or(folder.path());
            std::fs::create_dir_all(above).map_err(Error::io("creating", above))?;
            std::fs::write(&file, document.text.as_bytes()).map_err(Error::io("writing", &file))?;
            pages.insert(path.to_string(), urls.get(info.path.as_str()).cloned().unwrap_or_default());
        }
        let metadata = [
            ("site".to_owned(), scope.start().as_str().into()),
            (PAGES_KEY.to_owned(), serde_json::to_value(&pages).unwrap_or_default()),
        ];
        let manifest = Manifest {
            name: member.name.clone(),
            version: package.version,
            description: Some(format!("Pages of {}", scope.start())),
            base_url: None,
            dependency: None,
            sources: Sources::Files(pages.keys().cloned().map(FileEntry::Path).collect()),
            vectors: None,
            metadata: Some(metadata.into_iter().collect()),
        };
        let file = folder.path().join(MANIFEST_FILE);
        // Plain data, whose keys are texts.
        let text = serde_json::to_string_pretty(&manifest).unwrap_or_default();
        std::fs::write(&file, text).map_err(Error::io("writing", &file))?;
        // What was taken out when the pages were read is out already.
        pack(&PackOptions { manifest: file, on_secret: OnSecret::Redact, ..options.clone() }, cancel)
    }
}

/// Endings of formats whose text is no longer theirs once they are read.
const CONVERTED: [&str; 11] = ["html", "htm", "xhtml", "pdf", "ipynb", "epub", "docx", "pptx", "xlsx", "odt", "tex"];

/// What a document is called in a package: by what its text is now, which is Markdown where it was converted.
fn packed_path(path: &DocPath, text: &str, taken: &mut HashSet<DocPath>) -> DocPath {
    let start = text.trim_start().get(..200).unwrap_or(text).to_ascii_lowercase();
    let is_markup = start.starts_with("<!doctype") || start.starts_with("<html") || start.starts_with("<head");
    let ending = path.file_name().rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let is_converted = ending.as_deref().is_some_and(|ending| CONVERTED.contains(&ending)) && !is_markup;
    let stem = path.as_str().rsplit_once('.').map_or(path.as_str(), |(stem, _)| stem);
    let plain = if is_converted { format!("{stem}.md") } else { path.as_str().to_owned() };
    let names = [plain, format!("{path}.md")].into_iter().filter(|name| name != MANIFEST_FILE);
    let free = names.filter_map(|name| DocPath::parse(&name).ok()).find(|name| !taken.contains(name));
    let path = free.unwrap_or_else(|| path.clone());
    taken.insert(path.clone());
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_converted_page_is_called_what_it_is() {
        let mut taken = HashSet::new();
        for (path, text, expected) in [
            ("a.html", "# A\n", "a.md"),
            ("b.html", "<!DOCTYPE html><p>", "b.html"),
            ("a.md", "# Other\n", "a.md.md"),
            ("c.txt", "text", "c.txt"),
            ("d/e.pdf", "<!-- page 1 -->\ntext", "d/e.md"),
            ("manifest.json", "{}", "manifest.json.md"),
        ] {
            assert_eq!(packed_path(&DocPath::parse(path).unwrap(), text, &mut taken).as_str(), expected, "{path}");
        }
    }
}
