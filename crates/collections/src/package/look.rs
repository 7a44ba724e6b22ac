//! From a URL to an open package.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

use ai_assist_admit::{Globs, IGNORE_FILES};
use ai_assist_base::{ReadError, read_bounded};
use ai_assist_fetch::{
    Answer, BadCommit, Base, BundleKind, Commit, Contents, Declared, Downloaded, GitOptions, GitSource, Location,
    MANIFEST_FILE, Manifest, Request, Sources, unpack_heap,
};
use ai_assist_identity::{DocPath, PackageUrl, Sha256, Sha256Builder, UrlScheme};
use ai_assist_store::{PackageRecord, Validators};
use url::Url;

use super::{Ask, Looked, Package, Place};
use crate::project::DEFAULT_GLOB;
use crate::{Error, Result, SyncEvent};

/// A leftover of a sync that was killed is cleared away after this long.
const LEFTOVER: std::time::Duration = std::time::Duration::from_secs(24 * 3600);

pub fn check_package_url(url: &PackageUrl) -> Result<()> {
    match url.scheme() {
        UrlScheme::GitHttps | UrlScheme::GitSsh | UrlScheme::GitFile => match GitSource::parse(url) {
            Ok(_) => Ok(()),
            Err(source) => Err(Error::Git { url: url.to_string(), source }),
        },
        UrlScheme::File | UrlScheme::Https | UrlScheme::Http => kind(url.as_str()).map(|_| ()),
    }
}

/// What lies at a URL, going by its name: a bundle, or a manifest.
pub(super) fn kind(url: &str) -> Result<Option<BundleKind>> {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    match BundleKind::of(path).or_else(|| of_github(path)) {
        None if !path.to_ascii_lowercase().ends_with(".json") => Err(Error::UnknownPackageKind(path.to_owned())),
        kind => Ok(kind),
    }
}

/// The archives that GitHub makes of a repository, whose names say it in the middle: `/tarball/v1.0`, `/zip/refs/heads/main`.
fn of_github(url: &str) -> Option<BundleKind> {
    let (host, path) = url.strip_prefix("https://")?.split_once('/')?;
    let mut parts = path.split('/').skip(usize::from(host == "api.github.com") + 2);
    match (host, parts.next()?) {
        ("github.com" | "api.github.com", "tarball") => Some(BundleKind::TarGz),
        ("github.com" | "api.github.com", "zipball") => Some(BundleKind::Zip),
        ("codeload.github.com", "tar.gz" | "legacy.tar.gz") => Some(BundleKind::TarGz),
        ("codeload.github.com", "zip" | "legacy.zip") => Some(BundleKind::Zip),
        _ => None,
    }
}

impl Ask<'_> {
    /// Looks at the package, asking the network as little as it can.
    pub(crate) fn look(&self, progress: &mut dyn FnMut(SyncEvent<'_>)) -> Result<Looked> {
        if matches!(self.url.scheme(), UrlScheme::GitHttps | UrlScheme::GitSsh | UrlScheme::GitFile) {
            return git(self, progress);
        }
        let kind = kind(self.url.as_str())?;
        let path = (self.url.scheme() == UrlScheme::File).then(|| self.url.file_path()).flatten();
        match (path.map(|path| path.to_path_buf()), kind) {
            (Some(path), None) => manifest_file(self, &path),
            (Some(path), Some(kind)) => bundle_file(self, &path, kind),
            (None, None) => manifest_url(self, progress),
            (None, Some(kind)) => bundle_url(self, kind, progress),
        }
    }

    fn request(&self, validators: Option<&Validators>) -> Result<Request> {
        let url = Url::parse(self.url.as_str()).map_err(|error| self.bad(error.to_string()))?;
        let validators = validators.cloned().unwrap_or_default();
        Ok(Request { validators, ..Request::by_user(url) })
    }

    /// Whether bytes with this hash are what is known, whole.
    fn is_known(&self, hash: Sha256) -> bool {
        self.known.is_some_and(|known| known.complete && known.hash == Some(hash))
    }

    fn check(&self, found: Sha256) -> Result<()> {
        match self.hash {
            Some(expected) if expected != found => {
                Err(Error::PackageHash { url: self.url.to_string(), expected, found })
            }
            _ => Ok(()),
        }
    }

    fn max_files(&self) -> usize {
        self.client.limits().max_files
    }

    fn bad(&self, reason: impl Into<String>) -> Error {
        Error::BadPackage { url: self.url.to_string(), reason: reason.into() }
    }

    fn read(&self, name: &str, bytes: &[u8], base: &Base) -> Result<(Declared, String)> {
        let Ok(decoded) = ai_assist_text::decode(bytes) else {
            return Err(self.bad(format!("{name} is not text")));
        };
        let text = decoded.text.into_owned();
        Ok((Declared::read(name, &text, base, self.max_files())?, text))
    }

    /// A folder for this sync only. Those that were left behind by killed processes go.
    fn temporary(&self) -> Result<tempfile::TempDir> {
        let folder = self.temporary;
        std::fs::create_dir_all(folder).map_err(Error::io("creating", folder))?;
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let age = entry.metadata().ok().and_then(|found| found.modified().ok()).and_then(|at| at.elapsed().ok());
            if age.is_some_and(|age| age > LEFTOVER) {
                // Another process may be at it too.
                let _ = std::fs::remove_dir_all(entry.path());
            }
        }
        tempfile::Builder::new().prefix("package-").tempdir_in(folder).map_err(Error::io("creating", folder))
    }
}

