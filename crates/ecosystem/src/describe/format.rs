//! Which files are manifests.

/// A kind of manifest. In the order in which they are read: what others look things up in comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Format {
    VersionCatalog,
    GradleSettings,
    CentralPackages,
    PnpmWorkspace,
    Lerna,
    Cargo,
    PackageJson,
    Pyproject,
    SetupCfg,
    SetupPy,
    Pipfile,
    Requirements,
    GoMod,
    Pom,
    Gradle,
    Gemspec,
    Gemfile,
    Composer,
    DotnetProject,
    CMake,
    Meson,
    ConanText,
    Vcpkg,
    BazelModule,
    Nix,
    Compose,
    Readme,
    License,
}

/// Whether a path is a manifest whose text [`describe`](crate::describe) will want.
///
/// Those inside installed dependencies and test data are not: they don't speak for the project.
pub fn is_manifest(path: &str) -> bool {
    Format::of(path).is_some()
}

impl Format {
    pub(super) fn of(path: &str) -> Option<Format> {
        let (folder, name) = split(path);
        if is_foreign(folder) {
            return None;
        }
        by_name(name).or_else(|| by_place(folder, name)).or_else(|| by_ending(name))
    }

    /// Whether tests have manifests of this kind that belong to the project, rather than being what is tested on.
    fn is_usual_in_tests(self) -> bool {
        matches!(self, Format::DotnetProject | Format::CMake | Format::Meson | Format::Requirements | Format::Gradle)
    }

    /// Whether the path leads through examples, templates or tests, so that it only counts if a workspace names it.
    pub(super) fn is_aside(self, path: &str) -> bool {
        const SHOWN: [&str; 10] = [
            "example", "examples", "sample", "samples", "demo", "demos", "template", "templates", "benchmarks",
            "playground",
        ];
        const TESTS: [&str; 7] = ["test", "tests", "__tests__", "spec", "e2e", "bench", "benches"];
        let folder = split(path).0;
        folder.split('/').any(|part| SHOWN.contains(&part) || (!self.is_usual_in_tests() && TESTS.contains(&part)))
    }
}

fn by_name(name: &str) -> Option<Format> {
    Some(match name {
        "Cargo.toml" => Format::Cargo,
        "package.json" => Format::PackageJson,
        "pnpm-workspace.yaml" => Format::PnpmWorkspace,
        "lerna.json" => Format::Lerna,
        "pyproject.toml" => Format::Pyproject,
        "setup.cfg" => Format::SetupCfg,
        "setup.py" => Format::SetupPy,
        "Pipfile" => Format::Pipfile,
        "go.mod" => Format::GoMod,
        "pom.xml" => Format::Pom,
        "build.gradle" | "build.gradle.kts" => Format::Gradle,
        "settings.gradle" | "settings.gradle.kts" => Format::GradleSettings,
        "libs.versions.toml" => Format::VersionCatalog,
        "Gemfile" | "gems.rb" => Format::Gemfile,
        "composer.json" => Format::Composer,
        "Directory.Packages.props" => Format::CentralPackages,
        "CMakeLists.txt" => Format::CMake,
        "meson.build" => Format::Meson,
        "conanfile.txt" => Format::ConanText,
        "vcpkg.json" => Format::Vcpkg,
        "MODULE.bazel" => Format::BazelModule,
        "flake.nix" => Format::Nix,
        "docker-compose.yml" | "docker-compose.yaml" | "compose.yml" | "compose.yaml" => Format::Compose,
        _ => return None,
    })
}

/// What is only wanted at certain places.
fn by_place(folder: &str, name: &str) -> Option<Format> {
    let lower = name.to_ascii_lowercase();
    let stem = lower.split('.').next().unwrap_or_default();
    if folder.is_empty() && stem == "readme" && matches!(ending(&lower), "" | "md" | "markdown" | "rst" | "txt") {
        return Some(Format::Readme);
    }
    let is_license = ["license", "licence", "copying"].iter().any(|word| stem.starts_with(word));
    if folder.is_empty() && is_license && matches!(ending(&lower), "" | "md" | "rst" | "txt") {
        return Some(Format::License);
    }
    None
}

fn by_ending(name: &str) -> Option<Format> {
    match ending(name) {
        "gemspec" => Some(Format::Gemspec),
        "csproj" | "fsproj" | "vbproj" => Some(Format::DotnetProject),
        "txt" if name.starts_with("requirements") || name.ends_with("requirements.txt") => Some(Format::Requirements),
        _ => None,
    }
}

/// Whether a folder is below installed dependencies, hidden folders or test data.
pub(super) fn is_foreign(folder: &str) -> bool {
    const NAMES: [&str; 12] = [
        "node_modules", "bower_components", "vendor", "third_party", "third-party", "thirdparty", "testdata",
        "fixtures", "__fixtures__", "site-packages", "venv", "Pods",
    ];
    folder.split('/').any(|part| NAMES.contains(&part) || part.starts_with('.'))
}

/// The folder, `""` for the root, and the name.
pub(super) fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// What follows the last dot of a name.
pub(super) fn ending(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_are_known_by_name_and_place() {
        let manifests = [
            "Cargo.toml",
            "a/b/package.json",
            "requirements.txt",
            "requirements-dev.txt",
            "test-requirements.txt",
            "requirements/requirements.txt",
            "x.gemspec",
            "src/App/App.csproj",
            "README.md",
            "README",
            "LICENSE",
            "LICENSE-MIT",
            "COPYING.txt",
            "gradle/libs.versions.toml",
            "compose.yaml",
        ];
        for path in manifests {
            assert!(is_manifest(path), "{path}");
        }
        let others = [
            "",
            "src/main.rs",
            "docs/README.md",
            "node_modules/x/package.json",
            "a/vendor/x/composer.json",
            "crates/x/tests/fixtures/package.json",
            ".venv/lib/setup.py",
            "Cargo.lock",
            "README.html",
            "notes.txt",
            "gemspec",
        ];
        for path in others {
            assert!(!is_manifest(path), "{path}");
        }
    }

    #[test]
    fn examples_and_tests_stand_aside() {
        assert!(Format::PackageJson.is_aside("examples/a/package.json"));
        assert!(Format::Cargo.is_aside("x/tests/a/Cargo.toml"));
        assert!(!Format::DotnetProject.is_aside("tests/A.Tests/A.Tests.csproj"));
        assert!(Format::DotnetProject.is_aside("samples/A/A.csproj"));
        assert!(!Format::PackageJson.is_aside("package.json"));
    }
}
