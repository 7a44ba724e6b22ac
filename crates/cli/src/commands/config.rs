//! Commands about settings.

use ai_assist_base::did_you_mean;
use ai_assist_collections::{ConfigEdit, Error, SETTINGS, SettingSpec, set_user_setting};

use crate::args::{Config, WhoseConfig};
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, command: &Config) -> Result<Outcome> {
    match command {
        Config::Show => show(context),
        Config::Get { key } => get(context, key),
        Config::Set { key, value, whose } => set(context, key, Some(value), whose),
        Config::Unset { key, whose } => set(context, key, None, whose),
        Config::Path(whose) => path(context, whose),
        Config::Allow { folders, all, remove } => allow(context, folders, *all, *remove),
    }
}

fn settings(context: &Context) -> Vec<(&'static SettingSpec, String, String)> {
    let shown = |key: &str, value: &str| match (key, value) {
        ("data.dir", "") => context.roots.data.display().to_string(),
        ("cache.root", "") => context.roots.cache.display().to_string(),
        _ => value.to_owned(),
    };
    let settings = context.settings.iter();
    settings.map(|(spec, value, origin)| (spec, shown(spec.key, value), origin.to_string())).collect()
}

fn json_of((spec, value, origin): &(&'static SettingSpec, String, String)) -> Value {
    json!({ "key": spec.key, "value": value, "origin": origin, "env": spec.env, "doc": spec.doc })
}

fn show(context: &Context) -> Result<Outcome> {
    let settings = settings(context);
    let project = context.local.as_ref().map(|local| local.file.display().to_string());
    if context.terminal.json {
        let settings: Vec<_> = settings.iter().map(json_of).collect();
        context.terminal.json(&json!({ "settings": settings, "project": project }))?;
        return Ok(Outcome::Done);
    }
    let rows = settings.into_iter().map(|(spec, value, origin)| vec![spec.key.to_owned(), value, origin]).collect();
    context.terminal.table(&["Setting", "Value", "From"], rows)?;
    match project {
        Some(file) => context.terminal.note(format!("Project: {file}"))?,
        None => context.terminal.note("No project here.")?,
    }
    Ok(Outcome::Done)
}

fn get(context: &Context, key: &str) -> Result<Outcome> {
    let Some(setting) = settings(context).into_iter().find(|(spec, ..)| spec.key == key) else {
        let near = did_you_mean(key, SETTINGS.iter().map(|spec| spec.key));
        bail!("there is no setting `{key}`{near}");
    };
    context.terminal.show(|| json_of(&setting), || context.terminal.say(&setting.1))
}

fn set(context: &Context, key: &str, value: Option<&str>, whose: &WhoseConfig) -> Result<Outcome> {
    let file = file(context, whose)?;
    match whose.project {
        true => ConfigEdit::new(&file).set_setting(key, value).map(drop),
        false => {
            if let Some(folder) = file.parent() {
                std::fs::create_dir_all(folder)?;
            }
            set_user_setting(&file, key, value)
        }
    }
    .map_err(Error::from)?;
    context.terminal.show(
        || json!({ "key": key, "value": value, "file": file.display().to_string() }),
        || {
            let now = value.map_or_else(|| format!("{key} is out of"), |value| format!("{key} = {value} in"));
            context.terminal.note(format!("{now} {}", file.display()))
        },
    )?;
    // A flag or a variable that wins would make this look as if it had not worked.
    if let Some((spec, _, origin)) = context.settings.iter().find(|(spec, ..)| spec.key == key)
        && matches!(origin, ai_assist_collections::Origin::Environment(_) | ai_assist_collections::Origin::Flag)
    {
        context.terminal.warn(format!("{} counts before this file ({origin})", spec.key))?;
    }
    Ok(Outcome::Done)
}

fn allow(context: &Context, folders: &[PathBuf], all: bool, remove: bool) -> Result<Outcome> {
    let places: Vec<PathBuf> = folders.iter().map(|folder| context.place(folder)).collect();
    if remove {
        context.disallow(&places)?;
    }
    for refused in context.refused()? {
        if all || !remove && places.iter().any(|place| refused.folder.starts_with(place)) {
            context.allow(&refused.file, std::slice::from_ref(&refused.folder))?;
        }
    }
    let (allowed, refused) = (context.allowed()?, context.refused()?);
    let left: Vec<String> = refused.iter().map(ToString::to_string).collect();
    context.terminal.show(
        || json!({ "allowed": allowed, "refused": left }),
        || {
            for (file, folders) in &allowed {
                folders.iter().try_for_each(|folder| {
                    context.terminal.say(format!("{} ({})", one_line(folder), one_line(file)))
                })?;
            }
            context.terminal.warn_all(&left)
        },
    )
}

fn path(context: &Context, whose: &WhoseConfig) -> Result<Outcome> {
    let file = file(context, whose)?;
    context.terminal.show(
        || json!({ "file": file.display().to_string(), "exists": file.is_file() }),
        || context.terminal.say(file.display()),
    )
}

fn file(context: &Context, whose: &WhoseConfig) -> Result<PathBuf> {
    Ok(if whose.project { context.need_local()?.file.clone() } else { context.machine.config_file() })
}