fn record(declared: &Declared, hash: Option<Sha256>, manifest: String) -> PackageRecord {
    PackageRecord {
        name: declared.manifest.name.clone(),
        version: declared.manifest.version.clone(),
        hash,
        manifest,
        ..PackageRecord::default()
    }
}

fn manifest_file(ask: &Ask<'_>, path: &Path) -> Result<Looked> {
    let bytes = read_capped(path, ask.client.limits().max_manifest_bytes)?;
    let hash = Sha256::of(&bytes);
    ask.check(hash)?;
    let (declared, text) = ask.read(&path.display().to_string(), &bytes, &Base::Folder)?;
    if declared.is_sealed() && ask.is_known(hash) {
        return Ok(Looked::Unchanged(None));
    }
    let folder = path.parent().unwrap_or(Path::new("/")).to_owned();
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let record = record(&declared, Some(hash), text);
    Ok(Looked::Found(Package { declared, record, place: Place::Folder(folder, name), too_large: Vec::new() }))
}

pub(crate) fn read_capped(path: &Path, limit: u64) -> Result<Vec<u8>> {
    read_bounded(path, limit).map_err(|error| match error {
        ReadError::NotAFile => Error::NotAFile(path.to_owned()),
        ReadError::TooLarge(limit) => Error::ManifestTooLarge { path: path.to_owned(), limit },
        error => Error::io("reading", path)(error.into()),
    })
}

fn manifest_url(ask: &Ask<'_>, progress: &mut dyn FnMut(SyncEvent<'_>)) -> Result<Looked> {
    progress(SyncEvent::Asking("manifest"));
    let limit = ask.client.limits().max_manifest_bytes;
    let request = ask.request(ask.known.map(|known| &known.validators))?;
    let base = Base::Remote(request.url.clone());
    let answer = ask.client.get(&request, limit, ask.cancel)?;
    let (bytes, hash, validators, private) = match (answer, ask.known) {
        (Answer::NotModified { private }, Some(known)) => {
            let hash = known.hash.unwrap_or_else(|| Sha256::of(known.manifest.as_bytes()));
            (known.manifest.clone().into_bytes(), hash, known.validators.clone(), private)
        }
        // Nobody asked for that answer.
        (Answer::NotModified { .. }, None) => return Err(ask.bad("the server answered that it has not changed")),
        (Answer::Body(body), _) => {
            let hash = Sha256::of(&body.bytes);
            (body.bytes, hash, body.validators, body.private)
        }
    };
    ask.check(hash)?;
    let (declared, text) = ask.read(ask.url.as_str(), &bytes, &base)?;
    if declared.is_sealed() && ask.is_known(hash) {
        return Ok(Looked::Unchanged(Some(validators)));
    }
    let mut record = record(&declared, Some(hash), text);
    record.validators = validators;
    record.private = private;
    Ok(Looked::Found(Package { declared, record, place: Place::Remote(request.url), too_large: Vec::new() }))
}

