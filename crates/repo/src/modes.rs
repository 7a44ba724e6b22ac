use ai_assist_text::{Language, LanguageKind};

use crate::layout::Mode;

/// The modes that a file goes into, by its language; a log goes by its name, because its language is plain text.
pub fn modes_of(path: &str, language: Language) -> &'static [Mode] {
    match language.kind() {
        LanguageKind::Code => &[Mode::Code, Mode::ExtractedProse],
        LanguageKind::Data => &[Mode::Records],
        LanguageKind::Prose if is_log(path) => &[Mode::Records],
        LanguageKind::Prose => &[Mode::Prose],
        LanguageKind::Markup => match language.name() {
            "html" => &[Mode::Prose],
            "xml" => &[Mode::Records],
            // Styles and components are written by programmers and have symbols, though no grammar here.
            _ => &[Mode::Code],
        },
    }
}

fn is_log(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("log"))
}

/// Whether a file of this name may have anything for one of the modes. Only its content tells if the name has no language.
pub(crate) fn may_concern(path: &str, wanted: &[Mode]) -> bool {
    match Language::of_path(path) {
        Some(language) => modes_of(path, language).iter().any(|mode| wanted.contains(mode)),
        None => wanted.iter().any(|mode| *mode != Mode::Records),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_a_place() {
        for (path, expected) in [
            ("a.rs", "code extracted-prose"),
            ("script.sh", "code extracted-prose"),
            ("a.css", "code"),
            ("README.md", "prose"),
            ("a.rst", "prose"),
            ("a.html", "prose"),
            ("LICENSE", "prose"),
            ("a.txt", "prose"),
            ("a.jsonl", "records"),
            ("a.csv", "records"),
            ("a.tsv", "records"),
            ("a.yml", "records"),
            ("a.json", "records"),
            ("Cargo.toml", "records"),
            ("pom.xml", "records"),
            ("server.LOG", "records"),
            ("no-extension", "prose"),
        ] {
            let language = Language::detect(path, "");
            let modes: Vec<&str> = modes_of(path, language).iter().map(|mode| mode.as_str()).collect();
            assert_eq!(modes.join(" "), expected, "{path}");
        }
    }

    #[test]
    fn a_name_without_a_language_may_be_anything_but_records() {
        assert!(may_concern("run", &[Mode::Code]) && may_concern("run", &[Mode::Prose]));
        assert!(!may_concern("run", &[Mode::Records]) && !may_concern("a.rs", &[Mode::Prose]));
    }
}
