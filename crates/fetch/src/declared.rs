//! Reading a manifest: every rule checked, every path and URL resolved, every complaint with its place.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use ai_assist_admit::Globs;
use ai_assist_base::platform;
use ai_assist_identity::{DocPath, Sha256, percent};
use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::{Range, Ranged};
use url::Url;

use crate::manifest::{FileEntry, FileEntryObject, Manifest, Sources, VectorsEntry};
use ai_assist_base::json::{JsonError, JsonFile, Warning};

type Result<T> = std::result::Result<T, JsonError>;

/// Where a manifest was found, which decides what it may name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Base {
    /// A file of this machine: it may name other files of it.
    Folder,
    /// Inside a bundle: it can name only what is in there with it.
    Bundle,
    /// Inside a git repository: it may name files of the repository, and URLs.
    Repository,
    Remote(Url),
}

#[derive(Debug, Clone)]
pub struct Declared {
    pub manifest: Manifest,
    pub contents: Contents,
    /// The folder that globs are relative to, if a `baseUrl` names another than the manifest's own.
    pub folder: Option<PathBuf>,
    pub vectors: Option<DeclaredVectors>,
    pub warnings: Vec<Warning>,
}

#[derive(Debug, Clone)]
pub enum Contents {
    Globs(Globs),
    /// Those that are listed, sorted by path.
    Files(Vec<Entry>),
}

/// One file of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The path of the document in the collection.
    pub path: DocPath,
    pub location: Location,
    pub hash: Option<Sha256>,
}

/// Where a file of a package is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// At its path below the folder of the manifest.
    Beside,
    /// On a server.
    Url(Url),
    /// In another folder of this machine.
    File { folder: PathBuf, name: DocPath },
}

/// Vectors that come with a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredVectors {
    pub model: String,
    pub entry: Entry,
}

impl Declared {
    /// Reads a manifest. `name` is what messages call it.
    pub fn read(name: &str, text: &str, base: &Base, max_files: usize) -> Result<Declared> {
        let json = JsonFile::new(name, text);
        let Some(object) = json.object()? else {
            return Err(json.error(Range { start: 0, end: 0 }, "the manifest is empty"));
        };
        Reader { json, base, max_files, warnings: Vec::new() }.whole(&object)
    }

    /// Whether nothing of the package can change without its manifest changing.
    pub fn is_sealed(&self) -> bool {
        match &self.contents {
            Contents::Globs(_) => false,
            Contents::Files(entries) => entries.iter().all(|entry| entry.hash.is_some()),
        }
    }
}

struct Reader<'t> {
    json: JsonFile<'t>,
    base: &'t Base,
    max_files: usize,
    warnings: Vec<Warning>,
}

const KEYS: &[&str] =
    &["$schema", "name", "version", "description", "baseUrl", "dependency", "sources", "vectors", "metadata"];

