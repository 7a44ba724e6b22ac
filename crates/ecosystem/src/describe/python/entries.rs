//! Where programs and libraries of Python start.

use super::super::{EntryPointKind, Family, Findings, join, split};

/// A script such as `package.module:main`, as the file of its module.
pub(super) fn script(findings: &mut Findings<'_>, path: &str, key: &str, target: &str) {
    let module = target.split(':').next().unwrap_or_default().trim().replace('.', "/");
    if module.is_empty() {
        return;
    }
    let folder = split(path).0;
    let places = ["", "src/", "lib/"].iter().flat_map(|root| {
        [format!("{root}{module}.py"), format!("{root}{module}/__init__.py"), format!("{root}{module}/__main__.py")]
    });
    let place = places.into_iter().find_map(|place| findings.files.resolve(folder, &place));
    if let Some(place) = place {
        findings.enter(place, EntryPointKind::Cli, format!("{path}: {key}"));
    }
}

/// What frameworks and Python itself look for, and the package with the project's name.
pub(super) fn by_convention(findings: &mut Findings<'_>, path: &str) {
    let folder = split(path).0;
    findings.enter_first(folder, &["manage.py"], EntryPointKind::Script, format!("{path}, with manage.py"));
    if let Some((kind, because)) = findings.serves(path).map(|(kind, name)| (kind, name.to_owned())) {
        let names =
            ["asgi.py", "wsgi.py", "app.py", "main.py", "app/main.py", "src/main.py", "src/app.py", "server.py"];
        for name in names {
            findings.enter_first(folder, &[name], kind, format!("{path}: it depends on {because}"));
        }
    }
    for name in ["main.py", "app.py", "run.py"] {
        findings.enter_first(folder, &[name], EntryPointKind::Script, format!("{path}, with {name}"));
    }
    let name = findings.project(Family::Python, path).and_then(|project| Some(project.name.as_ref()?.value.clone()));
    let Some(name) = name else { return };
    let module = name.replace(['-', '.'], "_").to_ascii_lowercase();
    for root in ["src", ""] {
        let Some(package) = join(folder, format!("{root}/{module}").trim_start_matches('/')) else {
            continue;
        };
        findings.enter(format!("{package}/__main__.py"), EntryPointKind::Cli, format!("{path}, with __main__.py"));
        let evidence = format!("{path}, with a package of the project's name");
        findings.enter(format!("{package}/__init__.py"), EntryPointKind::Library, evidence);
    }
}
