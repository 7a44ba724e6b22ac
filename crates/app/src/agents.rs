//! Sources that an agent adds: only if the user lets agents do so, and only what can't reach further than the agent could before.
//!
//! A text that an agent has read may tell it what to add. So a source is a folder of the project that an index of it would hold, a
//! package of a registry, the documents of a dependency, or something at a public address, whatever the user has allowed.

use std::fmt;
use std::path::{Component, Path, PathBuf};

use ai_assist_admit::{Globs, Selection, Verdict, explain};
use ai_assist_base::{Cancel, RealPath};
use ai_assist_collections::{Consent, Resolved, leads_inside};
use ai_assist_identity::{DocPath, PackageUrl, UrlScheme, shown_url};
use ai_assist_repo::local_repo::LocalRepo;

use crate::consent::boundary;
use crate::{AddSource, Added, AddedAs, Error, Project, Result, Source, is_site_url};

/// Why an agent may not add a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotForAgents {
    /// The user has not said that agents may.
    NotAllowed {
        source: String,
        consent: Consent,
    },
    Outside(String),
    /// A folder that an index of the project would not hold, and the rule that keeps it out.
    Ignored {
        source: String,
        rule: String,
    },
    /// An address of this machine or this network.
    Private(String),
    /// Something that is not reached over HTTPS.
    NotHttps(String),
}

impl fmt::Display for NotForAgents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotForAgents::NotAllowed { source, .. } => {
                write!(f, "`{source}` was not added: the user has not allowed agents to add sources")
            }
            NotForAgents::Outside(source) => write!(f, "`{source}` lies outside of the project"),
            NotForAgents::Ignored { source, rule } => {
                write!(f, "an index of the project leaves `{source}` out ({rule})")
            }
            NotForAgents::Private(source) => write!(f, "`{source}` is at an address of this machine or this network"),
            NotForAgents::NotHttps(source) => write!(f, "`{source}` is not reached over HTTPS"),
        }
    }
}

/// What an agent asks for.
#[derive(Debug, Clone)]
pub struct AgentSource {
    pub source: String,
    pub name: Option<String>,
    pub glob: Option<String>,
}

impl Project {
    /// Adds a source at an agent's word.
    pub fn add_for_agent(&self, wanted: &AgentSource, cancel: &Cancel) -> Result<Added> {
        let source = || shown_url(&wanted.source);
        match self.settings.sources_by_agents() {
            Consent::Allow => {}
            consent => return Err(refused(NotForAgents::NotAllowed { source: source(), consent })),
        }
        let spelled = self.spelled(&wanted.source)?;
        if spelled.is_none() {
            // Before anything is looked at: that a file exists outside is nothing for an agent to learn.
            self.check_place(&wanted.source)?;
        }
        let detected = match spelled {
            // Its server is asked what it is, so its address is judged before.
            Some(Source::Package(url)) if is_site_url(&url) => {
                check_web(&url, &source())?;
                self.detect_url(&url, &self.client()?.public_only())?
            }
            Some(spelled) => spelled,
            None => self.detect(&wanted.source)?,
        };
        let detected = match detected {
            Source::OwnCode(folder) if wanted.glob.is_some() => {
                Source::Documents { folder, glob: wanted.glob.clone().unwrap_or_default() }
            }
            detected => detected,
        };
        if let Source::OwnCode(folder) = &detected {
            // The index of the repository has it, so nothing is declared.
            let repo = LocalRepo::around(folder, &self.build_caches()?)?;
            let (name, what) = (repo.name().to_owned(), AddedAs::OwnRepo(repo));
            return Ok(Added { name, what, created: Vec::new(), already: true, found: None });
        }
        if let Source::Documents { folder, glob } = &detected {
            let contents = self.contents(folder, wanted.glob.as_ref().unwrap_or(glob), cancel)?;
            if contents.files == 0 {
                return Err(Error::NoDocuments { source_text: source(), instead: contents.instead() });
            }
        }
        let is_dependency = matches!(detected, Source::Dependency(_));
        let (name, glob) = (wanted.name.clone(), wanted.glob.clone());
        // A name that is public now may stand for something else at the next sync.
        let add = AddSource { name, glob, public: true, ..AddSource::new(detected) };
        // Where the documents of a dependency lie follows from the project's lock and the user's folders alone.
        if !is_dependency {
            let (spec, _) = self.spec(&add, cancel)?;
            self.check_resolved(&Resolved::new(&spec, self.root())?, &source())?;
        }
        self.add(&add, cancel)
    }

