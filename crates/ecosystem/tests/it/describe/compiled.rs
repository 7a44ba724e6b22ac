//! Rust, Go, Java, Kotlin, .NET, C and C++.

use super::fixtures::{C, CPP, DOTNET, GO, GRADLE, MAVEN, RUST};
use super::{dependencies, described, entries, evidence, headline, packages, values};

#[test]
fn a_workspace_of_rust() {
    let description = described(RUST);
    let expected = [
        "thing (README.md: title)",
        "rust (Cargo.toml)",
        "0.3.0 (Cargo.toml: workspace.package.version)",
        "MIT OR Apache-2.0 (Cargo.toml: workspace.package.license)",
        "A tool for things. (Cargo.toml: workspace.package.description)",
    ];
    assert_eq!(headline(&description), expected);
    let expected = [
        "axum 0.8 runtime crates/server/Cargo.toml",
        "axum 0.8 runtime crates/tool/Cargo.toml",
        "cc 1 dev crates/server/Cargo.toml",
        "clap 4 runtime crates/tool/Cargo.toml",
        "proptest 1 dev crates/core/Cargo.toml",
        "rustix https://example.org/rustix runtime crates/server/Cargo.toml",
        "serde 1 runtime crates/core/Cargo.toml",
    ];
    assert_eq!(dependencies(&description), expected);
    let expected = [
        "Library crates/core/src/lib.rs (crates/core/Cargo.toml: package, with src/lib.rs)",
        "Api crates/server/src/start.rs (crates/server/Cargo.toml: bin.served; it depends on axum)",
        "Cli crates/tool/src/bin/other.rs (crates/tool/Cargo.toml: package, with src/bin; it depends on clap)",
        "Cli crates/tool/src/bin/third/main.rs (crates/tool/Cargo.toml: package, with src/bin; it depends on clap)",
        "Cli crates/tool/src/main.rs (crates/tool/Cargo.toml: package, with src/main.rs; it depends on clap)",
        "Library tests/harness/src/lib.rs (tests/harness/Cargo.toml: package, with src/lib.rs)",
    ];
    assert_eq!(entries(&description), expected);
    let expected =
        ["core crates/core rust", "server crates/server rust", "tool crates/tool rust", "harness tests/harness rust"];
    assert_eq!(packages(&description), expected);
    assert_eq!(values(&description.build_systems), ["cargo", "cc"]);
    assert_eq!(values(&description.test_frameworks), ["cargo test", "proptest"]);
    assert_eq!(evidence(&description.test_frameworks, "cargo test"), "crates/core/Cargo.toml: dev-dependencies");
    assert_eq!(evidence(&description.test_frameworks, "proptest"), "crates/core/Cargo.toml: dev-dependencies.proptest");
    assert_eq!(values(&description.technologies), ["GitHub Actions", "Serde", "axum", "clap"]);
}

#[test]
fn a_service_of_go() {
    let description = described(GO);
    let expected = [
        "example.com/acme/server/v2 (go.mod: module)",
        "go (go.mod)",
        "Apache-2.0 (LICENSE: `apache license version 2.0`)",
    ];
    assert_eq!(headline(&description), expected);
    let expected = [
        "github.com/go-chi/chi/v5 v5.0.12 runtime",
        "github.com/jackc/pgx/v5 v5.5.0 runtime",
        "github.com/stretchr/testify v1.9.0 dev",
    ];
    assert_eq!(dependencies(&description), expected);
    let because = "(go.mod: module, with cmd; it depends on github.com/go-chi/chi/v5)";
    let expected = [format!("Api cmd/api/main.go {because}"), format!("Api cmd/tool/main.go {because}")];
    assert_eq!(entries(&description), expected);
    assert_eq!(values(&description.test_frameworks), ["go test", "testify"]);
    assert_eq!(evidence(&description.test_frameworks, "go test"), "internal/a_test.go");
    assert_eq!(values(&description.technologies), ["PostgreSQL", "chi"]);
}

#[test]
fn a_library_of_go() {
    let files = [("go.mod", "module example.com/go-thing/v3\n"), ("thing.go", ""), ("other.go", "")];
    let description = described(&files);
    assert_eq!(entries(&description), ["Library thing.go (go.mod: module, without a main.go)"]);
}

#[test]
fn modules_of_maven() {
    let description = described(MAVEN);
    let expected = [
        "parent (pom.xml: artifactId)",
        "java (pom.xml)",
        "1.4.0 (pom.xml: version)",
        "Apache-2.0 (pom.xml: licenses.license.name)",
        "All of \"Acme\". (pom.xml: description)",
    ];
    assert_eq!(headline(&description), expected);
    let expected = [
        "javax.servlet:servlet-api ${loop} peer app/pom.xml",
        "org.junit.jupiter:junit-jupiter 5.10.2 dev app/pom.xml",
        "org.springframework.boot:spring-boot-starter-web 3.2.5 runtime app/pom.xml",
    ];
    assert_eq!(dependencies(&description), expected);
    let depends = "it depends on org.springframework.boot:spring-boot-starter-web";
    let expected = [
        format!(
            "Api app/src/main/java/com/acme/app/OtherApplication.java (app/pom.xml: {depends}; the name of the class)"
        ),
        format!("Api app/src/main/java/com/acme/app/Start.java (app/pom.xml: properties.start-class; {depends})"),
    ];
    assert_eq!(entries(&description), expected);
    assert_eq!(packages(&description), ["app app java", "lib lib java"]);
    assert_eq!(values(&description.build_systems), ["maven"]);
    assert_eq!(values(&description.test_frameworks), ["junit"]);
    assert_eq!(values(&description.technologies), ["Spring Boot"]);
}