fn bundle_url(ask: &Ask<'_>, kind: BundleKind, progress: &mut dyn FnMut(SyncEvent<'_>)) -> Result<Looked> {
    progress(SyncEvent::Asking("bundle"));
    // Half of a bundle is of no use, so its validators count only if all of it was taken in.
    let known = ask.known.filter(|known| known.complete);
    let request = ask.request(known.map(|known| &known.validators))?;
    let mut file = tempfile::tempfile_in(ask.temporary()?.path()).map_err(Error::io("creating", ask.temporary))?;
    let limit = ask.client.limits().max_total_bytes;
    let mut seen = 0;
    let downloaded = ask.client.download(&request, limit, &mut file, ask.cancel, &mut |bytes, _| {
        progress(SyncEvent::Fetched(bytes.saturating_sub(seen)));
        seen = bytes.max(seen);
    })?;
    let Downloaded::Whole { hash, validators, private, .. } = downloaded else {
        return Ok(Looked::Unchanged(None));
    };
    ask.check(hash)?;
    if ask.is_known(hash) {
        return Ok(Looked::Unchanged(Some(validators)));
    }
    file.rewind().map_err(Error::io("reading", ask.temporary))?;
    let mut package = unpacked(ask, file, kind, hash)?;
    package.record.validators = validators;
    package.record.private = private;
    Ok(Looked::Found(package))
}

fn bundle_file(ask: &Ask<'_>, path: &Path, kind: BundleKind) -> Result<Looked> {
    let mut file = File::open(path).map_err(Error::io("reading", path))?;
    if !file.metadata().map_err(Error::io("reading", path))?.is_file() {
        return Err(Error::NotAFile(path.to_owned()));
    }
    let mut hasher = Sha256Builder::new();
    let mut block = vec![0; 1 << 16];
    loop {
        match file.read(&mut block).map_err(Error::io("reading", path))? {
            0 => break,
            read => hasher.update(&block[..read]),
        };
    }
    let hash = hasher.finish();
    ask.check(hash)?;
    if ask.is_known(hash) {
        return Ok(Looked::Unchanged(None));
    }
    file.rewind().map_err(Error::io("reading", path))?;
    Ok(Looked::Found(unpacked(ask, file, kind, hash)?))
}

fn unpacked(ask: &Ask<'_>, archive: File, kind: BundleKind, hash: Sha256) -> Result<Package> {
    let bundle = |source| Error::Bundle { url: ask.url.to_string(), source };
    let limits = ask.client.limits();
    let staging = tempfile::tempfile_in(ask.temporary()?.path()).map_err(Error::io("creating", ask.temporary))?;
    let (staging, unpacked) = unpack_heap(archive, kind, staging, limits, ask.cancel).map_err(bundle)?;
    let manifest = DocPath::parse(MANIFEST_FILE)?;
    let (declared, text) = match staging.read(&manifest).map_err(Error::io("reading", ask.temporary))? {
        Some(bytes) if bytes.len() as u64 > limits.max_manifest_bytes => {
            return Err(ask.bad(format!("its manifest is larger than {} bytes", limits.max_manifest_bytes)));
        }
        Some(bytes) => ask.read(&format!("{}!{MANIFEST_FILE}", ask.url), &bytes, &Base::Bundle)?,
        None if unpacked.files == 0 => {
            return Err(ask.bad(format!("the bundle has no {MANIFEST_FILE} at its root, and no other file")));
        }
        // An archive of a folder that nobody made a package of, taken as a repository without a manifest is.
        None => {
            let name = unpacked.top.clone().unwrap_or_else(|| file_stem(ask.url.as_str(), kind));
            (globbed(name, hash.hex().chars().take(12).collect(), &[])?, String::new())
        }
    };
    let record = record(&declared, Some(hash), text);
    let too_large = unpacked.too_large.iter().map(|path| path.as_str().to_owned()).collect();
    let place = match &declared.contents {
        Contents::Files(_) => Place::Staging(staging),
        // Globs are matched by the walk, with all its rules, and that needs a folder.
        Contents::Globs(_) => {
            let folder = ask.temporary()?;
            staging.write_out(folder.path(), limits).map_err(|error| bundle(error.into()))?;
            let root = folder.path().to_owned();
            Place::Temporary(folder, root, staging.contains(&manifest).then(|| MANIFEST_FILE.to_owned()))
        }
    };
    Ok(Package { declared, record, place, too_large })
}

