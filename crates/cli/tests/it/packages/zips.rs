//! Archives with one folder around everything, zips, and archives that nobody made a package of.

use std::process::Command;

use super::archives::{Packing, archive};
use super::desk::{Desk, hashed, manifest, page};
use super::repository::Repository;
use super::site::Site;

/// A repository with a document, and what `git archive` makes of it with GitHub's folder around.
fn archived(with_manifest: bool, ending: &str) -> Vec<u8> {
    let repository = Repository::new();
    repository.write("docs/alder.md", page("alder"));
    repository.write("README.md", page("birch"));
    repository.write("src/main.rs", "fn main() {}\n");
    if with_manifest {
        repository.write("manifest.json", manifest(&[hashed("docs/alder.md", page("alder"))]));
    }
    repository.commit("first");
    let file = repository.path().join(format!("made{ending}"));
    repository.git(&["archive", "--prefix=owner-name-0a1b2c3/", "-o", file.to_str().unwrap(), "HEAD"]);
    std::fs::read(file).unwrap()
}

#[test]
fn archives_of_repositories_are_packages() {
    for ending in [".tar.gz", ".zip"] {
        let site = Site::http();
        site.put(&format!("/whole{ending}"), archived(true, ending));
        site.put(&format!("/plain{ending}"), archived(false, ending));

        let desk = Desk::at(&site, &format!("/whole{ending}"));
        let report = desk.sync();
        assert_eq!(report.counts(), [1, 1, 0, 0], "{ending}");
        assert_eq!(report.0["package"]["name"], "guide", "the manifest below the folder counts");
        assert_eq!(desk.found("alder"), ["docs/alder.md"]);
        assert!(desk.sync().is_up_to_date());
        assert_eq!(desk.leftovers(), Vec::<std::path::PathBuf>::new());

        // Without a manifest it is taken as a repository is.
        let desk = Desk::at(&site, &format!("/plain{ending}"));
        let report = desk.sync();
        assert_eq!(report.counts(), [2, 2, 0, 0], "{ending}");
        assert_eq!(report.0["package"]["name"], "owner-name-0a1b2c3");
        assert_eq!(desk.found("shared"), ["README.md", "docs/alder.md"]);
        assert!(desk.sync().is_up_to_date());
        // Another data folder, the same lock.
        let fresh = Desk::at(&site, &format!("/plain{ending}"));
        fresh.sandbox.write("context.lock", desk.lock_text());
        assert_eq!(fresh.sync_with(&["--frozen"], 0).counts(), [2, 2, 0, 0]);
        assert_eq!(fresh.documents(), desk.documents());
        desk.sandbox.assert_healthy();
    }
}

#[test]
fn an_archive_without_a_folder_or_a_manifest_is_named_after_its_file() {
    let site = Site::http();
    site.put("/notes-1.2.tar.gz", archive(Packing::Gzip, &[("a.md", page("alder")), ("x/b.md", page("birch"))]));
    let desk = Desk::at(&site, "/notes-1.2.tar.gz");
    let report = desk.sync();
    assert_eq!(report.0["package"]["name"], "notes-1.2");
    assert_eq!(desk.found("shared"), ["a.md", "x/b.md"]);
    // A zip on this machine is added by its path.
    let project = desk.sandbox.project();
    std::fs::write(project.join("made.zip"), archived(true, ".zip")).unwrap();
    desk.run(&["add", "./made.zip", "--name", "made"]).assert_code(0);
    assert_eq!(desk.found("alder"), ["a.md", "docs/alder.md"]);
    let run = desk.run(&["collections", "pack", "--manifest", "x.json", "--output", "x.zip"]);
    run.assert_code(2);
}

/// Zips that must be refused, made by a program that writes whatever it is told.
#[test]
fn hostile_zips_change_nothing() {
    let script = r#"
import sys, zipfile
kind, out = sys.argv[1:]
z = zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED)
z.writestr('manifest.json', '{"name": "p", "version": "1", "sources": {"glob": ["**/*.md"]}}')
if kind == 'link':
    link = zipfile.ZipInfo('out.md'); link.create_system = 3; link.external_attr = 0o120777 << 16
    z.writestr(link, '/etc/passwd')
if kind == 'parent': z.writestr('../escaped.md', 'shared evil')
if kind == 'absolute': z.writestr('/tmp/escaped.md', 'shared evil')
if kind == 'twice': z.writestr('a.md', 'shared one'); z.writestr('a.md', 'shared two')
if kind == 'bomb':
    for n in range(10): z.writestr('%d.md' % n, b'\n' * (15 << 20))
z.close()
if kind == 'encrypted':
    b = bytearray(open(out, 'rb').read())
    b[6] |= 1; b[b.index(b'PK\x01\x02') + 8] |= 1
    open(out, 'wb').write(b)
"#;
    for (kind, part) in [
        ("link", "a symbolic link"),
        ("parent", ".."),
        ("absolute", "absolute"),
        ("twice", "twice"),
        ("bomb", "no archive of documents"),
        ("encrypted", "encrypted"),
    ] {
        let desk = Desk::new("file://./bundle.zip");
        let file = desk.sandbox.project().join("bundle.zip");
        let made = Command::new("python3").args(["-W", "ignore", "-c", script, kind]).arg(&file).output().unwrap();
        assert!(made.status.success(), "{made:?}");
        let said = desk.refused(&[]);
        assert!(said.contains(part), "{kind}: {said}");
        assert_eq!(desk.documents().len(), 0, "{kind}");
        assert!(!desk.sandbox.root().join("escaped.md").exists());
        assert_eq!(desk.leftovers().len(), 0, "{kind}");
    }
}
