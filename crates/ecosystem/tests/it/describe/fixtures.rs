//! One realistic project for each ecosystem.

pub(super) type Files = &'static [(&'static str, &'static str)];

pub(super) const RUST: Files = &[
    (
        "Cargo.toml",
        r#"[workspace]
members = ["crates/*", "tests/harness"]
exclude = ["crates/old"]
[workspace.package]
version = "0.3.0"
license = "MIT OR Apache-2.0"
description = "A tool for things."
[workspace.dependencies]
axum = { version = "0.8", default-features = false }
serde1 = { package = "serde", version = "1" }
core = { path = "crates/core" }
"#,
    ),
    (
        "crates/core/Cargo.toml",
        "[package]\nname = \"core\"\nversion.workspace = true\n[dependencies]\nserde1.workspace = true\n[dev-dependencies]\nproptest = \"1\"\n",
    ),
    ("crates/core/src/lib.rs", ""),
    (
        "crates/server/Cargo.toml",
        "[package]\nname = \"server\"\n[[bin]]\nname = \"served\"\npath = \"src/start.rs\"\n[[bin]]\nname=\"gone\"\npath=\"src/gone.rs\"\n[dependencies]\naxum.workspace = true\ncore.workspace = true\n[target.'cfg(unix)'.dependencies]\nrustix = { git = \"https://me:pw@example.org/rustix\" }\n[build-dependencies]\ncc = \"1\"\n",
    ),
    ("crates/server/src/start.rs", ""),
    ("crates/tool/Cargo.toml", "[package]\nname = \"tool\"\n[dependencies]\nclap = \"4\"\naxum = \"0.8\"\n"),
    ("crates/tool/src/main.rs", ""),
    ("crates/tool/src/bin/other.rs", ""),
    ("crates/tool/src/bin/third/main.rs", ""),
    ("crates/tool/src/bin/third/part.rs", ""),
    ("crates/tool/tests/it.rs", ""),
    ("crates/old/Cargo.toml", "[package]\nname = \"old\"\n[dependencies]\nancient = \"0.1\"\n"),
    ("tests/harness/Cargo.toml", "[package]\nname = \"harness\"\n"),
    ("tests/harness/src/lib.rs", ""),
    ("examples/shown/Cargo.toml", "[package]\nname = \"shown\"\n[dependencies]\nunseen = \"1\"\n"),
    ("README.md", "# thing\n\nA tool.\n"),
    (".github/workflows/ci.yml", ""),
];

