//! A package of many files over loopback, beside curl fetching the same files in the same run.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use ai_assist_identity::Sha256;
use anyhow::{Context, Result, ensure};
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Response, StatusCode, Uri, header};

use crate::corpus;
use crate::speed::{header as table_header, row};
use crate::timing::{Sample, files_below, ms, ratio, run};

/// How often each thing is done; the median counts.
const REPEATS: usize = 5;

type Files = Arc<HashMap<String, (Vec<u8>, String)>>;

fn measure(tree: &Path, files: usize, binary: &Path) -> Result<()> {
    let place = tempfile::tempdir()?;
    let folder = place.path().join("package");
    let (written, bytes) = corpus::write(tree, &folder, files)?;
    ensure!(written == files, "{} gives only {written} documents", tree.display());
    write_manifests(&folder)?;
    let bundle = folder.join("package.tar.gz");
    let mut pack = Command::new(binary);
    pack.args(["-q", "collections", "pack", "--manifest"]).arg(folder.join("hashed.json")).arg("-o").arg(&bundle);
    run(&mut pack)?;
    let (url, served) = serve(&folder)?;
    println!("{files} files, {:.1} MB.\n", bytes as f64 / 1e6);
    let got = place.path().join("got");
    std::fs::create_dir(&got)?;
    let documents: Vec<&String> = served.iter().filter(|path| path.ends_with(".md")).collect();
    // Into files, as a download is; and into nothing, which leaves out what making files costs.
    let curl = |kept: bool| -> Result<Duration> {
        let list = place.path().join("curl.txt");
        let line = |(number, path): (usize, &&String)| {
            let output = if kept { got.join(number.to_string()) } else { PathBuf::from("/dev/null") };
            format!("url = \"{url}{path}\"\noutput = \"{}\"", output.display())
        };
        std::fs::write(&list, documents.iter().enumerate().map(line).collect::<Vec<_>>().join("\n"))?;
        run(Command::new("curl").args(["-sSf", "--parallel", "--parallel-max", "16", "--config"]).arg(&list))
    };
    let ours = |name: &str, source: &[&str], before: bool| -> Result<Duration> {
        let project = place.path().join(name);
        let command = |args: &[&str]| {
            let mut command = Command::new(binary);
            command.current_dir(&project).arg("-q").args(args);
            command.env("AI_ASSIST_DATA_DIR", project.join("data")).env("AI_ASSIST_CACHE_ROOT", project.join("cache"));
            command
        };
        if !before && project.exists() {
            std::fs::remove_dir_all(&project)?;
        }
        if !project.exists() {
            std::fs::create_dir(&project)?;
            run(&mut command(&["collections", "init"]))?;
            run(&mut command(&[&["collections", "add", "docs"], source].concat()))?;
            if before {
                run(&mut command(&["collections", "sync"]))?;
            }
        }
        run(&mut command(&["collections", "sync"]))
    };
    let hashed = format!("{url}/hashed.json");
    let plain = format!("{url}/plain.json");
    let packed = format!("{url}/package.tar.gz");
    let local = folder.display().to_string();
    let sample = |work: &dyn Fn() -> Result<Duration>| -> Result<Duration> {
        let times = (0..REPEATS).map(|_| work()).collect::<Result<Vec<_>>>()?;
        Ok(Sample::new(times).median())
    };
    let (theirs, discarded) = (sample(&|| curl(true))?, sample(&|| curl(false))?);
    let one = sample(&|| run(Command::new("curl").args(["-sSf", "-o", "/dev/null", &hashed])))?;
    table_header();
    let line = |what: &str, taken: Duration, peer: &str, theirs: Duration| {
        row(what, &ms(taken), peer, &ms(theirs), &ratio(taken, theirs));
    };
    let all = "curl --parallel of the same files, discarded";
    line("curl, into files", theirs, all, discarded);
    line("first sync, file by file", sample(&|| ours("a", &[&hashed], false))?, all, discarded);
    line("the same from a local folder", sample(&|| ours("b", &[&local], false))?, all, discarded);
    line("the same from a bundle", sample(&|| ours("c", &[&packed], false))?, all, discarded);
    line("unchanged, with hashes", sample(&|| ours("d", &[&hashed], true))?, "curl of the manifest", one);
    line("unchanged, without hashes", sample(&|| ours("e", &[&plain], true))?, all, discarded);
    Ok(())
}

pub(crate) fn packages(tree: &Path, files: usize, binary: Option<PathBuf>) -> Result<()> {
    let binary = match binary {
        Some(binary) => binary,
        None => std::env::current_exe()?.with_file_name("ai-assist"),
    };
    ensure!(binary.is_file(), "{} is not there; build it with `cargo build --release`", binary.display());
    measure(tree, files, &binary)
}

/// Two manifests of the same files: with hashes and without.
fn write_manifests(folder: &Path) -> Result<()> {
    let mut paths = paths_in(folder)?;
    paths.sort();
    let mut hashed = Vec::with_capacity(paths.len());
    for path in &paths {
        let hash = Sha256::of(&std::fs::read(folder.join(path))?);
        hashed.push(serde_json::json!({ "path": path, "hash": hash }));
    }
    for (name, files) in [("hashed.json", serde_json::json!(hashed)), ("plain.json", serde_json::json!(paths))] {
        let manifest = serde_json::json!({ "name": "bench", "version": "1.0.0", "sources": { "files": files } });
        std::fs::write(folder.join(name), manifest.to_string())?;
    }
    Ok(())
}

/// The files of a folder, by their paths in it.
fn paths_in(folder: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    files_below(folder, &mut files)?;
    let name = |file: &PathBuf| Ok(file.strip_prefix(folder)?.to_str().context("a name is not UTF-8")?.to_owned());
    files.iter().map(name).collect()
}

/// Serves a folder from memory, with an `ETag` for each file. Answers with the URL and the paths.
fn serve(folder: &Path) -> Result<(String, Vec<String>)> {
    let paths = paths_in(folder)?;
    let mut files = HashMap::new();
    for path in &paths {
        let bytes = std::fs::read(folder.join(path))?;
        let tag = format!("\"{}\"", Sha256::of(&bytes).hex());
        files.insert(format!("/{path}"), (bytes, tag));
    }
    let served: Vec<String> = files.keys().cloned().collect();
    let files: Files = Arc::new(files);
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let url = format!("http://{}", listener.local_addr()?);
    std::thread::spawn(move || -> Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        runtime.block_on(async move {
            let router = axum::Router::new().fallback(answer).with_state(files);
            axum::serve(tokio::net::TcpListener::from_std(listener)?, router).await?;
            Ok(())
        })
    });
    Ok((url, served))
}

async fn answer(State(files): State<Files>, uri: Uri, headers: HeaderMap) -> Response<Body> {
    let Some((bytes, tag)) = files.get(uri.path()) else { return status(StatusCode::NOT_FOUND) };
    if headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
        return status(StatusCode::NOT_MODIFIED);
    }
    let answer = Response::builder().header(header::ETAG, tag).body(Body::from(bytes.clone()));
    answer.unwrap_or_else(|_| status(StatusCode::INTERNAL_SERVER_ERROR))
}

fn status(code: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = code;
    response
}
