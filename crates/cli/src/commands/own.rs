//! `self`: changes this program's own installation, if the installer made it. Package managers look after what they installed.

use std::process::Command;

use ai_assist_base::RealPath;

use crate::args::{Global, Own};
use crate::commands::prelude::*;

/// Lies beside a binary that the installer put there; its line says where the newest installer is, a URL or a file.
const MARKER: &str = ".ai-assist-install";

/// Downloads an installer whole, then runs it: `$1` is its URL, `$2` the folder.
const FETCH_AND_RUN: &str = r#"set -eu
script=$(mktemp); trap 'rm -f "$script"' EXIT
if command -v curl >/dev/null; then curl -fsSL "$1" >"$script"; else wget -qO "$script" "$1"; fi
sh "$script" --to "$2""#;

pub(crate) fn run(global: &Global, command: &Own) -> Result<Outcome> {
    let program = std::env::current_exe().and_then(|path| path.real_path()).context("where is this program?")?;
    let folder = program.parent().context("this program is in no folder")?;
    let marker = folder.join(MARKER);
    let Ok(installer) = std::fs::read_to_string(&marker) else {
        let (who, update, uninstall) = installed_by(&program);
        let shown = program.display();
        match command {
            Own::Update => bail!("{shown} was not put there by the installer but {who}. To update it: {update}"),
            Own::Uninstall => bail!("{shown} was not put there by the installer but {who}. To remove it: {uninstall}"),
        }
    };
    match command {
        Own::Update => update(global, installer.trim(), folder),
        Own::Uninstall => {
            let context = Context::silent(global)?;
            for file in [&program, &marker] {
                std::fs::remove_file(file).with_context(|| format!("{} can't be removed", file.display()))?;
            }
            context.terminal.tell(format!("Removed {}", program.display()))?;
            let (data, cache) = (context.roots.data.display(), context.roots.cache.display());
            context.terminal.note(format!(
                "Collections and sessions stay in {data}, indexes of code in {cache}; remove them as you like."
            ))?;
            Ok(Outcome::Done)
        }
    }
}

fn update(global: &Global, installer: &str, folder: &Path) -> Result<Outcome> {
    let is_url = installer.contains("://");
    if is_url && global.offline {
        bail!("an update needs the network, and --offline says not to use it");
    }
    let mut shell = Command::new("sh");
    if is_url {
        shell.args(["-c", FETCH_AND_RUN, "sh", installer]).arg(folder);
    } else {
        shell.args([installer, "--to"]).arg(folder);
    }
    let status = shell.status().context("`sh` can't be started")?;
    if status.success() {
        Ok(Outcome::Done)
    } else {
        bail!("the installer {installer} failed, and nothing was changed")
    }
}

/// Who put a program where it is, and what updates and removes it.
fn installed_by(program: &Path) -> (&'static str, &'static str, &'static str) {
    let has = |name: &str| program.components().any(|part| part.as_os_str() == name);
    let is_in_environment =
        || program.parent().and_then(Path::parent).is_some_and(|home| home.join("pyvenv.cfg").exists());
    if has("node_modules") {
        ("by npm", "`npm update ai-assist` (with -g if it was installed so)", "`npm uninstall ai-assist`")
    } else if has("pipx") {
        ("by pipx", "`pipx upgrade ai-assist-cli`", "`pipx uninstall ai-assist-cli`")
    } else if has("uv") {
        ("by uv", "`uv tool upgrade ai-assist-cli`", "`uv tool uninstall ai-assist-cli`")
    } else if is_in_environment() {
        ("by pip", "`pip install -U ai-assist-cli`", "`pip uninstall ai-assist-cli`")
    } else if has("Cellar") {
        ("by Homebrew", "`brew upgrade ai-assist`", "`brew uninstall ai-assist`")
    } else if program.starts_with("/nix/store") {
        ("by Nix", "`nix profile upgrade ai-assist`", "`nix profile remove ai-assist`")
    } else if has(".cargo") {
        ("by cargo", "`cargo install` again, as the first time", "`cargo uninstall ai-assist-cli`")
    } else if program.starts_with("/usr/bin") {
        (
            "by a package of the system",
            "`apt-get install --only-upgrade ai-assist`, or the like",
            "`apt-get remove ai-assist`, or the like",
        )
    } else {
        ("by hand", "replace the file", "remove the file")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_installed_a_program_is_told_by_its_place() {
        for (program, who) in [
            ("/home/a/p/node_modules/ai-assist-linux-x64/ai-assist", "by npm"),
            ("/home/a/.local/share/pipx/venvs/ai-assist/bin/ai-assist", "by pipx"),
            ("/home/a/.local/share/uv/tools/ai-assist/bin/ai-assist", "by uv"),
            ("/opt/homebrew/Cellar/ai-assist/0.1.0/bin/ai-assist", "by Homebrew"),
            ("/nix/store/abc-ai-assist-0.1.0/bin/ai-assist", "by Nix"),
            ("/home/a/.cargo/bin/ai-assist", "by cargo"),
            ("/usr/bin/ai-assist", "by a package of the system"),
            ("/srv/tools/ai-assist", "by hand"),
        ] {
            assert_eq!(installed_by(Path::new(program)).0, who, "{program}");
        }
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("pyvenv.cfg"), "").unwrap();
        assert_eq!(installed_by(&home.path().join("bin/ai-assist")).0, "by pip");
    }
}
