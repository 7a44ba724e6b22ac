use ai_assist_base::Cancel;
use ai_assist_pack::types::{PackConstraints, TruncationConfig};
use ai_assist_pack::{Caches, Choice, Format, PackRequest, ScanOptions, Wanted, make, render};
use ai_assist_syntax::parses;

use crate::support::Sandbox;

fn packed(sandbox: &Sandbox, wanted: Wanted, caches: &Caches) -> String {
    let request = PackRequest {
        choice: Choice { root: sandbox.repo(), ..Choice::default() },
        stop_at_secrets: false,
        wanted,
        constraints: PackConstraints::default(),
        truncation: TruncationConfig::default(),
        max_files: None,
        max_tokens: Some(3_000),
        format: Format::Markdown,
        count_tokens: true,
        reproducible: true,
        scan: ScanOptions::default(),
    };
    let made = make(&request, &|| None, caches, &Cancel::default(), &|_| {}).unwrap();
    String::from_utf8(render(&made.pack, Format::Markdown).unwrap()).unwrap()
}

#[test]
fn what_a_build_parsed_a_pack_parses_not_again() {
    let sandbox = Sandbox::new();
    for n in 0..30 {
        let body = format!("    if path.is_empty() {{ load_{n}(path); }}\n").repeat(20);
        sandbox.write(
            &format!("src/m{n}.rs"),
            format!("use crate::core::Store;\n\npub fn open_{n}(path: &str) -> Store {{\n{body}}}\n"),
        );
        sandbox.write(
            &format!("web/v{n}.ts"),
            format!("import {{ api }} from './api';\nexport function view{n}() {{ return api('/v{n}'); }}\n"),
        );
    }
    sandbox.write("src/core.rs", "pub struct Store;\n");
    sandbox.write("web/api.ts", "export function api(path: string) { return fetch(path); }\n");
    sandbox.write("README.md", "# A shop\n\nSells.\n");
    sandbox.build();
    for wanted in [Wanted::Full, Wanted::Summary] {
        let before = parses();
        let caches = Caches::open(&sandbox.cache());
        let with = packed(&sandbox, wanted, &caches);
        assert_eq!(parses(), before, "everything was known");
        caches.save().unwrap();
        assert_eq!(with, packed(&sandbox, wanted, &Caches::default()));
        assert!(parses() >= before + 62, "nothing was known");
    }
    // A pack keeps what it learns, too.
    sandbox.write("src/core.rs", "pub struct Store { rows: u8 }\n");
    for learned in [1, 0] {
        let (before, caches) = (parses(), Caches::open(&sandbox.cache()));
        packed(&sandbox, Wanted::Full, &caches);
        caches.save().unwrap();
        assert_eq!(parses(), before + learned);
    }
}
