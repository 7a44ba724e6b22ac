//! Node, Python, Ruby and PHP.

use super::fixtures::{NODE, PHP, POETRY, PYTHON, RUBY, SETUP};
use super::{dependencies, described, entries, evidence, headline, packages, values};

#[test]
fn a_service_of_node() {
    let description = described(NODE);
    let expected = [
        "@acme/api (package.json: name)",
        "node (package.json)",
        "2.1.0 (package.json: version)",
        "ISC (package.json: license)",
        "The API. (package.json: description)",
    ];
    assert_eq!(headline(&description), expected);
    let expected = [
        "express ^4.19.0 runtime",
        "fsevents * runtime",
        "jest ^29 dev",
        "pg 8 runtime",
        "private git+ssh://example.org/x.git runtime",
        "react >=18 peer",
        "typescript ~5.4 dev",
    ];
    assert_eq!(dependencies(&description), expected);
    let expected = [
        "Cli bin/acme.js (package.json: bin.acme)",
        "Api server.js (package.json: scripts.start; it depends on express)",
        "Library src/client.ts (package.json: exports../client is ./dist/client.js, of which src/client.ts is the source by name)",
        "Api src/index.ts (package.json: it depends on express)",
    ];
    assert_eq!(entries(&description), expected);
    assert_eq!(values(&description.build_systems), ["pnpm", "tsc"]);
    assert_eq!(values(&description.test_frameworks), ["jest", "node:test", "vitest"]);
    assert_eq!(evidence(&description.test_frameworks, "jest"), "package.json: devDependencies.jest");
    let expected = ["Docker", "Docker Compose", "Express", "PostgreSQL", "React", "Redis", "TypeScript"];
    assert_eq!(values(&description.technologies), expected);
    assert_eq!(evidence(&description.technologies, "Redis"), "docker-compose.yml: image redis");
    assert!(packages(&description).is_empty());
}

#[test]
fn a_package_of_python_with_the_standard_tables() {
    let description = described(PYTHON);
    let expected = [
        "My.App (pyproject.toml: project.name)",
        "python (pyproject.toml)",
        "1.0 (pyproject.toml: project.version)",
        "BSD-3-Clause (pyproject.toml: project.license)",
        "Apps, mine. (pyproject.toml: project.description)",
    ];
    assert_eq!(headline(&description), expected);
    let expected = [
        "fastapi >=0.110 runtime",
        "hypothesis >=6 dev",
        "mypy - dev",
        "redis - runtime",
        "ruff ==0.4.1 dev",
        "sphinx - dev docs/requirements.txt",
        "sqlalchemy ~=2.0 runtime",
        "tool https://example.org/t.whl runtime",
        "tox >=4 dev",
    ];
    assert_eq!(dependencies(&description), expected);
    let expected = [
        "Api main.py (pyproject.toml: it depends on fastapi)",
        "Library src/my_app/__init__.py (pyproject.toml, with a package of the project's name)",
        "Cli src/my_app/__main__.py (pyproject.toml, with __main__.py)",
        "Cli src/my_app/cli.py (pyproject.toml: project.scripts.my-app)",
    ];
    assert_eq!(entries(&description), expected);
    assert_eq!(values(&description.build_systems), ["hatch", "pip", "uv"]);
    assert_eq!(values(&description.test_frameworks), ["hypothesis", "pytest", "tox"]);
    assert!(packages(&description).is_empty());
}

#[test]
fn a_project_of_poetry() {
    let description = described(POETRY);
    assert_eq!(description.name.value, "shop");
    assert_eq!(description.license.as_ref().unwrap().evidence, "pyproject.toml: tool.poetry.license");
    let expected =
        ["black * dev", "celery ^5 runtime", "django ^5.0 runtime", "multi 1 runtime", "pytest-django * dev"];
    assert_eq!(dependencies(&description), expected);
    let expected = [
        "Script manage.py (pyproject.toml, with manage.py)",
        "Cli shop/__init__.py (pyproject.toml: tool.poetry.scripts.shop)",
    ];
    assert_eq!(entries(&description), expected);
    assert_eq!(values(&description.build_systems), ["poetry"]);
    assert_eq!(values(&description.test_frameworks), ["pytest"]);
    assert_eq!(values(&description.technologies), ["Black", "Celery", "Django"]);
}

