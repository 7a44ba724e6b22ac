use ai_assist_app::has_range;
use ai_assist_collections::{Difference, FileDifference, Member, Step, difference_of_packages};
use ai_assist_identity::CollectionKind;

use super::info::{Place, place_of};
use crate::args::DiffArgs;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &DiffArgs) -> Result<Outcome> {
    let is_elsewhere = |name: &String| has_range(name) || name.contains("://");
    let compared = match args.names.as_slice() {
        [old, new] if is_elsewhere(old) || is_elsewhere(new) => vec![of_packages(context, old, new)?],
        names if names.iter().any(is_elsewhere) => {
            bail!("two packages are needed, such as `ai-assist collections diff guide@1.0.0 guide@1.1.0`")
        }
        names => of_collections(context, names)?,
    };
    let whole = compared.iter().all(|compared| compared.difference.problems.is_empty());
    let differs = compared.iter().any(|compared| !compared.difference.files.is_empty());
    if context.terminal.json {
        let values: Vec<Value> = compared.iter().map(|compared| compared.value(args.stat)).collect();
        context.terminal.json(&json!({ "collections": values }))?;
    } else {
        for compared in &compared {
            compared.print(context, args.stat, args.names.len() == 1)?;
        }
    }
    Ok(if !whole || args.exit_code && differs { Outcome::Partial } else { Outcome::Done })
}

struct Compared {
    name: String,
    id: Option<String>,
    difference: Difference,
}

/// What is indexed, and what the source of each collection has now. Without names, what others publish is asked, as by `outdated`.
fn of_collections(context: &Context, names: &[String]) -> Result<Vec<Compared>> {
    let mut members = context.named_members(names)?;
    if names.is_empty() {
        members.retain(|member| matches!(member.spec.kind(), CollectionKind::Pkg | CollectionKind::Site));
    }
    let library = context.library()?;
    let (options, cancel) = (context.sync_options()?, cancel());
    let compare = |member: &Member| -> Result<Compared> {
        let difference = library.difference(member, &options, &cancel)?;
        Ok(Compared { name: member.name.clone(), id: Some(member.resolved.id().to_string()), difference })
    };
    members.iter().map(compare).collect()
}

fn of_packages(context: &Context, old: &str, new: &str) -> Result<Compared> {
    let place = |source: &str| place_of(context, source).map(|Place { url, hash, .. }| (url, hash));
    let (old, new) = (place(old)?, place(new)?);
    let options = context.sync_options()?;
    let temporary = context.roots.cache.join("tmp");
    let sides = [(&old.0, old.1), (&new.0, new.1)];
    let difference = difference_of_packages(sides, (&options, &temporary), &cancel())?;
    let name = difference.to.as_ref().map(|package| package.name.clone()).unwrap_or_default();
    Ok(Compared { name, id: None, difference })
}

impl Compared {
    fn value(&self, stat: bool) -> Value {
        let paths = |wanted: Step| -> Vec<&str> {
            let files = self.difference.files.iter().filter(|file| file.change == wanted);
            files.map(|file| file.path.as_str()).collect()
        };
        let file = |file: &FileDifference| {
            let mut value = json!(file);
            if stat && let Some(object) = value.as_object_mut() {
                object.insert("diff".to_owned(), Value::Null);
            }
            value
        };
        json!({
            "name": self.name, "id": self.id, "from": self.difference.from, "to": self.difference.to,
            "added": paths(Step::Add), "updated": paths(Step::Update), "removed": paths(Step::Remove),
            "files": self.difference.files.iter().map(file).collect::<Vec<_>>(),
            "problems": self.difference.problems,
        })
    }

    fn print(&self, context: &Context, stat: bool, is_one: bool) -> Result<()> {
        let terminal = context.terminal;
        for problem in &self.difference.problems {
            terminal.warn(format!("{} {}", one_line(&problem.path), one_line(&problem.reason)))?;
        }
        let files = &self.difference.files;
        if files.is_empty() {
            return terminal.note(format!("No document of {} differs", one_line(&self.name)));
        }
        if !is_one {
            terminal.note(format!("{}:", one_line(&self.name)))?;
        }
        if stat {
            for file in files {
                terminal.say(line(file))?;
            }
        } else {
            let text: Vec<String> = files.iter().map(shown).collect();
            terminal.document(&text.concat())?;
        }
        let (added, removed) =
            files.iter().fold((0, 0), |(added, removed), file| (added + file.added, removed + file.removed));
        let documents = count(files.len(), "document");
        terminal.note(format!("{documents} differ: {} more, {removed} fewer", count(added, "line")))
    }
}

fn sign(change: Step) -> char {
    match change {
        Step::Add => '+',
        Step::Update => '~',
        Step::Remove => '-',
    }
}

fn line(file: &FileDifference) -> String {
    format!("{} {} (+{} -{})", sign(file.change), one_line(&file.path), file.added, file.removed)
}

/// The lines that differ, under a line that names the document. Texts come from elsewhere, and paths may hold anything.
fn shown(file: &FileDifference) -> String {
    let body = match file.diff.split_once("\n@@") {
        Some((_, hunks)) => format!("@@{hunks}"),
        None if file.change == Step::Update && file.old_hash.is_some() => {
            "(nothing that is shown differs)\n".to_owned()
        }
        None => String::new(),
    };
    format!("{}\n{body}", line(file))
}
