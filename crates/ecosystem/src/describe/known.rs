//! What well-known dependencies say of a project, and the names of files.
//!
//! To teach a description a new framework, add it to the table of its ecosystem: in the line of its role the name of the
//! dependency, which may end in `*`, and after `=` what to call it, if that is not its name. The first that fits is taken, so put
//! the longer name before its prefix.

use std::collections::HashMap;
use std::sync::LazyLock;

/// What a dependency is to those who use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Something worth naming: a framework, a database, a language.
    Technology,
    /// A technology that answers requests: a program with it is an API.
    Server,
    /// A technology that makes pages: a program with it is for the web.
    Web,
    /// A technology that reads arguments: a program with it is for the command line.
    Cli,
    Test,
    Build,
}

/// A dependency that the tables know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Known {
    /// Its name, or with `*` at the end how its name begins.
    pattern: &'static str,
    pub(super) shown: &'static str,
    pub(super) role: Role,
}

/// What the tables say of a dependency, or under `file`, `stem` and `path` of a file.
pub(super) fn known(ecosystem: &str, name: &str) -> Option<Known> {
    let lower = name.to_ascii_lowercase();
    let (table, name) = match TABLES.get(ecosystem) {
        Some(table) => (table, name),
        None => (&*NATIVE_TABLE, lower.as_str()),
    };
    let fits = |known: &&Known| match known.pattern.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => name == known.pattern,
    };
    table.iter().find(fits).copied()
}

static TABLES: LazyLock<HashMap<&str, Vec<Known>>> = LazyLock::new(|| {
    let tables = [
        ("cargo", CARGO),
        ("npm", NPM),
        ("python", PYTHON),
        ("go", GO),
        ("maven", MAVEN),
        ("gradle-plugin", GRADLE_PLUGIN),
        ("rubygems", RUBYGEMS),
        ("composer", COMPOSER),
        ("nuget", NUGET),
        ("image", IMAGES),
        ("file", FILE_NAMES),
        ("stem", FILE_STEMS),
        ("path", FILE_PATHS),
    ];
    tables.into_iter().map(|(ecosystem, table)| (ecosystem, rows(table))).collect()
});

static NATIVE_TABLE: LazyLock<Vec<Known>> = LazyLock::new(|| rows(NATIVE));

fn rows(table: &'static str) -> Vec<Known> {
    let lines = table.lines().filter_map(|line| line.trim().split_once(": "));
    let rows = lines.flat_map(|(role, rows)| rows.split(", ").map(move |row| (role, row)));
    let known = rows.map(|(role, row)| {
        let (pattern, shown) = row.split_once(" = ").unwrap_or((row, row.trim_end_matches('*')));
        let role = match role {
            "server" => Role::Server,
            "web" => Role::Web,
            "cli" => Role::Cli,
            "test" => Role::Test,
            "build" => Role::Build,
            _ => Role::Technology,
        };
        Known { pattern, shown, role }
    });
    known.collect()
}

const CARGO: &str = "
    test: proptest, quickcheck, rstest, insta, trybuild, criterion = Criterion, divan = Divan
    build: cc
    web: leptos = Leptos, yew = Yew, dioxus = Dioxus
    server: axum, actix-web = Actix Web, rocket = Rocket, warp, poem = Poem, salvo = Salvo, tonic = gRPC (tonic)
    cli: clap, argh, lexopt
    tech: tokio = Tokio, async-std, hyper, reqwest, serde = Serde, sqlx = SQLx, diesel = Diesel, sea-orm = SeaORM
    tech: rusqlite = SQLite, libsqlite3-sys = SQLite, tokio-postgres = PostgreSQL, postgres = PostgreSQL
    tech: mysql* = MySQL, mongodb = MongoDB, redis = Redis, rdkafka = Kafka, lapin = RabbitMQ, tantivy = Tantivy
    tech: bevy = Bevy, tauri = Tauri, egui, ratatui = Ratatui, wasm-bindgen = WebAssembly, pyo3 = PyO3
    tech: napi = Node-API, rayon = Rayon, tree-sitter
";

