//! Edits of settings, in a project's configuration and in the user's own.

use std::path::Path;

use ai_assist_base::nearest;
use jsonc_parser::cst::{CstInputValue, CstObject};

use super::draft::input_value;
use super::error::{EditError, EditResult};
use super::{ConfigEdit, Edited, rewrite};
use crate::settings::{Layer, SETTINGS, SettingSpec, SettingValue};

impl ConfigEdit<'_> {
    /// Gives a setting of the project a value, or takes it out.
    pub fn set_setting(&self, key: &str, value: Option<&str>) -> EditResult<Edited> {
        let spec = spec_of(key)?;
        let value = value.map(|value| checked(spec, value)).transpose()?;
        if !spec.project && value.is_some() {
            let why = format!("a project can't make the setting `{key}`");
            return Err(EditError::Invalid { field: spec.key, why, expected: "a setting of your own configuration" });
        }
        self.change(|draft| {
            if value.is_some() || draft.object.object_value("settings").is_some() {
                write(&draft.object.object_value_or_set("settings"), spec.key, value);
            }
            Ok(())
        })
    }
}

/// Gives a setting of the user's own configuration a value, or takes it out. A file that is not there is made.
pub fn set_user_setting(file: &Path, key: &str, value: Option<&str>) -> EditResult<()> {
    let spec = spec_of(key)?;
    let value = value.map(|value| checked(spec, value)).transpose()?;
    let read = |text: &str| Layer::parse_user(file, text, &mut Vec::new()).map_err(EditError::from_read);
    let change = |object: &CstObject, _: &Layer| {
        write(object, spec.key, value);
        Ok(())
    };
    rewrite(file, "{}\n", read, change, |_, _| Ok(())).map(drop)
}

fn spec_of(key: &str) -> EditResult<&'static SettingSpec> {
    SETTINGS.iter().find(|spec| spec.key == key).ok_or_else(|| EditError::UnknownSetting {
        key: super::checks::shown(key),
        nearest: nearest(key, SETTINGS.iter().map(|spec| spec.key)).map(str::to_owned),
    })
}

fn checked(spec: &SettingSpec, text: &str) -> EditResult<CstInputValue> {
    let unfit = || {
        let why = format!("`{}` is not what it takes", super::checks::shown(text));
        EditError::Invalid { field: spec.key, why, expected: spec.value.expected() }
    };
    if !spec.value.accepts(text) {
        return Err(unfit());
    }
    Ok(match spec.value {
        SettingValue::Count | SettingValue::Share => CstInputValue::Number(text.to_owned()),
        SettingValue::Switch => CstInputValue::Bool(matches!(text, "true" | "1")),
        SettingValue::Urls => CstInputValue::Array(text.split_whitespace().map(CstInputValue::from).collect()),
        SettingValue::Limits => input_value(&serde_json::from_str(text).map_err(|_| unfit())?),
        SettingValue::FileName
        | SettingValue::Folder
        | SettingValue::File
        | SettingValue::Tongue
        | SettingValue::Consent => text.into(),
    })
}

/// Sets `a.b`, which is either a key of that name or `b` in the object `a`. Objects that become empty go.
fn write(object: &CstObject, key: &str, value: Option<CstInputValue>) {
    match (object.get(key), key.split_once('.'), value) {
        (Some(property), _, Some(value)) => property.set_value(value),
        (Some(property), _, None) => property.remove(),
        (None, Some((outer, inner)), Some(value)) => write(&object.object_value_or_set(outer), inner, Some(value)),
        (None, Some((outer, inner)), None) => {
            let Some(inside) = object.object_value(outer) else { return };
            write(&inside, inner, None);
            if inside.properties().is_empty()
                && let Some(property) = object.get(outer)
            {
                property.remove();
            }
        }
        (None, None, Some(value)) => {
            object.append(key, value);
            object.ensure_multiline();
        }
        (None, None, None) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_written_and_taken_out_with_comments_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.json");
        let set = |key: &str, value: Option<&str>| {
            set_user_setting(&file, key, value).map(|()| std::fs::read_to_string(&file).unwrap())
        };
        let text = set("search.limit", Some("7")).unwrap();
        assert!(text.contains("\"limit\": 7"), "{text}");
        std::fs::write(&file, text.replacen('{', "{ // mine\n", 1)).unwrap();
        let text = set("network.offline", Some("1")).unwrap();
        assert!(text.contains("// mine") && text.contains("\"offline\": true"), "{text}");
        let text = set("registry.urls", Some("https://a/ https://b/")).unwrap();
        assert!(text.contains("[\"https://a/\", \"https://b/\"]"), "{text}");
        let text = set("pack.providerLimits", Some(r#"{"x": {"tokens": 5}, "y": 3}"#)).unwrap();
        assert!(text.contains("\"tokens\": 5") && text.contains("\"y\": 3"), "{text}");
        set("search.limit", None).unwrap();
        let text = set("search.limit", None).unwrap();
        assert!(!text.contains("search") && text.contains("// mine"), "{text}");
        std::fs::write(&file, r#"{"search.limit": 3}"#).unwrap();
        assert_eq!(set("search.limit", Some("4")).unwrap(), r#"{"search.limit": 4}"#);
    }

    #[test]
    fn what_no_setting_takes_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.json");
        let set = |key: &str, value: &str| set_user_setting(&file, key, Some(value)).unwrap_err();
        let error = set("search.limt", "7");
        assert!(
            matches!(&error, EditError::UnknownSetting { nearest: Some(near), .. } if near == "search.limit"),
            "{error}"
        );
        for (key, value) in [("search.limit", "0"), ("data.dir", "here"), ("network.offline", "perhaps")] {
            assert!(matches!(set(key, value), EditError::Invalid { .. }), "{key}");
        }
        assert!(!file.exists());
        let project = folder.path().join("context.json");
        let edit = ConfigEdit::new(&project);
        assert!(matches!(edit.set_setting("data.dir", Some("/x")), Err(EditError::Invalid { .. })));
        edit.set_setting("search.limit", Some("3")).unwrap();
        let text = std::fs::read_to_string(&project).unwrap();
        assert!(text.contains("\"settings\"") && text.contains("\"limit\": 3"), "{text}");
        edit.set_setting("search.limit", None).unwrap();
        assert!(!std::fs::read_to_string(&project).unwrap().contains("limit"));
    }
}