fn git(ask: &Ask<'_>, progress: &mut dyn FnMut(SyncEvent<'_>)) -> Result<Looked> {
    let git_error = |source| Error::Git { url: ask.url.to_string(), source };
    let source = GitSource::parse(ask.url).map_err(git_error)?;
    let limits = ask.client.limits();
    // What stands beside a manifest or below it, or what globs may select, with the files that narrow their choice.
    let globs = match source.globs() {
        [] => None,
        globs => Some(Globs::new(globs)?),
    };
    let beside = source.manifest().and_then(|manifest| manifest.as_str().rsplit_once('/')).map(|(folder, _)| folder);
    let wanted = |path: &DocPath| match (&globs, beside) {
        (Some(globs), _) => globs.matches(path.as_str()) || IGNORE_FILES.contains(&path.file_name()),
        (None, Some(folder)) => path.as_str().strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')),
        (None, None) => true,
    };
    std::fs::create_dir_all(ask.temporary).map_err(Error::io("creating", ask.temporary))?;
    let address = match ask.url.as_str().strip_prefix("git+").filter(|url| url.starts_with("https:")) {
        Some(url) => {
            let url = Url::parse(url).map_err(|error| ask.bad(error.to_string()))?;
            ask.client.public_address(&url)?
        }
        None => None,
    };
    let options = GitOptions {
        timeout: limits.total_timeout,
        offline: ask.client.is_offline(),
        cancel: ask.cancel,
        interactive: false,
        address: address.as_deref(),
        scratch: ask.temporary,
        wanted: &wanted,
        env: &[],
    };
    let commit: Commit = match ask.revision {
        Some(revision) => revision.parse().map_err(|error: BadCommit| ask.bad(error.to_string()))?,
        None => {
            progress(SyncEvent::Asking("commit"));
            source.resolve(&options).map_err(git_error)?
        }
    };
    let same = |known: &PackageRecord| {
        // What came out of a vendor folder came without its manifest.
        let is_unread = known.manifest.is_empty() && known.hash.is_some();
        // Before there was a word for documents of every format, the same commit was fewer of them.
        let is_fewer = known.hash.is_none() && known.manifest != unsaid_glob(&source);
        let is_there = known.complete && known.revision.as_deref() == Some(commit.as_str());
        is_there && !is_unread && !is_fewer && !may_move(ask, &known.manifest)
    };
    if ask.known.is_some_and(same) {
        return Ok(Looked::Unchanged(None));
    }
    progress(SyncEvent::Asking("files"));
    let folder = ask.temporary()?;
    let checked_out = source.check_out(&commit, folder.path(), &options, limits).map_err(git_error)?;
    let too_large = checked_out.files.too_large.iter().map(|path| path.as_str().to_owned()).collect();
    let default = folder.path().join(MANIFEST_FILE);
    let manifest = match source.manifest() {
        Some(path) => Some(folder.path().join(path.to_path_buf())),
        None if source.globs().is_empty() && default.is_file() => Some(default),
        None => None,
    };
    let (declared, mut record, root, name) = match manifest {
        Some(file) => {
            if !file.is_file() {
                let name = file.strip_prefix(folder.path()).unwrap_or(&file).display().to_string();
                return Err(ask.bad(format!("commit {commit} has no {name}")));
            }
            let bytes = read_capped(&file, limits.max_manifest_bytes)?;
            let hash = Sha256::of(&bytes);
            ask.check(hash)?;
            let (declared, text) = ask.read(ask.url.as_str(), &bytes, &Base::Repository)?;
            let root = file.parent().unwrap_or(folder.path()).to_owned();
            let name = file.file_name().map(|name| name.to_string_lossy().into_owned());
            let record = record(&declared, Some(hash), text);
            (declared, record, root, name)
        }
        None if ask.hash.is_some() => {
            let neither = "`hash` is of a manifest or bundle, and here is neither; pin the commit: `#COMMIT`";
            return Err(ask.bad(neither));
        }
        None => {
            let declared = by_globs(ask, &source, &commit)?;
            let record = record(&declared, None, unsaid_glob(&source).to_owned());
            (declared, record, folder.path().to_owned(), None)
        }
    };
    record.revision = Some(commit.to_string());
    Ok(Looked::Found(Package { declared, record, place: Place::Temporary(folder, root, name), too_large }))
}