const GO: &str = "
    test: github.com/stretchr/testify = testify, github.com/onsi/ginkgo* = ginkgo, github.com/onsi/gomega = gomega
    server: github.com/gin-gonic/gin = Gin, github.com/labstack/echo* = Echo, github.com/gofiber/fiber* = Fiber
    server: github.com/go-chi/chi* = chi, github.com/gorilla/mux = gorilla/mux, google.golang.org/grpc = gRPC
    cli: github.com/spf13/cobra = Cobra, github.com/urfave/cli* = urfave/cli, github.com/alecthomas/kong = Kong
    tech: github.com/99designs/gqlgen = GraphQL, gorm.io/gorm = GORM, entgo.io/ent = ent
    tech: github.com/jackc/pgx* = PostgreSQL, github.com/lib/pq = PostgreSQL, github.com/go-sql-driver/mysql = MySQL
    tech: github.com/mattn/go-sqlite3 = SQLite, modernc.org/sqlite = SQLite, go.mongodb.org/mongo-driver* = MongoDB
    tech: github.com/redis/go-redis* = Redis, github.com/go-redis/redis* = Redis
    tech: github.com/segmentio/kafka-go = Kafka, k8s.io/client-go = Kubernetes
    tech: sigs.k8s.io/controller-runtime = Kubernetes, github.com/aws/aws-sdk-go* = AWS SDK
    tech: github.com/charmbracelet/bubbletea = Bubble Tea
";

const MAVEN: &str = "
    test: org.springframework.boot:spring-boot-starter-test = junit
    test: org.jetbrains.kotlinx:kotlinx-coroutines-test = kotlinx-coroutines-test, junit:junit = junit
    test: org.junit* = junit, org.jetbrains.kotlin:kotlin-test* = kotlin.test, org.testng:testng = testng
    test: org.spockframework:* = spock, io.kotest:* = kotest, org.mockito* = mockito, io.mockk:mockk* = mockk
    test: org.assertj:* = assertj, org.testcontainers:* = testcontainers
    server: org.springframework.boot:spring-boot-starter-web* = Spring Boot, io.quarkus:quarkus-resteasy* = Quarkus
    server: io.quarkus:quarkus-rest* = Quarkus, io.micronaut:micronaut-http-server* = Micronaut
    server: io.ktor:ktor-server* = Ktor, io.javalin:javalin = Javalin, io.vertx:vertx-web = Vert.x
    cli: info.picocli:picocli = picocli, com.github.ajalt.clikt:* = Clikt
    tech: org.springframework.boot:spring-boot-starter-data-jpa = JPA, org.springframework.boot:* = Spring Boot
    tech: org.springframework:* = Spring, io.quarkus:* = Quarkus, io.micronaut:* = Micronaut, io.grpc:* = gRPC
    tech: androidx.compose* = Jetpack Compose, androidx.* = Android, org.hibernate* = Hibernate
    tech: org.jetbrains.exposed:* = Exposed, org.jetbrains.kotlinx:kotlinx-coroutines* = Kotlin coroutines
    tech: org.postgresql:postgresql = PostgreSQL, mysql:mysql-connector-java = MySQL
    tech: com.mysql:mysql-connector-j = MySQL, com.h2database:h2 = H2, org.mongodb:* = MongoDB
    tech: redis.clients:jedis = Redis, io.lettuce:lettuce-core = Redis, org.apache.kafka:* = Kafka
    tech: org.apache.spark:* = Spark, org.apache.flink:* = Flink, org.projectlombok:lombok = Lombok
    tech: com.fasterxml.jackson* = Jackson, com.google.guava:guava = Guava
";

const GRADLE_PLUGIN: &str = "
    tech: org.springframework.boot = Spring Boot, com.android.* = Android
    tech: org.jetbrains.kotlin.multiplatform = Kotlin Multiplatform, org.jetbrains.compose = Compose Multiplatform
    tech: io.quarkus = Quarkus, io.micronaut.application = Micronaut, com.google.dagger.hilt.android = Hilt
";

const NUGET: &str = "
    test: Microsoft.AspNetCore.Mvc.Testing = ASP.NET Core testing, xunit*, NUnit* = nunit, MSTest* = mstest, Moq = moq
    test: FluentAssertions = fluentassertions
    web: Microsoft.AspNetCore.Components* = Blazor
    server: Microsoft.AspNetCore* = ASP.NET Core, Grpc.AspNetCore = gRPC
    cli: System.CommandLine, CommandLineParser, Spectre.Console.Cli = Spectre.Console
    tech: Swashbuckle.AspNetCore = OpenAPI, Npgsql.EntityFrameworkCore.PostgreSQL = PostgreSQL
    tech: Microsoft.EntityFrameworkCore.SqlServer = SQL Server, Microsoft.EntityFrameworkCore.Sqlite = SQLite
    tech: Microsoft.EntityFrameworkCore* = Entity Framework Core, Npgsql = PostgreSQL, Dapper
    tech: StackExchange.Redis = Redis, MongoDB.Driver = MongoDB, MediatR, MassTransit*, Serilog*
    tech: Newtonsoft.Json = Json.NET, Avalonia*, BenchmarkDotNet
";