#[test]
fn only_literals_of_a_setup_script_are_taken() {
    let description = described(SETUP);
    assert_eq!(description.name.value, "oldie");
    assert_eq!(description.version, None);
    assert_eq!(description.description.as_ref().unwrap().value, "An old one, it's fine.");
    let expected = [
        "attrs >=20 runtime", "click - runtime", "flask * runtime", "local . runtime", "mypy ==1 dev", "nose - dev",
        "numpy - runtime", "pytest - dev", "requests >=2 runtime", "tomli - runtime",
    ];
    assert_eq!(dependencies(&description), expected);
    let expected = [
        "Library oldie/__init__.py (setup.cfg, with a package of the project's name)",
        "Cli oldie/main.py (setup.py: console_scripts.oldie)",
        "Cli oldie/two.py (setup.cfg: console_scripts.oldie2)",
    ];
    assert_eq!(entries(&description), expected);
    assert_eq!(values(&description.build_systems), ["pipenv", "setuptools"]);
    assert_eq!(values(&description.test_frameworks), ["nose", "pytest", "unittest"]);
}

#[test]
fn tests_of_python_are_told_by_their_names_if_nothing_else_does() {
    let files = [("requirements.txt", "flask==3.0 \\\n  --hash=sha256:0\n"), ("app.py", ""), ("test_app.py", "")];
    let description = described(&files);
    assert_eq!(values(&description.test_frameworks), ["unittest"]);
    assert_eq!(dependencies(&description), ["flask ==3.0 runtime"]);
    assert_eq!(entries(&description), ["Api app.py (requirements.txt: it depends on flask)"]);
    assert_eq!(description.name.value, "unknown");
}

#[test]
fn a_gem() {
    let description = described(RUBY);
    let expected = [
        "tidy (tidy.gemspec: name)",
        "ruby (tidy.gemspec)",
        "MIT (tidy.gemspec: license)",
        "Tidies up. (tidy.gemspec: summary)",
    ];
    assert_eq!(headline(&description), expected);
    let expected = [
        "debug - dev",
        "minitest - dev",
        "own - runtime",
        "pg - runtime",
        "rails ~> 7.1, >= 7.1.3 runtime",
        "rspec-rails - dev",
        "rubocop - dev",
        "thor ~> 1.3 runtime",
    ];
    assert_eq!(dependencies(&description), expected);
    let expected = [
        "Web config.ru (tidy.gemspec, with config.ru)",
        "Cli exe/tidy (tidy.gemspec: executables)",
        "Library lib/tidy.rb (tidy.gemspec: name)",
    ];
    assert_eq!(entries(&description), expected);
    assert_eq!(values(&description.build_systems), ["bundler", "rake", "rubygems"]);
    assert_eq!(values(&description.test_frameworks), ["minitest", "rspec"]);
}

#[test]
fn a_shop_of_php() {
    let description = described(PHP);
    let expected = [
        "acme/shop (composer.json: name)",
        "php (composer.json)",
        "MIT OR GPL-3.0-only (composer.json: license)",
        "A shop. (composer.json: description)",
    ];
    assert_eq!(headline(&description), expected);
    assert_eq!(dependencies(&description), ["laravel/framework ^11.0 runtime", "phpunit/phpunit ^11 dev"]);
    let expected = [
        "Script artisan (composer.json, with artisan)",
        "Cli bin/shop (composer.json: bin)",
        "Web public/index.php (composer.json, with public/index.php)",
    ];
    assert_eq!(entries(&description), expected);
    assert_eq!(values(&description.test_frameworks), ["phpunit"]);
    assert_eq!(values(&description.technologies), ["Laravel"]);
}