/// The glob that a repository without a manifest is read by, if its URL has none: in the place of the manifest it is kept with what is known.
fn unsaid_glob(source: &GitSource) -> &'static str {
    if source.globs().is_empty() { DEFAULT_GLOB } else { "" }
}

/// Whether a manifest in a repository names files elsewhere that can change while the commit stays.
fn may_move(ask: &Ask<'_>, manifest: &str) -> bool {
    let Ok(declared) = Declared::read("manifest", manifest, &Base::Repository, ask.max_files()) else { return false };
    match &declared.contents {
        Contents::Globs(_) => false,
        Contents::Files(entries) => {
            entries.iter().any(|entry| entry.hash.is_none() && matches!(entry.location, Location::Url(_)))
        }
    }
}

/// What an archive is called, without what says how it is packed.
fn file_stem(url: &str, kind: BundleKind) -> String {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    let ending = [kind.extension(), ".tgz", ".tzst"].into_iter().find(|end| name.to_ascii_lowercase().ends_with(end));
    let stem = ending.map_or(name, |ending| &name[..name.len() - ending.len()]);
    if stem.is_empty() { "archive".to_owned() } else { stem.to_owned() }
}

/// The package that globs make of a repository.
fn by_globs(ask: &Ask<'_>, source: &GitSource, commit: &Commit) -> Result<Declared> {
    let path = ask.url.as_str().split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".git");
    globbed(name.to_owned(), commit.as_str().chars().take(12).collect(), source.globs())
}

/// A package that has no manifest of its own: the files that some globs take, or the usual one if there are none.
fn globbed(name: String, version: String, globs: &[String]) -> Result<Declared> {
    let patterns = match globs {
        [] => vec![DEFAULT_GLOB.to_owned()],
        globs => globs.to_vec(),
    };
    let contents = Contents::Globs(Globs::new(&patterns)?);
    let manifest = Manifest {
        name,
        version,
        description: None,
        base_url: None,
        dependency: None,
        sources: Sources::Glob(patterns),
        vectors: None,
        metadata: None,
    };
    Ok(Declared { manifest, contents, folder: None, vectors: None, warnings: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_at_a_url_is_told_by_its_name() {
        for (url, expected) in [
            ("https://x/manifest.json", None),
            ("https://x/a.tar.gz?y=.zip", Some(BundleKind::TarGz)),
            ("file:///x/A.Zip", Some(BundleKind::Zip)),
            ("https://github.com/o/n/archive/refs/tags/v1.0.zip", Some(BundleKind::Zip)),
            ("https://github.com/o/n/tarball/main", Some(BundleKind::TarGz)),
            ("https://api.github.com/repos/o/n/zipball", Some(BundleKind::Zip)),
            ("https://codeload.github.com/o/n/legacy.tar.gz/refs/heads/main", Some(BundleKind::TarGz)),
            ("https://codeload.github.com/o/n/zip/refs/tags/v1", Some(BundleKind::Zip)),
        ] {
            assert_eq!(kind(url).unwrap(), expected, "{url}");
        }
        for url in [
            "https://x/docs",
            "https://example.com/o/n/tarball/main",
            "https://github.com/tarball/n/x",
            "https://github.com.example/o/n/tarball/x",
        ] {
            assert!(matches!(kind(url), Err(Error::UnknownPackageKind(_))), "{url}");
        }
    }

    #[test]
    fn an_archive_without_a_manifest_is_named_after_its_file() {
        for (url, kind, name) in [
            ("https://x/docs-1.0.zip?a", BundleKind::Zip, "docs-1.0"),
            ("file:///x/Docs.TGZ", BundleKind::TarGz, "Docs"),
            ("file:///x/docs.tar.zst", BundleKind::TarZst, "docs"),
            ("https://codeload.github.com/o/n/zip/main", BundleKind::Zip, "main"),
            ("file:///x/.zip", BundleKind::Zip, "archive"),
        ] {
            assert_eq!(file_stem(url, kind), name, "{url}");
        }
    }
}