impl Reader<'_> {
    fn whole(mut self, object: &Object<'_>) -> Result<Declared> {
        self.json.unknown_keys(object, KEYS, &mut self.warnings);
        let name = self.required(object, "name")?;
        let version = self.required(object, "version")?;
        let description = self.optional(object, "description")?;
        let dependency = self.optional(object, "dependency")?;
        let base_url = self.optional(object, "baseUrl")?;
        let prefix = match (object.get("baseUrl"), &base_url) {
            (Some(property), Some(text)) if *self.base != Base::Bundle => Some(self.base_url(property, text)?),
            _ => None,
        };
        let Some(property) = object.get("sources") else {
            return Err(self.json.error(object.range, "the manifest has no `sources`"));
        };
        let (sources, contents) = self.sources(property, prefix.as_ref())?;
        let (raw_vectors, vectors) = match object.get("vectors") {
            Some(property) => {
                let (raw, vectors) = self.vectors(property, prefix.as_ref())?;
                (Some(raw), Some(vectors))
            }
            None => (None, None),
        };
        let metadata = match object.get("metadata").map(|property| &property.value) {
            None => None,
            Some(value @ Value::Object(_)) => self.json.map(value.range()),
            Some(other) => return Err(self.wrong(other.range(), "/metadata", "`metadata` must be an object")),
        };
        let manifest =
            Manifest { name, version, description, base_url, dependency, sources, vectors: raw_vectors, metadata };
        let folder = prefix.as_ref().filter(|url| url.scheme() == "file").and_then(|url| url.to_file_path().ok());
        Ok(Declared { manifest, contents, folder, vectors, warnings: self.warnings })
    }

    fn wrong(&self, range: Range, pointer: &str, message: impl Into<String>) -> JsonError {
        self.json.error(range, message).at(pointer)
    }

    fn required(&self, object: &Object<'_>, key: &str) -> Result<String> {
        match self.optional(object, key)? {
            Some(text) if !text.trim().is_empty() => Ok(text),
            Some(_) => Err(self.wrong(object.range, &format!("/{key}"), format!("`{key}` is empty"))),
            None => Err(self.json.error(object.range, format!("the manifest has no `{key}`"))),
        }
    }

    fn optional(&self, object: &Object<'_>, key: &str) -> Result<Option<String>> {
        let property = object.get(key);
        property.map(|property| self.json.string(property).map_err(|error| error.at(format!("/{key}")))).transpose()
    }

    /// The folder that relative paths are below, with a slash at its end.
    fn base_url(&self, property: &ObjectProp<'_>, text: &str) -> Result<Url> {
        let range = property.value.range();
        let mut url = self.url(range, "/baseUrl", text)?;
        if url.query().is_some() {
            return Err(self.wrong(range, "/baseUrl", "`baseUrl` has a query, and paths can't be put behind one"));
        }
        if !url.path().ends_with('/') {
            let path = format!("{}/", url.path());
            url.set_path(&path);
        }
        Ok(url)
    }

    /// A URL that this manifest may name.
    fn url(&self, range: Range, pointer: &str, text: &str) -> Result<Url> {
        let parsed = match self.base {
            Base::Remote(manifest) => manifest.join(text),
            Base::Folder | Base::Bundle | Base::Repository => Url::parse(text),
        };
        // What does not parse may have a password in it, so it is not shown.
        let mut url = parsed.map_err(|error| self.wrong(range, pointer, format!("this is not a URL: {error}")))?;
        url.set_fragment(None);
        if !url.username().is_empty() || url.password().is_some() {
            return Err(self.wrong(range, pointer, "the URL has a user name or password in it"));
        }
        let refused = match (self.base, url.scheme()) {
            (_, "https") | (Base::Folder, "file") => None,
            (Base::Remote(manifest), "http") if manifest.scheme() == "http" => None,
            (Base::Remote(_), "http") => Some("a manifest that came over https can't name a file at http".to_owned()),
            (Base::Folder | Base::Repository, "http") => None,
            (_, "file") => Some("only a manifest on this machine may name files of it".to_owned()),
            (_, scheme) => Some(format!("files are fetched by https, not by `{scheme}`")),
        };
        match refused {
            Some(message) => Err(self.wrong(range, pointer, message)),
            None => Ok(url),
        }
    }

    fn sources(&mut self, property: &ObjectProp<'_>, prefix: Option<&Url>) -> Result<(Sources, Contents)> {
        let range = property.value.range();
        let Value::Object(object) = &property.value else {
            return Err(self.wrong(range, "/sources", "`sources` must be an object with `glob` or `files`"));
        };
        self.json.unknown_keys(object, &["glob", "files"], &mut self.warnings);
        match (object.get("glob"), object.get("files")) {
            (Some(_), Some(_)) => {
                Err(self.wrong(range, "/sources", "`sources` has both `glob` and `files`; it takes one"))
            }
            (None, None) => Err(self.wrong(range, "/sources", "`sources` has neither `glob` nor `files`")),
            (Some(property), None) => self.globs(property, prefix),
            (None, Some(property)) => self.files(property, prefix),
        }
    }

    fn globs(&self, property: &ObjectProp<'_>, prefix: Option<&Url>) -> Result<(Sources, Contents)> {
        let range = property.value.range();
        if matches!(self.base, Base::Remote(_)) {
            let message = "a manifest that is fetched can't have `glob`, because a server does not list its files; name \
                           them one by one under `files`, or put a bundle there, which `pack` makes of this manifest";
            return Err(self.wrong(range, "/sources/glob", message));
        }
        if prefix.is_some_and(|url| url.scheme() != "file") {
            let message = "`glob` can't be used with a `baseUrl` on a server, because a server does not list its files";
            return Err(self.wrong(range, "/sources/glob", message));
        }
        let Value::Array(array) = &property.value else {
            return Err(self.wrong(range, "/sources/glob", "`glob` must be an array of patterns"));
        };
        let mut patterns = Vec::with_capacity(array.elements.len());
        for (number, value) in array.elements.iter().enumerate() {
            let pointer = format!("/sources/glob/{number}");
            let Value::StringLit(text) = value else {
                return Err(self.wrong(value.range(), &pointer, "a pattern must be a string"));
            };
            let pattern = text.value.clone().into_owned();
            Globs::new(&[&pattern]).map_err(|error| self.wrong(value.range(), &pointer, error.to_string()))?;
            patterns.push(pattern);
        }
        let globs = Globs::new(&patterns).map_err(|error| self.wrong(range, "/sources/glob", error.to_string()))?;
        Ok((Sources::Glob(patterns), Contents::Globs(globs)))
    }

    fn files(&mut self, property: &ObjectProp<'_>, prefix: Option<&Url>) -> Result<(Sources, Contents)> {
        let range = property.value.range();
        let Value::Array(array) = &property.value else {
            return Err(self.wrong(range, "/sources/files", "`files` must be an array"));
        };
        if array.elements.len() > self.max_files {
            let message = format!("{} files are listed; at most {} are taken", array.elements.len(), self.max_files);
            return Err(self.wrong(range, "/sources/files", message));
        }
        let mut raw = Vec::with_capacity(array.elements.len());
        let mut entries: Vec<Entry> = Vec::with_capacity(array.elements.len());
        let mut seen: HashMap<DocPath, usize> = HashMap::with_capacity(array.elements.len());
        for (number, value) in array.elements.iter().enumerate() {
            let pointer = format!("/sources/files/{number}");
            let (entry, resolved) = self.file(value, &pointer, prefix)?;
            raw.push(entry);
            // A URL in a bundle names nothing that is in it.
            let Some(resolved) = resolved else { continue };
            if let Some(first) = seen.insert(resolved.path.clone(), number) {
                let message = format!("`{}` is listed twice; first as /sources/files/{first}", resolved.path);
                return Err(self.wrong(value.range(), &pointer, message));
            }
            entries.push(resolved);
        }
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        Ok((Sources::Files(raw), Contents::Files(entries)))
    }

    fn file(&mut self, value: &Value<'_>, pointer: &str, prefix: Option<&Url>) -> Result<(FileEntry, Option<Entry>)> {
        let object = match value {
            Value::StringLit(text) => {
                let text = text.value.clone().into_owned();
                let entry = self.at_path(value.range(), pointer, &text, None, prefix)?;
                return Ok((FileEntry::Path(text), Some(entry)));
            }
            Value::Object(object) => object,
            other => {
                return Err(self.wrong(other.range(), pointer, "a file is a path, or an object with `path` or `url`"));
            }
        };
        self.json.unknown_keys(object, &["path", "url", "hash"], &mut self.warnings);
        let text = |key: &str| -> Result<Option<(String, Range)>> {
            let Some(property) = object.get(key) else { return Ok(None) };
            let text = self.json.string(property).map_err(|error| error.at(format!("{pointer}/{key}")))?;
            Ok(Some((text, property.value.range())))
        };
        let (path, url, hash) = (text("path")?, text("url")?, text("hash")?);
        let parsed = match &hash {
            Some((hash, range)) => Some(self.hash(*range, &format!("{pointer}/hash"), hash)?),
            None => None,
        };
        let entry = match (&path, &url) {
            (Some(_), Some(_)) => {
                return Err(self.wrong(object.range, pointer, "the file has both `path` and `url`; it takes one"));
            }
            (None, None) => return Err(self.wrong(object.range, pointer, "the file has neither `path` nor `url`")),
            (Some((path, range)), None) => {
                Some(self.at_path(*range, &format!("{pointer}/path"), path, parsed, prefix)?)
            }
            (None, Some(_)) if *self.base == Base::Bundle => {
                let message = format!("{pointer}: a bundle holds its files, so the `url` is ignored");
                self.warnings.push(self.json.warning(object.range, message));
                None
            }
            (None, Some((url, range))) => Some(self.at_url(*range, &format!("{pointer}/url"), url, parsed)?),
        };
        let raw = FileEntryObject { path: path.map(|p| p.0), url: url.map(|u| u.0), hash: hash.map(|h| h.0) };
        Ok((FileEntry::Object(raw), entry))
    }

    fn hash(&self, range: Range, pointer: &str, text: &str) -> Result<Sha256> {
        text.parse().map_err(|error: ai_assist_identity::BadDigest| self.wrong(range, pointer, error.to_string()))
    }

    fn at_path(
        &self,
        range: Range,
        pointer: &str,
        text: &str,
        hash: Option<Sha256>,
        prefix: Option<&Url>,
    ) -> Result<Entry> {
        let path = DocPath::parse(text).map_err(|error| self.wrong(range, pointer, error.to_string()))?;
        let below = match (prefix, self.base) {
            (Some(prefix), _) => Some(prefix.clone()),
            (None, Base::Remote(manifest)) => Some(parent(manifest)),
            (None, Base::Folder | Base::Bundle | Base::Repository) => None,
        };
        let location = match below {
            Some(folder) if folder.scheme() == "file" => {
                Location::File { folder: self.file_path(range, pointer, &folder)?, name: path.clone() }
            }
            Some(folder) => Location::Url(below_url(&folder, &path)),
            None => Location::Beside,
        };
        Ok(Entry { path, location, hash })
    }

    fn at_url(&self, range: Range, pointer: &str, text: &str, hash: Option<Sha256>) -> Result<Entry> {
        if Url::parse(text) == Err(url::ParseError::RelativeUrlWithoutBase) {
            let message = "`url` must be fully qualified; a relative one is a `path`";
            return Err(self.wrong(range, pointer, message));
        }
        let url = self.url(range, pointer, text)?;
        let bad = |error: ai_assist_identity::PathError| self.wrong(range, pointer, error.to_string());
        if url.scheme() == "file" {
            let file = self.file_path(range, pointer, &url)?;
            let path = DocPath::from_relative(&platform::without_root(&file)).map_err(bad)?;
            let name = DocPath::from_relative(Path::new(file.file_name().unwrap_or_default())).map_err(bad)?;
            let folder = file.parent().unwrap_or(Path::new("/")).to_owned();
            return Ok(Entry { path, location: Location::File { folder, name }, hash });
        }
        let host = url.host_str().unwrap_or_default();
        let name = format!("{host}{}", url.path());
        let decoded = percent_decoded(&name);
        let path = DocPath::from_relative(Path::new(&decoded)).map_err(bad)?;
        Ok(Entry { path, location: Location::Url(url), hash })
    }

    fn file_path(&self, range: Range, pointer: &str, url: &Url) -> Result<PathBuf> {
        url.to_file_path().map_err(|()| self.wrong(range, pointer, "this `file:` URL names no file of this machine"))
    }

    fn vectors(&self, property: &ObjectProp<'_>, prefix: Option<&Url>) -> Result<(VectorsEntry, DeclaredVectors)> {
        let Value::Object(object) = &property.value else {
            return Err(self.wrong(property.value.range(), "/vectors", "`vectors` must be an object"));
        };
        let text = |key: &str| -> Result<(String, Range)> {
            let Some(property) = object.get(key) else {
                return Err(self.wrong(object.range, "/vectors", format!("`vectors` has no `{key}`")));
            };
            let text = self.json.string(property).map_err(|error| error.at(format!("/vectors/{key}")))?;
            Ok((text, property.value.range()))
        };
        let (model, path, hash) = (text("model")?, text("path")?, text("hash")?);
        let parsed = self.hash(hash.1, "/vectors/hash", &hash.0)?;
        let entry = self.at_path(path.1, "/vectors/path", &path.0, Some(parsed), prefix)?;
        let raw = VectorsEntry { model: model.0.clone(), path: path.0, hash: hash.0 };
        Ok((raw, DeclaredVectors { model: model.0, entry }))
    }
}

/// The folder of a URL: everything up to the last slash of its path.
fn parent(url: &Url) -> Url {
    let mut folder = url.clone();
    let path = url.path();
    let end = path.rfind('/').map_or(0, |at| at + 1);
    folder.set_path(&path[..end]);
    folder.set_query(None);
    folder.set_fragment(None);
    folder
}

/// A path below a folder's URL. The path's own characters are data: a `?` in a file name begins no query.
fn below_url(folder: &Url, path: &DocPath) -> Url {
    let mut url = folder.clone();
    let encoded = percent::encode_path(&platform::path_bytes(&path.to_path_buf()));
    url.set_path(&format!("{}{encoded}", folder.path()));
    url
}

/// The path that a URL stands for, name by name.
fn percent_decoded(text: &str) -> OsString {
    let decoded = |name: &str| {
        let bytes = percent::decode(name);
        // An encoded slash would become a separator.
        if bytes.contains(&b'/') || bytes.contains(&0) { name.as_bytes().to_vec() } else { bytes }
    };
    platform::os_string(text.split('/').map(decoded).collect::<Vec<_>>().join(&b'/'))
}

#[cfg(test)]
#[path = "declared_tests.rs"]
mod tests;