/// Names of C and C++ libraries are much the same in all their package managers; they are compared in lower case.
const NATIVE: &str = "
    test: gtest*, googletest = gtest, catch2*, doctest, cmocka, cppunit, criterion
    tech: qt5* = Qt, qt6* = Qt, qt = Qt, qtbase = Qt, boost* = Boost, openssl = OpenSSL, protobuf = Protocol Buffers
    tech: grpc = gRPC, opencv* = OpenCV, sdl2* = SDL, sdl3* = SDL, glfw* = GLFW, vulkan* = Vulkan, cuda* = CUDA
    tech: openmp = OpenMP, mpi = MPI, eigen* = Eigen, python3 = Python, pybind11, sqlite* = SQLite
    tech: postgresql = PostgreSQL, libpq = PostgreSQL, curl, benchmark = Google Benchmark
";

/// Images of databases and the like that compositions of containers start.
const IMAGES: &str = "
    tech: postgres* = PostgreSQL, postgis = PostgreSQL, mysql = MySQL, mariadb = MariaDB, mongo = MongoDB
    tech: redis* = Redis, valkey = Valkey, memcached = Memcached, rabbitmq = RabbitMQ, kafka = Kafka, cp-kafka = Kafka
    tech: elasticsearch = Elasticsearch, opensearch = OpenSearch, clickhouse* = ClickHouse, nginx, traefik = Traefik
    tech: minio = MinIO, prometheus = Prometheus, grafana = Grafana, qdrant = Qdrant
";