pub(super) const NODE: Files = &[
    (
        "package.json",
        r#"{ "name": "@acme/api", "version": "2.1.0", "description": "The API.", "license": "ISC",
  "packageManager": "pnpm@9.1.0", "main": "./dist/index.js", "bin": { "acme": "bin/acme.js", "gone": "bin/gone.js" },
  "exports": { ".": { "types": "./dist/index.d.ts", "import": "./dist/esm/index.js" }, "./client": "./dist/client.js" },
  "scripts": { "start": "node server.js", "test": "jest && node --test", "build": "tsc -p ." },
  "dependencies": { "express": "^4.19.0", "pg": "8" , "private": "git+ssh://git:token@example.org/x.git" },
  "devDependencies": { "jest": "^29", "typescript": "~5.4" },
  "peerDependencies": { "react": ">=18" }, "optionalDependencies": { "fsevents": "*" } }"#,
    ),
    ("bin/acme.js", ""),
    ("server.js", ""),
    ("src/index.ts", ""),
    ("src/client.ts", ""),
    ("tsconfig.json", ""),
    ("vitest.config.mts", ""),
    ("Dockerfile", ""),
    (
        "docker-compose.yml",
        "services:\n  db:\n    image: docker.io/library/postgres:16\n  cache:\n    image: \"redis\"\n  own:\n    image: acme/own\n",
    ),
    ("node_modules/express/package.json", r#"{ "name": "express", "dependencies": { "body-parser": "1" } }"#),
    ("examples/a/package.json", r#"{ "name": "a", "dependencies": { "unseen": "1" } }"#),
];

pub(super) const PYTHON: Files = &[
    (
        "pyproject.toml",
        r#"[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "My.App"
version = "1.0"
description = "Apps, mine."
license = { text = "BSD-3-Clause" }
dependencies = ["FastAPI[all]>=0.110 ; python_version > '3.8'", "sqlalchemy~=2.0", "tool @ https://u:p@example.org/t.whl"]
[project.optional-dependencies]
redis = ["redis"]
test = ["hypothesis (>=6)"]
[project.scripts]
my-app = "my_app.cli:main"
gone = "my_app.gone:main"
[dependency-groups]
dev = ["ruff==0.4.1", { include-group = "test" }]
[tool.pytest.ini_options]
addopts = "-q"
[tool.uv]
dev-dependencies = ["mypy"]
"#,
    ),
    ("src/my_app/__init__.py", ""),
    ("src/my_app/__main__.py", ""),
    ("src/my_app/cli.py", ""),
    ("main.py", ""),
    ("requirements-dev.txt", "-r requirements.txt\n--index-url https://u:p@example.org\ntox>=4 # x\n./local\n"),
    ("docs/requirements.txt", "sphinx\n"),
    ("tests/test_app.py", ""),
    ("uv.lock", ""),
];

pub(super) const POETRY: Files = &[
    (
        "pyproject.toml",
        r#"[tool.poetry]
name = "shop"
version = "0.2.0"
description = "A shop."
license = "MIT"
[tool.poetry.dependencies]
python = "^3.11"
Django = "^5.0"
celery = { version = "^5", extras = ["redis"] }
multi = [{ version = "1", python = "<3.9" }, { version = "2" }]
[tool.poetry.group.test.dependencies]
pytest-django = "*"
[tool.poetry.dev-dependencies]
black = "*"
[tool.poetry.scripts]
shop = "shop:run"
[build-system]
build-backend = "poetry.core.masonry.api"
"#,
    ),
    ("manage.py", ""),
    ("shop/__init__.py", ""),
    ("shop/wsgi.py", ""),
];

pub(super) const SETUP: Files = &[
    (
        "setup.py",
        r#"from setuptools import setup, find_packages
# setup(name="wrong")
VERSION = "9"
setup(
    name="oldie",
    version=VERSION,
    description='An old one, it\'s fine.',
    install_requires=["requests>=2", 'six' + x, "click",],
    extras_require={"dev": ["nose"], "fast": ["numpy"]},
    entry_points={"console_scripts": ["oldie = oldie.main:run"]},
    test_suite="tests",
    license="MIT")
"#,
    ),
    (
        "setup.cfg",
        "[metadata]\nname = oldie\nversion = attr: oldie.__version__\n[options]\ninstall_requires =\n    attrs>=20 # x\n    tomli; python_version < '3.11'\n[options.extras_require]\ntest =\n  pytest\n[options.entry_points]\nconsole_scripts =\n    oldie2 = oldie.two:run\n[tool:pytest]\naddopts = -q\n",
    ),
    (
        "Pipfile",
        "[packages]\nflask = \"*\"\nlocal = { path = \".\" }\n[dev-packages]\nmypy = { version = \"==1\" }\n[requires]\npython_version = \"3\"\n",
    ),
    ("oldie/__init__.py", ""),
    ("oldie/main.py", ""),
    ("oldie/two.py", ""),
];

pub(super) const GO: Files = &[
    (
        "go.mod",
        "module example.com/acme/server/v2\n\ngo 1.22\n\nrequire (\n\tgithub.com/go-chi/chi/v5 v5.0.12\n\tgithub.com/stretchr/testify v1.9.0\n\tgolang.org/x/sys v0.1.0 // indirect\n)\n\nrequire github.com/jackc/pgx/v5 v5.5.0\n",
    ),
    ("cmd/api/main.go", ""),
    ("cmd/tool/main.go", ""),
    ("internal/a.go", ""),
    ("internal/a_test.go", ""),
    ("vendor/x/go.mod", "module x\n"),
    (
        "LICENSE",
        "                                 Apache License\n                           Version 2.0, January 2004\n",
    ),
];

pub(super) const MAVEN: Files = &[
    (
        "pom.xml",
        r#"<?xml version="1.0"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <groupId>com.acme</groupId><artifactId>parent</artifactId><version>1.4.0</version><packaging>pom</packaging>
  <description>All of &quot;Acme&quot;.</description>
  <licenses><license><name>Apache-2.0</name></license></licenses>
  <modules><module>app</module><module>lib</module></modules>
  <properties><boot.version>3.2.5</boot.version><junit>5.10.2</junit><loop>${loop}</loop></properties>
  <dependencyManagement><dependencies>
    <dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>${junit}</version></dependency>
  </dependencies></dependencyManagement>
</project>"#,
    ),
    (
        "app/pom.xml",
        r#"<project><parent><groupId>com.acme</groupId><artifactId>parent</artifactId><version>1.4.0</version></parent>
  <artifactId>app</artifactId>
  <properties><start-class>com.acme.app.Start</start-class></properties>
  <dependencies>
    <dependency><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-web</artifactId><version>${boot.version}</version></dependency>
    <dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><scope>test</scope></dependency>
    <dependency><groupId>javax.servlet</groupId><artifactId>servlet-api</artifactId><version>${loop}</version><scope>provided</scope></dependency>
    <dependency><groupId>${project.groupId}</groupId><artifactId>lib</artifactId><version>${project.version}</version></dependency>
    <!-- <dependency><groupId>no</groupId><artifactId>no</artifactId></dependency> -->
  </dependencies></project>"#,
    ),
    ("app/src/main/java/com/acme/app/Start.java", ""),
    ("app/src/main/java/com/acme/app/OtherApplication.java", ""),
    (
        "lib/pom.xml",
        "<project><parent><groupId>com.acme</groupId><artifactId>parent</artifactId><version>1.4.0</version><relativePath>../</relativePath></parent><artifactId>lib</artifactId></project>",
    ),
    ("lib/src/main/java/com/acme/Lib.java", ""),
];

pub(super) const GRADLE: Files = &[
    ("settings.gradle.kts", "rootProject.name = \"shop\"\ninclude(\":app\", \":core\")\n"),
    (
        "build.gradle.kts",
        "plugins {\n    kotlin(\"jvm\") version \"1.9.23\" apply false\n    alias(libs.plugins.boot) apply false\n}\nversion = \"2.0\"\ndescription = \"A shop.\"\n",
    ),
    (
        "gradle/libs.versions.toml",
        "[versions]\nktor = \"2.3.9\"\njunit = { strictly = \"5.10\" }\n[libraries]\nktor-server_core = { module = \"io.ktor:ktor-server-core\", version.ref = \"ktor\" }\nktor-json = \"io.ktor:ktor-json:2.0\"\njunit = { group = \"org.junit.jupiter\", name = \"junit-jupiter\", version.ref = \"junit\" }\n[bundles]\nktor = [\"ktor-server_core\", \"ktor-json\"]\n[plugins]\nboot = { id = \"org.springframework.boot\", version = \"3\" }\n",
    ),
    (
        "app/build.gradle.kts",
        "plugins {\n    application\n}\nval exposed = \"0.49.0\"\ndependencies {\n    implementation(libs.bundles.ktor)\n    implementation(project(\":core\"))\n    implementation(\"org.jetbrains.exposed:exposed-core:$exposed\")\n    compileOnly(\"a:provided:1\") { exclude(group = \"x\") }\n    kapt(\"a:processor:1\")\n    testImplementation(libs.junit)\n    testImplementation(kotlin(\"test\"))\n    // implementation(\"no:no:1\")\n}\napplication {\n    mainClass.set(\"com.shop.MainKt\")\n}\ntasks.test {\n    useJUnitPlatform()\n}\n",
    ),
    ("app/src/main/kotlin/com/shop/Main.kt", ""),
    (
        "core/build.gradle",
        "apply plugin: 'java-library'\ndependencies {\n    api group: 'com.google.guava', name: 'guava', version: '33.0'\n    runtimeOnly 'org.postgresql:postgresql:42.7.3'\n}\n",
    ),
    ("core/src/main/java/com/shop/Core.java", ""),
    ("core/src/main/java/com/shop/More.java", ""),
    ("app/src/main/kotlin/com/shop/A.kt", ""),
    ("app/src/main/kotlin/com/shop/B.kt", ""),
];

pub(super) const RUBY: Files = &[
    (
        "Gemfile",
        "source \"https://rubygems.org\"\ngemspec\ngem 'rails', '~> 7.1', '>= 7.1.3' # web\ngem \"pg\"\ngroup :development, :test do\n  gem \"rspec-rails\"\n  if true\n    gem 'debug', platforms: %i[mri]\n  end\nend\ngem \"rubocop\", require: false, group: :development\ngem 'own', path: 'x'\n",
    ),
    (
        "tidy.gemspec",
        "Gem::Specification.new do |spec|\n  spec.name = \"tidy\"\n  spec.version = Tidy::VERSION\n  spec.summary = %q{x}\n  spec.summary = 'Tidies up.'\n  spec.license = \"MIT\"\n  spec.executables = [\"tidy\"]\n  spec.add_dependency \"thor\", \"~> 1.3\"\n  spec.add_development_dependency(\"minitest\")\nend\n",
    ),
    ("exe/tidy", ""),
    ("lib/tidy.rb", ""),
    ("config.ru", ""),
    ("Rakefile", ""),
    (".rspec", ""),
];

pub(super) const PHP: Files = &[
    (
        "composer.json",
        r#"{ "name": "acme/shop", "description": "A shop.", "license": ["MIT", "GPL-3.0-only"], "type": "project",
  "require": { "php": ">=8.2", "ext-json": "*", "laravel/framework": "^11.0" },
  "require-dev": { "phpunit/phpunit": "^11" }, "bin": ["bin/shop"] }"#,
    ),
    ("bin/shop", ""),
    ("artisan", ""),
    ("public/index.php", ""),
    ("app/A.php", ""),
    ("phpunit.xml", ""),
];

