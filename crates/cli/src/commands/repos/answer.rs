//! An answer over repositories, made ready for people and programs.

use std::collections::BTreeMap;

use ai_assist_admit::Freshness;
use ai_assist_identity::{CanonicalPath, DocPath, RepoId};
use ai_assist_search::{Cursor, Explanation};
use ai_assist_workspace::federate::{Answer, Found, IndexStatus, RepoOutcome, Timing, WorkspaceAnswer};
use anyhow::Result;
use serde::Serialize;
use serde_json::{Value, json};

use super::search::Asked;
use crate::args::Show;
use crate::commands::Outcome;
use crate::commands::hits::Shown;
use crate::context::Context;
use crate::terminal::{Terminal, count, one_line};

/// An answer with all that is known around it.
pub(crate) struct Dressed {
    pub(crate) answer: Answer,
    pub(crate) timing: Timing,
    pub(crate) roots: BTreeMap<RepoId, CanonicalPath>,
    /// Whether to say where the repositories are.
    pub(crate) include_paths: bool,
    /// Whether a hit is shown with the name of its repository.
    pub(crate) named: bool,
    pub(crate) workspace: Option<Provenance>,
}

/// What a workspace was when it was searched.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Provenance {
    repo_set_id: String,
    manifest_hash: String,
    cached: bool,
}

impl Dressed {
    pub(crate) fn of_workspace(found: WorkspaceAnswer, include_paths: bool) -> Dressed {
        let provenance = Provenance {
            repo_set_id: found.repo_set_id.to_string(),
            manifest_hash: found.manifest_hash.to_string(),
            cached: found.cached,
        };
        Dressed {
            answer: found.answer,
            timing: found.timing,
            roots: found.roots,
            include_paths,
            named: true,
            workspace: Some(provenance),
        }
    }

    pub(crate) fn show(mut self, context: &Context, asked: &Asked, show: &Show) -> Result<Outcome> {
        if !self.include_paths {
            let cache = context.roots.cache.display().to_string();
            let roots = self.roots.values().map(CanonicalPath::as_str);
            self.answer.hide_paths(&roots.chain([cache.as_str()]).collect::<Vec<_>>());
        }
        let question = self.answer.identity(&asked.typed, &asked.question);
        if let Some(cursor) = &show.cursor {
            cursor.offset_in(&question)?;
        }
        let terminal = context.terminal;
        let tokens = show.max_tokens.map(|budget| self.answer.cut_to(budget));
        let next = asked.question.offset + self.answer.hits.len();
        let more = next < self.answer.found && !self.answer.hits.is_empty();
        let cursor = more.then(|| Cursor::new(next, &question).to_string());
        for warning in &self.answer.warnings {
            terminal.warn(one_line(&warning.message))?;
        }
        if terminal.json {
            terminal.json(&self.json(tokens, cursor.as_deref())?)?;
        } else {
            self.print(terminal, asked, show, tokens, cursor)?;
        }
        let whole = !self.answer.hits.is_empty() && !self.answer.partial;
        Ok(if whole { Outcome::Done } else { Outcome::Partial })
    }

    fn freshness(&self, hit: &Found) -> Freshness {
        hit.freshness(self.roots.get(&hit.repo_id))
    }

    fn json(&self, tokens: Option<usize>, cursor: Option<&str>) -> Result<Value> {
        let hits = self.answer.hits.iter().map(|hit| self.hit(hit)).collect::<Result<Vec<Value>>>()?;
        let repos = self.answer.repos.iter().map(|repo| self.repo(repo)).collect::<Result<Vec<Value>>>()?;
        let mut value = json!({
            "hits": hits,
            "found": self.answer.found,
            "considered": self.answer.considered,
            "tokens": tokens,
            "cursor": cursor,
            "repos": repos,
            "warnings": self.answer.warnings,
            "partial": self.answer.partial,
            "timing": {
                "totalMs": self.timing.total_ms,
                "repos": self.timing.repos.iter().map(|(repo, ms)| json!({ "repoId": repo, "ms": ms })).collect::<Vec<_>>(),
            },
        });
        if let Some(workspace) = &self.workspace {
            value["workspace"] = serde_json::to_value(workspace)?;
        }
        Ok(value)
    }

    fn hit(&self, hit: &Found) -> Result<Value> {
        let mut value = serde_json::to_value(hit)?;
        value["freshness"] = serde_json::to_value(self.freshness(hit))?;
        if let Some(root) = self.roots.get(&hit.repo_id).filter(|_| self.include_paths) {
            let path = DocPath::parse(&hit.document)?;
            value["file"] = root.join(&path).as_str().into();
        }
        Ok(value)
    }

    fn repo(&self, repo: &RepoOutcome) -> Result<Value> {
        let mut value = serde_json::to_value(repo)?;
        if let Some(root) = self.roots.get(&repo.repo_id).filter(|_| self.include_paths) {
            value["root"] = root.as_str().into();
        }
        Ok(value)
    }

    fn print(
        &self,
        terminal: Terminal,
        asked: &Asked,
        show: &Show,
        tokens: Option<usize>,
        cursor: Option<String>,
    ) -> Result<()> {
        let answer = &self.answer;
        if answer.hits.is_empty() {
            let why = if answer.considered == 0 { " (no chunk passes the filters)" } else { "" };
            return terminal.note(format!("Nothing found among {}{why}.", count(answer.considered, "chunk")));
        }
        for hit in &answer.hits {
            let explanation =
                hit.explanation.as_ref().and_then(|it| serde_json::from_value::<Explanation>(it.clone()).ok());
            let shown = Shown {
                place: self.place(hit),
                path: &hit.path,
                score: hit.score,
                words: hit.words,
                cosine: hit.cosine,
                text: &hit.text,
                first_line: hit.lines.start,
                freshness: self.freshness(hit),
                explanation: explanation.as_ref(),
            };
            shown.print(terminal, &asked.question.query.terms, show.full || tokens.is_some())?;
        }
        let tokens = tokens.map_or(String::new(), |tokens| format!(", {tokens} tokens"));
        let over = if self.named { format!(" in {}", count(self.searched(), "repo")) } else { String::new() };
        terminal.note(format!("{} of {}{over}{tokens}", answer.hits.len(), count(answer.found, "hit")))?;
        if let Some(cursor) = cursor {
            terminal.note(format!("More: --cursor {cursor}"))?;
        }
        Ok(())
    }

    fn place(&self, hit: &Found) -> String {
        let path = match self.roots.get(&hit.repo_id).filter(|_| self.include_paths && self.workspace.is_some()) {
            Some(root) => format!("{root}/{}", hit.document),
            None if self.named => format!("{}/{}", hit.repo, hit.document),
            None => hit.document.clone(),
        };
        format!("{path}:{}", hit.lines)
    }

    fn searched(&self) -> usize {
        let searched = |repo: &&RepoOutcome| repo.indexes.iter().any(|it| it.status == IndexStatus::Searched);
        self.answer.repos.iter().filter(searched).count()
    }
}