const NPM: &str = "
    test: jest, ts-jest = jest, vitest, mocha, jasmine*, karma, ava, tap, tape, uvu, qunit, cypress
    test: @playwright/test = playwright, playwright, @testing-library/* = testing-library
    build: vite, webpack, rollup, parcel, esbuild, tsup, turbo = turborepo, nx, lerna, gulp, grunt
    build: @rspack/core = rspack
    web: next = Next.js, nuxt = Nuxt, @remix-run/react = Remix, gatsby = Gatsby, astro = Astro
    web: @sveltejs/kit = SvelteKit, svelte = Svelte, react-dom = React, preact = Preact, vue = Vue
    web: @angular/core = Angular, solid-js = SolidJS, lit = Lit
    server: express = Express, fastify = Fastify, koa = Koa, hono = Hono, @hapi/hapi = hapi, @nestjs/core = NestJS
    server: @apollo/server = Apollo Server, apollo-server* = Apollo Server, @trpc/server = tRPC
    cli: commander = Commander, yargs, cac = CAC, @oclif/core = oclif
    tech: react-native = React Native, expo = Expo, react = React, @modelcontextprotocol/sdk = Model Context Protocol
    tech: electron = Electron, typescript = TypeScript, graphql = GraphQL, socket.io = Socket.IO, redux = Redux
    tech: @reduxjs/toolkit = Redux, tailwindcss = Tailwind CSS, three = three.js, d3 = D3, prisma = Prisma
    tech: @prisma/client = Prisma, drizzle-orm = Drizzle, typeorm = TypeORM, sequelize = Sequelize, mongoose = MongoDB
    tech: mongodb = MongoDB, pg = PostgreSQL, mysql* = MySQL, better-sqlite3 = SQLite, sqlite3 = SQLite, redis = Redis
    tech: ioredis = Redis, bullmq = BullMQ, kafkajs = Kafka, amqplib = RabbitMQ, aws-cdk-lib = AWS CDK
    tech: @aws-sdk/* = AWS SDK, firebase = Firebase, storybook = Storybook, eslint = ESLint, prettier = Prettier
    tech: @biomejs/biome = Biome, puppeteer = Puppeteer
";

const PYTHON: &str = "
    test: pytest*, hypothesis, nose*, behave, robotframework = robot framework, tox, nox
    web: django = Django, streamlit = Streamlit, gradio = Gradio, dash = Dash
    server: djangorestframework = Django REST framework, flask = Flask, fastapi = FastAPI, starlette = Starlette
    server: tornado = Tornado, sanic = Sanic, litestar = Litestar, falcon = Falcon
    cli: click = Click, typer = Typer, docopt
    tech: aiohttp, celery = Celery, sqlalchemy = SQLAlchemy, pydantic = Pydantic, numpy = NumPy, pandas
    tech: polars = Polars, scipy = SciPy, scikit-learn, torch = PyTorch, tensorflow* = TensorFlow, jax = JAX
    tech: transformers = Transformers, langchain* = LangChain, openai = OpenAI, mcp = Model Context Protocol
    tech: jupyter* = Jupyter, airflow = Airflow, apache-airflow = Airflow, psycopg* = PostgreSQL, asyncpg = PostgreSQL
    tech: pymysql = MySQL, mysqlclient = MySQL, pymongo = MongoDB, redis = Redis, kafka-python = Kafka
    tech: boto3 = AWS SDK, grpcio = gRPC, scrapy = Scrapy, sphinx = Sphinx, mkdocs* = MkDocs, mypy, ruff = Ruff
    tech: black = Black
";

const RUBYGEMS: &str = "
    test: rspec*, minitest*, test-unit, cucumber*, capybara
    build: rake
    web: rails = Ruby on Rails, hanami = Hanami, jekyll = Jekyll
    server: sinatra = Sinatra, grape = Grape
    cli: thor = Thor
    tech: sidekiq = Sidekiq, puma = Puma, devise = Devise, pg = PostgreSQL, mysql2 = MySQL, sqlite3 = SQLite
    tech: redis = Redis, rubocop* = RuboCop
";

const COMPOSER: &str = "
    test: phpunit/phpunit = phpunit, pestphp/pest* = pest, codeception/codeception = codeception, behat/behat = behat
    web: laravel/framework = Laravel, symfony/framework-bundle = Symfony, symfony/symfony = Symfony
    web: cakephp/cakephp = CakePHP, yiisoft/yii2 = Yii, codeigniter4/framework = CodeIgniter, drupal/core* = Drupal
    server: slim/slim = Slim
    tech: symfony/console = Symfony Console, doctrine/orm = Doctrine, twig/twig = Twig, livewire/livewire = Livewire
    tech: guzzlehttp/guzzle = Guzzle, predis/predis = Redis, mongodb/mongodb = MongoDB, phpstan/phpstan = PHPStan
";

/// Whole names, anywhere in the project.
const FILE_NAMES: &str = "
    test: pytest.ini = pytest, conftest.py = pytest, tox.ini = tox, noxfile.py = nox, .rspec = rspec
    test: phpunit.xml = phpunit, phpunit.xml.dist = phpunit, karma.conf.js = karma
    build: Makefile = make, GNUmakefile = make, makefile = make, justfile = just, Justfile = just, Taskfile.yml = task
    build: Rakefile = rake, configure.ac = autotools, SConstruct = scons, xmake.lua = xmake, MODULE.bazel = bazel
    build: WORKSPACE = bazel, WORKSPACE.bazel = bazel, flake.nix = nix, default.nix = nix, shell.nix = nix
    build: turbo.json = turborepo, nx.json = nx, uv.lock = uv, poetry.lock = poetry, go.work = go
    build: conanfile.py = conan, gradlew = gradle, mvnw = maven
    tech: Dockerfile = Docker, Containerfile = Docker, tsconfig.json = TypeScript, deno.json = Deno, deno.jsonc = Deno
    tech: Chart.yaml = Helm, kustomization.yaml = Kustomize, serverless.yml = Serverless Framework, Procfile
    tech: Vagrantfile = Vagrant, Jenkinsfile = Jenkins
";

/// Names without their last ending, for those that may be written in several languages.
const FILE_STEMS: &str = "
    test: jest.config = jest, vitest.config = vitest, .mocharc = mocha, cypress.config = cypress
    test: playwright.config = playwright
    build: vite.config = vite, webpack.config = webpack, rollup.config = rollup
    tech: next.config = Next.js, nuxt.config = Nuxt, svelte.config = Svelte, astro.config = Astro
    tech: tailwind.config = Tailwind CSS
";

/// Paths from the root.
const FILE_PATHS: &str = "
    tech: .gitlab-ci.yml = GitLab CI, .travis.yml = Travis CI, azure-pipelines.yml = Azure Pipelines
    tech: bitbucket-pipelines.yml = Bitbucket Pipelines, .circleci/config.yml = CircleCI
    tech: .pre-commit-config.yaml = pre-commit, .devcontainer/devcontainer.json = Dev Containers
    tech: netlify.toml = Netlify, vercel.json = Vercel, fly.toml = Fly.io, firebase.json = Firebase
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_row_is_hidden_by_one_before_it() {
        for table in TABLES.values().chain([&*NATIVE_TABLE]) {
            for (at, Known { pattern, .. }) in table.iter().enumerate() {
                let name = pattern.trim_end_matches('*');
                let hidden = table[..at].iter().any(|before| match before.pattern.strip_suffix('*') {
                    Some(prefix) => name.starts_with(prefix),
                    None => before.pattern == *pattern,
                });
                assert!(!hidden, "{pattern}");
            }
        }
    }

    #[test]
    fn names_are_found_in_their_own_ecosystem() {
        assert_eq!(known("npm", "jest").unwrap().shown, "jest");
        assert_eq!(known("cargo", "jest"), None);
        assert_eq!(known("cmake", "GTest").unwrap().role, Role::Test);
        assert_eq!(known("nuget", "xunit.runner.visualstudio").unwrap().shown, "xunit");
    }
}