pub(super) const DOTNET: Files = &[
    ("Shop.sln", ""),
    (
        "Directory.Packages.props",
        "<Project><ItemGroup><PackageVersion Include=\"Dapper\" Version=\"2.1.35\" /></ItemGroup></Project>",
    ),
    (
        "src/Shop.Api/Shop.Api.csproj",
        "\u{feff}<Project Sdk=\"Microsoft.NET.Sdk.Web\">\n<PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup>\n<ItemGroup><PackageReference Include=\"Dapper\" /><PackageReference Include=\"StyleCop\" Version=\"1\"><PrivateAssets>all</PrivateAssets></PackageReference><ProjectReference Include=\"../x.csproj\" /></ItemGroup></Project>",
    ),
    ("src/Shop.Api/Program.cs", ""),
    (
        "src/Shop.Cli/Shop.Cli.csproj",
        "<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup><OutputType>Exe</OutputType><PackageId>shop</PackageId><Version>1.2</Version></PropertyGroup><ItemGroup><PackageReference Include=\"System.CommandLine\" Version=\"2.0.0-beta4\" /></ItemGroup></Project>",
    ),
    ("src/Shop.Cli/Program.cs", ""),
    (
        "tests/Shop.Tests/Shop.Tests.csproj",
        "<Project Sdk=\"Microsoft.NET.Sdk\"><ItemGroup><PackageReference Include=\"Microsoft.NET.Test.Sdk\" Version=\"17\" /><PackageReference Include=\"xunit\" Version=\"2.7\" /></ItemGroup></Project>",
    ),
    ("tests/Shop.Tests/A.cs", ""),
];

