//! The packers people use, where they are installed.

use std::path::PathBuf;

use super::Job;

/// The jobs of every peer found on the path.
pub(super) fn jobs(tree: &str, out: &str) -> Vec<Job> {
    let file = format!("{out}/pack");
    let folder = format!("{out}/parts");
    let repomix = [tree, "--quiet", "--style", "json", "--output", &file];
    let code2prompt = [tree, "--output-file", &file, "--no-clipboard", "--quiet"];
    let known: [(&str, &str, Vec<&str>); 6] = [
        ("repomix", "repomix", repomix.to_vec()),
        ("repomix --no-security-check", "repomix", [&repomix[..], &["--no-security-check"]].concat()),
        ("yek, by bytes", "yek", vec![tree, "--max-size", "4GB", "--output-dir", &folder]),
        ("yek, by tokens", "yek", vec![tree, "--tokens", "1000000k", "--output-dir", &folder]),
        ("code2prompt", "code2prompt", code2prompt.to_vec()),
        ("files-to-prompt", "files-to-prompt", vec![tree, "--include-hidden", "--output", &file]),
    ];
    let mut jobs = Vec::new();
    for (name, program, args) in known {
        match on_path(program) {
            Some(program) => jobs.push(Job::new(name, program, &args)),
            None => println!("{name}: {program} is not installed."),
        }
    }
    jobs
}

fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}
