//! `*.csproj` and its kin, `Directory.Packages.props`.

use std::collections::BTreeMap;

use super::xml::{Document, Node};
use super::{Asked, DependencyKind, EntryPointKind, Family, Findings, join, set, split, upwards, words};

/// The versions that are kept in one place, by the folder they count for.
#[derive(Default)]
pub(super) struct Central(BTreeMap<String, BTreeMap<String, String>>);

impl Central {
    pub(super) fn versions(&mut self, findings: &mut Findings<'_>, path: &str, text: &str) {
        let document = Document::read(text);
        let Some(project) = document.root("Project") else {
            return findings.warn(path, "it is not the XML that was expected");
        };
        let versions = project.find_all(&["ItemGroup", "PackageVersion"]).into_iter();
        let versions =
            versions.filter_map(|node| Some((node.attribute("Include")?.to_owned(), stated(node, "Version")?)));
        self.0.insert(split(path).0.to_owned(), versions.take(5_000).collect());
    }

    pub(super) fn project(&mut self, findings: &mut Findings<'_>, path: &str, text: &str) {
        let document = Document::read(text);
        let Some(root) = document.root("Project") else {
            return findings.warn(path, "it is not the XML that was expected");
        };
        if !document.complete {
            findings.say(format!("`{path}` is broken; what stands before the break is described."));
        }
        findings.build("dotnet", path);
        if findings.project(Family::Dotnet, path).is_none() {
            return;
        }
        let references = root.find_all(&["ItemGroup", "PackageReference"]);
        let is_test = property(root, "IsTestProject") == Some("true")
            || references.iter().any(|node| node.attribute("Include") == Some("Microsoft.NET.Test.Sdk"));
        describe(findings, path, root);
        let central = upwards(split(path).0).find_map(|folder| self.0.get(folder));
        for node in references {
            depend(findings, path, node, is_test, central);
        }
        if !is_test {
            enter(findings, path, root);
        }
    }
}

/// An attribute, or the child of the same name.
fn stated(node: Node<'_>, name: &str) -> Option<String> {
    node.attribute(name).or_else(|| node.child_text(name)).map(str::to_owned)
}

fn property<'d>(root: Node<'d>, name: &str) -> Option<&'d str> {
    root.children("PropertyGroup").find_map(|group| group.child_text(name))
}

fn describe(findings: &mut Findings<'_>, path: &str, root: Node<'_>) {
    let file = words::last_part(path).rsplit_once('.').map_or("", |(stem, _)| stem);
    // `$(…)` is worked out by the build.
    let plain = |name: &str| property(root, name).filter(|text| !text.contains("$("));
    let Some(project) = findings.project(Family::Dotnet, path) else { return };
    set(&mut project.name, plain("PackageId").and_then(words::name), path, "PackageId");
    set(&mut project.name, plain("AssemblyName").and_then(words::name), path, "AssemblyName");
    set(&mut project.name, words::name(file), path, "its name");
    set(&mut project.version, plain("Version").and_then(words::short), path, "Version");
    set(&mut project.version, plain("VersionPrefix").and_then(words::short), path, "VersionPrefix");
    set(&mut project.description, plain("Description").and_then(words::prose), path, "Description");
    let license = plain("PackageLicenseExpression").and_then(words::short);
    set(&mut project.license, license, path, "PackageLicenseExpression");
    let sdk = root.attribute("Sdk").unwrap_or_default();
    if sdk.starts_with("Microsoft.NET.Sdk.Web") {
        findings.technology("ASP.NET Core", format!("{path}: Sdk"));
    }
    if sdk.starts_with("Microsoft.NET.Sdk.BlazorWebAssembly") {
        findings.technology("Blazor", format!("{path}: Sdk"));
    }
    for (name, shown) in [("UseWPF", "WPF"), ("UseWindowsForms", "Windows Forms"), ("UseMaui", ".NET MAUI")] {
        if property(root, name) == Some("true") {
            findings.technology(shown, format!("{path}: {name}"));
        }
    }
}

fn depend(
    findings: &mut Findings<'_>,
    path: &str,
    node: Node<'_>,
    is_test: bool,
    central: Option<&BTreeMap<String, String>>,
) {
    let Some(name) = node.attribute("Include") else { return };
    let version = stated(node, "Version").or_else(|| stated(node, "VersionOverride"));
    let version = version.or_else(|| central?.get(name).cloned());
    let is_private = stated(node, "PrivateAssets").is_some_and(|assets| assets.eq_ignore_ascii_case("all"));
    let kind = if is_test || is_private { DependencyKind::Dev } else { DependencyKind::Runtime };
    let version = version.as_deref();
    findings.depend(&Asked { ecosystem: "nuget", name, version, kind, manifest: path, key: "PackageReference" });
}

fn enter(findings: &mut Findings<'_>, path: &str, root: Node<'_>) {
    let folder = split(path).0;
    let Some(place) = findings.files.first_of(folder, &["Program.cs", "Program.fs", "Program.vb"]) else { return };
    let sdk = root.attribute("Sdk").unwrap_or_default();
    if sdk.starts_with("Microsoft.NET.Sdk.Web") {
        // Pages lie in these folders; without them it only answers requests.
        let pages = ["Pages", "Views", "Components"]
            .iter()
            .find(|name| join(folder, name).is_some_and(|folder| !findings.files.under(&folder).is_empty()));
        return match pages {
            Some(name) => findings.enter(place, EntryPointKind::Web, format!("{path}: Sdk, with {name}")),
            None => findings.enter(place, EntryPointKind::Api, format!("{path}: Sdk")),
        };
    }
    match property(root, "OutputType") {
        Some("Exe" | "WinExe") => findings.enter_program(place, path, "OutputType"),
        _ if sdk.starts_with("Microsoft.NET.Sdk.Worker") => findings.enter_program(place, path, "Sdk"),
        _ => {}
    }
}