    /// A path must lie in the project, links resolved, where an index would find it.
    fn check_place(&self, text: &str) -> Result<()> {
        let outside = || refused(NotForAgents::Outside(text.to_owned()));
        let boundary = boundary(&self.file());
        let place = self.folder.join(text);
        let real = match place.real_path() {
            Ok(real) => real,
            // What is not there may be the name of a package, unless it is spelled as a path that leads out.
            Err(_) if is_inside(&place, &boundary) => return Ok(()),
            Err(_) => return Err(outside()),
        };
        let below = real.strip_prefix(&boundary).map_err(|_| outside())?;
        if below.as_os_str().is_empty() {
            return Ok(());
        }
        let path = below.to_str().ok_or_else(outside)?;
        let globs = Globs::new(&Globs::EVERYTHING).map_err(ai_assist_collections::Error::from)?;
        let explained = explain(&Selection::new(boundary, globs, self.settings.limits()), &DocPath::parse(path)?)?;
        match explained.verdict {
            Verdict::Included => Ok(()),
            // A bundle is no text, and is unpacked before it is judged.
            Verdict::Excluded if explained.at == explained.path && crate::is_package(&real) => Ok(()),
            Verdict::Excluded => {
                let rule = explained.origin.map_or(explained.rule.clone(), |at| format!("{}, {at}", explained.rule));
                Err(refused(NotForAgents::Ignored { source: text.to_owned(), rule }))
            }
        }
    }

    fn check_resolved(&self, resolved: &Resolved, source: &str) -> Result<()> {
        let boundary = boundary(&self.file());
        if resolved.place().is_some_and(|place| !is_inside(&place, &boundary)) {
            return Err(refused(NotForAgents::Outside(source.to_owned())));
        }
        match resolved {
            Resolved::Pkg { url, .. } => check_address(url, source),
            Resolved::Site { scope, .. } => check_web(scope.start().as_str(), source),
            Resolved::File { .. } | Resolved::Dep { .. } | Resolved::Broken { .. } => Ok(()),
        }
    }
}

/// A package must be in the project, or at a public address over HTTPS.
fn check_address(url: &PackageUrl, source: &str) -> Result<()> {
    match url.scheme() {
        UrlScheme::File | UrlScheme::GitFile => Ok(()),
        UrlScheme::Http | UrlScheme::GitSsh => Err(refused(NotForAgents::NotHttps(source.to_owned()))),
        UrlScheme::Https | UrlScheme::GitHttps => match leads_inside(url.as_str().trim_start_matches("git+")) {
            true => Err(refused(NotForAgents::Private(source.to_owned()))),
            false => Ok(()),
        },
    }
}

/// A website must be at a public address over HTTPS.
fn check_web(url: &str, source: &str) -> Result<()> {
    if !url.starts_with("https://") {
        return Err(refused(NotForAgents::NotHttps(source.to_owned())));
    }
    if leads_inside(url) { Err(refused(NotForAgents::Private(source.to_owned()))) } else { Ok(()) }
}

/// Whether a path lies in a folder, links resolved as far as it exists.
fn is_inside(place: &Path, folder: &Path) -> bool {
    let is_plain = |path: &PathBuf| !path.components().any(|part| part == Component::ParentDir);
    ai_assist_base::resolve(place).is_ok_and(|path| path.starts_with(folder) && is_plain(&path))
}

fn refused(why: NotForAgents) -> Error {
    Error::NotForAgents(why)
}
