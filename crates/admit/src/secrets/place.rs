//! What kind of file a text stands in, going by its path.
//!
//! In code a name and a value may be anything. A file of settings holds what is in use: whatever stands behind `password`
//! there opens something, however weak it is.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Settings of programs, services and shells.
    Settings,
    /// Anything else, or not known.
    Other,
}

/// Endings of files that hold settings. `env` is also the end of a name, as in `.env.local`.
const ENDINGS: [&str; 26] = [
    "env", "ini", "cfg", "conf", "cnf", "config", "properties", "props", "json", "jsonc", "json5", "yaml", "yml",
    "toml", "xml", "plist", "tf", "hcl", "tfvars", "reg", "netrc", "service", "ovpn", "nomad", "settings",
    "dockerfile",
];

/// Names of settings that have no ending of their own.
const NAMES: [&str; 3] = ["config.fish", "dockerfile", "containerfile"];

/// Folders and parts of names that hold what a program says to people. `password` is a label there.
const TEXTS: [&str; 10] =
    ["locale", "locales", "i18n", "l10n", "lang", "langs", "languages", "translations", "messages", "strings"];

impl Place {
    pub(super) fn of(path: &str) -> Place {
        let lower = path.to_ascii_lowercase();
        let parts: Vec<&str> = lower.split(['/', '\\']).collect();
        let name = parts.last().copied().unwrap_or_default();
        if parts.iter().any(|part| part.split(['.', '_', '-']).any(|word| TEXTS.contains(&word))) {
            return Place::Other;
        }
        let name = [".example", ".sample", ".template", ".dist", ".bak", ".old", ".orig"]
            .iter()
            .find_map(|ending| name.strip_suffix(ending))
            .unwrap_or(name);
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let is_env = name.starts_with(".env") || name.contains(".env.");
        // Settings that are code: `config.php`, `settings.local.php`.
        let is_php = ending == "php" && name.split(['.', '-', '_']).any(|word| matches!(word, "config" | "settings"));
        // `.curlrc`, `.ftpconfig`: a hidden file without an ending is what some program reads at its start.
        let is_hidden = name.starts_with('.') && !name[1..].contains('.');
        let is_plain = matches!(name, "config" | "conf" | "settings" | "environment" | "credentials");
        if is_env || is_php || is_hidden || is_plain || ENDINGS.contains(&ending) || NAMES.contains(&name) {
            return Place::Settings;
        }
        Place::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_told_from_code_and_texts() {
        for path in [
            "app/config.php", "wp-config.php", ".env.example", "docker/db.env", "a/.bash_profile", "my.cnf", "pom.xml",
            "settings.local.yaml", ".ircrc", ".ftpconfig", "irc/config", "Dockerfile", "application.properties",
            "main.tf", "app.json.dist",
        ] {
            assert_eq!(Place::of(path), Place::Settings, "{path}");
        }
        for path in [
            "src/config.rs", "config/locales/en.yml", "res/values/strings.xml", "messages_de.properties",
            "lib/user.php", "README.md", "i18n/de.json", "x", "",
        ] {
            assert_eq!(Place::of(path), Place::Other, "{path}");
        }
    }
}