pub(super) const CPP: Files = &[
    (
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.20)\nproject(viewer VERSION 1.2.3 DESCRIPTION \"Views things.\" LANGUAGES CXX)\nset(SOURCES src/window.cpp src/main.cpp)\nadd_executable(${PROJECT_NAME} WIN32 ${SOURCES})\nadd_library(core STATIC ${CMAKE_CURRENT_SOURCE_DIR}/src/core.cpp)\nfind_package(Qt6 6.5 REQUIRED COMPONENTS Widgets)\nadd_subdirectory(tests)\n",
    ),
    (
        "tests/CMakeLists.txt",
        "include(FetchContent)\nFetchContent_Declare(googletest GIT_REPOSITORY https://x GIT_TAG v1.14.0)\nadd_executable(unit unit.cpp)\ngtest_discover_tests(unit)\n",
    ),
    ("tests/unit.cpp", ""),
    ("src/main.cpp", ""),
    ("src/window.cpp", ""),
    ("src/core.cpp", ""),
    (
        "conanfile.txt",
        "[requires]\nfmt/10.2.1@user/x\ncatch2/3.5.0\n[tool_requires]\ncmake/3.29.0\n[generators]\na/b\n",
    ),
    (
        "vcpkg.json",
        r#"{ "name": "viewer", "version-semver": "1.2.0", "dependencies": ["boost-asio", { "name": "openssl", "version>=": "3" }] }"#,
    ),
];

pub(super) const C: Files = &[
    (
        "meson.build",
        "project('tiny', 'c', version: '0.4', license: 'MIT', default_options: ['warning_level=3'])\nglib = dependency('glib-2.0', version: '>=2.70')\nexecutable('tiny',\n  'src/tiny.c', 'src/more.c',\n  dependencies: [glib, dependency('cmocka')])\ntest('all', exe)\n",
    ),
    ("src/tiny.c", ""),
    ("src/more.c", ""),
    ("src/tiny.h", ""),
    ("Makefile", ""),
];

pub(super) const ALL: [Files; 13] = [RUST, NODE, PYTHON, POETRY, SETUP, GO, MAVEN, GRADLE, RUBY, PHP, DOTNET, CPP, C];
