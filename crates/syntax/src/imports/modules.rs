//! From the name of a module to a file, for each language.

use ai_assist_text::Language;

use super::paths::{ancestors, folder, join, name};
use super::{ImportTarget, Imports};

const SCRIPT_ENDINGS: &[&str] =
    &["ts", "tsx", "d.ts", "js", "jsx", "mjs", "cjs", "mts", "cts", "vue", "svelte", "json"];

/// A module in JavaScript is no longer than this, in Java no deeper; what is, is no module.
const MAX_MODULE: usize = 512;

impl Imports<'_> {
    /// What an import of a file leads to, if it is one file or folder of the project.
    pub(super) fn resolve(&self, from: &str, language: Language, module: &str) -> Option<ImportTarget> {
        if module.is_empty() || module.len() > MAX_MODULE {
            return None;
        }
        let file = match language.name() {
            "javascript" | "typescript" | "tsx" => self.script(from, module),
            "python" => self.python(from, module),
            "rust" => self.rust(from, module),
            "go" => return self.go(module).map(ImportTarget::Folder),
            "java" | "kotlin" | "scala" | "groovy" => self.java(module),
            "c" | "cpp" | "objective-c" => self.include(from, module),
            "ruby" => self.ruby(from, module),
            "php" => self.php(from, module),
            _ => None,
        };
        file.map(ImportTarget::File)
    }

    /// `./auth`, `../lib/db.js`, `@scope/package/part`, `@/part`.
    fn script(&self, from: &str, module: &str) -> Option<usize> {
        let here = folder(from);
        if module.starts_with('.') {
            return self.script_file(&join(here, module)?);
        }
        if let Some(rest) = module.strip_prefix("@/").or_else(|| module.strip_prefix("~/")) {
            // The usual alias for the sources of the package the file is in.
            return ancestors(here).find_map(|folder| self.script_file(&join(folder, &format!("src/{rest}"))?));
        }
        let names = if module.starts_with('@') { 2 } else { 1 };
        let end = module.match_indices('/').nth(names - 1).map_or(module.len(), |(at, _)| at);
        let package = self.packages.node.get(&module[..end])?;
        let rest = module[end..].trim_start_matches('/');
        let places = if rest.is_empty() {
            vec!["src/index".to_owned(), "index".to_owned()]
        } else {
            vec![rest.to_owned(), format!("src/{rest}")]
        };
        places.iter().find_map(|place| self.script_file(&join(package, place)?))
    }

    fn script_file(&self, path: &str) -> Option<usize> {
        let with_ending =
            |stem: &str| SCRIPT_ENDINGS.iter().find_map(|ending| self.paths.at(&format!("{stem}.{ending}")));
        // TypeScript writes `./x.js` for what `x.ts` will become.
        let compiled = || {
            let (stem, ending) = path.rsplit_once('.')?;
            matches!(ending, "js" | "jsx" | "mjs" | "cjs").then(|| with_ending(stem)).flatten()
        };
        let index = || with_ending(&if path.is_empty() { "index".to_owned() } else { format!("{path}/index") });
        self.paths.at(path).or_else(|| with_ending(path)).or_else(compiled).or_else(index)
    }

    /// `a.b.c`, `.sibling`, `..parent.module`.
    fn python(&self, from: &str, module: &str) -> Option<usize> {
        let here = folder(from);
        let dots = module.bytes().take_while(|&byte| byte == b'.').count();
        let path = module[dots..].replace('.', "/");
        if dots > 0 {
            let base = ancestors(here).nth(dots - 1)?;
            return self.python_module(&join(base, &path)?);
        }
        let near = || path.contains('/').then(|| self.python_end(&path)).flatten();
        let rooted = ["", "src", here].iter().find_map(|base| self.python_module(&join(base, &path)?));
        rooted.or_else(near).or_else(|| {
            // `a.b.f`, where `f` is something in the module `a.b`.
            let (module, _) = path.rsplit_once('/')?;
            let rooted = ["", "src"].iter().find_map(|base| self.python_module(&join(base, module)?));
            rooted.or_else(|| module.contains('/').then(|| self.python_end(module)).flatten())
        })
    }

    fn python_module(&self, path: &str) -> Option<usize> {
        let init = if path.is_empty() { "__init__.py".to_owned() } else { format!("{path}/__init__.py") };
        self.paths.at(&format!("{path}.py")).or_else(|| self.paths.at(&init))
    }

    fn python_end(&self, path: &str) -> Option<usize> {
        self.paths.ending(&format!("{path}.py")).or_else(|| self.paths.ending(&format!("{path}/__init__.py")))
    }

    /// `crate::a::B`, `self::a`, `super::a`, `other_crate::a`, and `a` for a module that stands below.
    fn rust(&self, from: &str, module: &str) -> Option<usize> {
        let end = module.find(['{', '*', ';', ' ']).unwrap_or(module.len());
        let names = module[..end].trim_start_matches("::").split("::");
        let mut names: Vec<&str> =
            names.map(|name| name.trim_start_matches("r#")).filter(|name| !name.is_empty()).collect();
        let first = *names.first()?;
        let own = own_module(from);
        let mut supers = 0;
        while names.first() == Some(&"super") || names.first() == Some(&"self") {
            supers += usize::from(names.remove(0) == "super");
        }
        if first == "self" || first == "super" {
            return self.rust_module(ancestors(&own).nth(supers)?, &names);
        }
        if first == "crate" {
            return self.rust_module(&self.crate_root(from)?, &names[1..]);
        }
        if let Some(package) = self.packages.crates.get(first) {
            return self.rust_module(&join(package, "src")?, &names[1..]);
        }
        self.rust_file(&join(&own, first)?).and_then(|_| self.rust_module(&own, &names))
    }

    /// The file of the longest beginning of a path of names that is a module.
    fn rust_module(&self, base: &str, names: &[&str]) -> Option<usize> {
        let deeper = (1..=names.len().min(12)).rev();
        let found = deeper.into_iter().find_map(|count| self.rust_file(&join(base, &names[..count].join("/"))?));
        let root = || ["lib.rs", "main.rs"].iter().find_map(|root| self.paths.at(&join(base, root)?));
        found.or_else(root).or_else(|| self.rust_file(base))
    }

    fn rust_file(&self, path: &str) -> Option<usize> {
        self.paths.at(&format!("{path}.rs")).or_else(|| self.paths.at(&format!("{path}/mod.rs")))
    }

    /// The folder of the crate's root: the nearest with a `lib.rs` or `main.rs`.
    fn crate_root(&self, from: &str) -> Option<String> {
        let is_root = |folder: &&str| {
            ["lib.rs", "main.rs"]
                .iter()
                .any(|root| join(folder, root).is_some_and(|path| self.paths.at(&path).is_some()))
        };
        ancestors(folder(from)).find(is_root).map(str::to_owned)
    }

    /// `module/path/folder`, by the longest module path that fits.
    fn go(&self, module: &str) -> Option<usize> {
        let ends = std::iter::once(module.len()).chain(module.rmatch_indices('/').map(|(at, _)| at));
        let place = ends.into_iter().find_map(|end| {
            let folder = self.packages.go.get(&module[..end])?;
            join(folder, &module[end..])
        })?;
        self.go_folders.get(place.as_str()).copied()
    }

    /// `com.example.Type`, also with the name of a member after it.
    fn java(&self, module: &str) -> Option<usize> {
        let module = module.strip_prefix("static ").unwrap_or(module).trim().trim_end_matches(".*").replace('.', "/");
        let inner = module.rsplit_once('/').map(|(outer, _)| outer);
        let places = std::iter::once(module.as_str()).chain(inner).filter(|place| place.contains('/'));
        places.into_iter().find_map(|place| {
            ["java", "kt", "scala", "groovy"].iter().find_map(|ending| self.paths.ending(&format!("{place}.{ending}")))
        })
    }

    /// `dir/file.h`: from the file's folder, else the only one of that name. `<dir/file.h>`: below the nearest folder `include`, as
    /// kernels and libraries have it, else the only one of that name; a name alone is more likely one of the system.
    fn include(&self, from: &str, module: &str) -> Option<usize> {
        let included = |path: &str| {
            ancestors(folder(from)).find_map(|base| self.paths.at(&join(base, &format!("include/{path}"))?))
        };
        if let Some(path) = module.strip_prefix('<') {
            let path = path.trim_end_matches('>');
            return included(path).or_else(|| path.contains('/').then(|| self.paths.ending(path)).flatten());
        }
        let path = module.trim_matches('"');
        let here = join(folder(from), path).and_then(|path| self.paths.at(&path));
        let only = || self.paths.ending(path.trim_start_matches("./").trim_start_matches("../"));
        here.or_else(|| included(path)).or_else(only)
    }

    /// `./sibling`, `dir/file` below a folder of sources.
    fn ruby(&self, from: &str, module: &str) -> Option<usize> {
        let file = if module.ends_with(".rb") { module.to_owned() } else { format!("{module}.rb") };
        let near = join(folder(from), &file).and_then(|path| self.paths.at(&path));
        let library = || ancestors(folder(from)).find_map(|base| self.paths.at(&join(base, &format!("lib/{file}"))?));
        near.or_else(library)
            .or_else(|| file.contains('/').then(|| self.paths.ending(file.trim_start_matches("./"))).flatten())
    }

    /// `App\Models\User` by the longest end that is one file; `dir/file.php` from the file's folder.
    fn php(&self, from: &str, module: &str) -> Option<usize> {
        if module.ends_with(".php") {
            return self.paths.at(&join(folder(from), module)?);
        }
        let path = module.trim_start_matches('\\').replace('\\', "/");
        let starts = std::iter::once(0).chain(path.match_indices('/').map(|(at, _)| at + 1)).take(8);
        let ends = starts.map(|start| &path[start..]).filter(|end| end.contains('/'));
        ends.into_iter().find_map(|end| self.paths.ending(&format!("{end}.php")))
    }
}

/// The folder in which the modules below a Rust file stand.
fn own_module(path: &str) -> String {
    match name(path) {
        "mod.rs" | "lib.rs" | "main.rs" => folder(path).to_owned(),
        _ => path.strip_suffix(".rs").unwrap_or(path).to_owned(),
    }
}