#[test]
fn builds_of_gradle() {
    let description = described(GRADLE);
    let expected = [
        "shop (settings.gradle.kts: rootProject.name)",
        "kotlin (settings.gradle.kts)",
        "2.0 (build.gradle.kts: version)",
        "A shop. (build.gradle.kts: description)",
    ];
    assert_eq!(headline(&description), expected);
    let expected = [
        "a:processor 1 dev app/build.gradle.kts",
        "a:provided 1 peer app/build.gradle.kts",
        "com.google.guava:guava 33.0 runtime core/build.gradle",
        "io.ktor:ktor-json 2.0 runtime app/build.gradle.kts",
        "io.ktor:ktor-server-core 2.3.9 runtime app/build.gradle.kts",
        "org.jetbrains.exposed:exposed-core 0.49.0 runtime app/build.gradle.kts",
        "org.jetbrains.kotlin:kotlin-test - dev app/build.gradle.kts",
        "org.junit.jupiter:junit-jupiter 5.10 dev app/build.gradle.kts",
        "org.postgresql:postgresql 42.7.3 runtime core/build.gradle",
    ];
    assert_eq!(dependencies(&description), expected);
    let main = "Api app/src/main/kotlin/com/shop/Main.kt (app/build.gradle.kts: mainClass; it depends on io.ktor:ktor-server-core)";
    assert_eq!(entries(&description), [main]);
    assert_eq!(packages(&description), ["app app kotlin", "core core java"]);
    assert_eq!(values(&description.test_frameworks), ["junit", "kotlin.test"]);
    assert_eq!(values(&description.technologies), ["Exposed", "Guava", "Ktor", "PostgreSQL", "Spring Boot"]);
}

#[test]
fn projects_of_dotnet() {
    let description = described(DOTNET);
    let expected = ["Shop (Shop.sln: its name)", "dotnet (Shop.sln)"];
    assert_eq!(headline(&description), expected);
    let expected = [
        "Dapper 2.1.35 runtime src/Shop.Api/Shop.Api.csproj",
        "Microsoft.NET.Test.Sdk 17 dev tests/Shop.Tests/Shop.Tests.csproj",
        "StyleCop 1 dev src/Shop.Api/Shop.Api.csproj",
        "System.CommandLine 2.0.0-beta4 runtime src/Shop.Cli/Shop.Cli.csproj",
        "xunit 2.7 dev tests/Shop.Tests/Shop.Tests.csproj",
    ];
    assert_eq!(dependencies(&description), expected);
    let expected = [
        "Api src/Shop.Api/Program.cs (src/Shop.Api/Shop.Api.csproj: Sdk)",
        "Cli src/Shop.Cli/Program.cs (src/Shop.Cli/Shop.Cli.csproj: OutputType; it depends on System.CommandLine)",
    ];
    assert_eq!(entries(&description), expected);
    let expected = ["Shop.Api src/Shop.Api dotnet", "shop src/Shop.Cli dotnet", "Shop.Tests tests/Shop.Tests dotnet"];
    assert_eq!(packages(&description), expected);
    assert_eq!(values(&description.test_frameworks), ["xunit"]);
    assert_eq!(values(&description.technologies), ["ASP.NET Core", "Dapper", "System.CommandLine"]);
}

#[test]
fn a_program_of_cmake() {
    let description = described(CPP);
    let expected = [
        "viewer (CMakeLists.txt: project)",
        "cpp (CMakeLists.txt)",
        "1.2.3 (CMakeLists.txt: project VERSION)",
        "Views things. (CMakeLists.txt: project DESCRIPTION)",
    ];
    assert_eq!(headline(&description), expected);
    let expected = [
        "Qt6 6.5 runtime",
        "googletest v1.14.0 dev tests/CMakeLists.txt",
        "catch2 3.5.0 dev",
        "cmake 3.29.0 dev",
        "fmt 10.2.1 runtime",
        "boost-asio - runtime",
        "openssl 3 runtime",
    ];
    assert_eq!(dependencies(&description), expected);
    let expected = [
        "Library src/core.cpp (CMakeLists.txt: add_library(core))",
        "Cli src/main.cpp (CMakeLists.txt: add_executable(viewer))",
    ];
    assert_eq!(entries(&description), expected);
    assert_eq!(values(&description.build_systems), ["cmake", "conan", "vcpkg"]);
    assert_eq!(values(&description.test_frameworks), ["catch2", "gtest"]);
    assert_eq!(values(&description.technologies), ["Boost", "OpenSSL", "Qt"]);
}

#[test]
fn a_program_of_meson() {
    let description = described(C);
    let expected = [
        "tiny (meson.build: project)",
        "c (meson.build)",
        "0.4 (meson.build: project(version))",
        "MIT (meson.build: project(license))",
    ];
    assert_eq!(headline(&description), expected);
    assert_eq!(dependencies(&description), ["cmocka - dev", "glib-2.0 >=2.70 runtime"]);
    assert_eq!(entries(&description), ["Cli src/tiny.c (meson.build: executable(tiny))"]);
    assert_eq!(values(&description.build_systems), ["make", "meson"]);
    assert_eq!(values(&description.test_frameworks), ["cmocka", "meson test"]);
}

#[test]
fn sources_without_a_manifest() {
    let description = described(&[("Makefile", ""), ("main.c", ""), ("util.c", ""), ("util.h", "")]);
    assert_eq!(headline(&description)[1], "c (2 of 2 source files are C or C++)");
    assert_eq!(entries(&description), ["Cli main.c (main.c, by its name)"]);
    assert_eq!(values(&description.build_systems), ["make"]);
}
