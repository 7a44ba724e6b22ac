//! Secrets that stand in their files in another form: encoded, escaped, in UTF-16, on one long line.

use crate::project::filled;
use crate::random::base64;
use crate::{ProjectFile, Random, Secret};

pub(crate) fn files(random: &mut Random) -> Vec<ProjectFile> {
    let mut files = vec![
        kubernetes(random),
        notebook(random),
        in_xml(random),
        in_urls(random),
        minified(random),
        minified_settings(random),
        many_lines(random),
        one_line(random),
    ];
    files.extend(wide(random));
    files.extend(keys(random));
    files
}

fn secret(kind: &'static str, value: &str, form: &str) -> Secret {
    Secret { kind, forms: vec![value.to_owned(), form.to_owned()] }
}

fn file(path: &str, text: String, secrets: Vec<Secret>) -> ProjectFile {
    ProjectFile { path: path.to_owned(), bytes: text.into_bytes(), secrets, innocent: Vec::new() }
}

/// A `Secret`, whose values are base64 and no more than that.
fn kubernetes(random: &mut Random) -> ProjectFile {
    let mut text = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ntype: Opaque\ndata:\n".to_owned();
    let mut secrets = Vec::new();
    for name in ["password", "api-key", "token", "tls-passphrase"] {
        let value = if name == "password" { random.strong_password() } else { random.fill("{w24}") };
        let encoded = base64(value.as_bytes());
        text.push_str(&format!("  {name}: {encoded}\n"));
        secrets.push(secret("kubernetes", &value, &encoded));
    }
    let plain = random.fill("{w20}");
    text.push_str(&format!("stringData:\n  admin-password: {plain}\n"));
    secrets.push(secret("kubernetes", &plain, &plain));
    file("deploy/secret-db.yaml", text, secrets)
}

/// Source in JSON strings, as a notebook keeps it.
fn notebook(random: &mut Random) -> ProjectFile {
    filled(
        random,
        "notebook",
        "analysis/orders.ipynb",
        "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"source\": [\n    \"import os\\n\",\n\
         \x20   \"os.environ[\\\"OPENAI_API_KEY\\\"] = \\\"«sk-{w20}T3BlbkFJ{w20}»\\\"\\n\",\n\
         \x20   \"password = '«{w16}»'\\n\",\n\
         \x20   \"headers = {\\\"Authorization\\\": \\\"Bearer «{w48}»\\\"}\\n\",\n\
         \x20   \"db = connect(\\\"postgres://app:«{w16}»@db.acme.io/app\\\")\\n\"\n   ],\n\
         \x20  \"outputs\": [ { \"text\": [ \"{'api_key': '«{w32}»', 'plan': 'pro'}\\n\" ] } ]\n  }\n ]\n}\n",
    )
}

/// Marks that XML has to escape.
fn in_xml(random: &mut Random) -> ProjectFile {
    let mut text = "<config>\n".to_owned();
    let mut secrets = Vec::new();
    for (name, form) in [("password", "{w6}&{w6}"), ("adminPassword", "{w5}<{w3}>{w4}"), ("dbPassword", "{w6}\"{w6}")] {
        let value = random.fill(form);
        let escaped = value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
        text.push_str(&format!("  <{name}>{escaped}</{name}>\n"));
        secrets.push(secret("xml-escaped", &value, &escaped));
    }
    text.push_str("</config>\n");
    file("src/main/resources/mail.xml", text, secrets)
}

/// Marks that an address has to write in percent.
fn in_urls(random: &mut Random) -> ProjectFile {
    let mut text = "# where the data is\n".to_owned();
    let mut secrets = Vec::new();
    for (name, scheme, form) in [
        ("orders", "postgres", "{w6}@{w6}"),
        ("stock", "mysql", "{w6}#{w6}"),
        ("queue", "amqps", "{w7}/{w7}"),
        ("mail", "smtp", "{w6}:{w6}"),
    ] {
        let value = random.fill(form);
        let escaped = value.replace('@', "%40").replace('#', "%23").replace('/', "%2F").replace(':', "%3A");
        text.push_str(&format!("{name} = \"{scheme}://svc:{escaped}@{name}.acme.io/main\"\n"));
        secrets.push(secret("percent-encoded", &value, &escaped));
    }
    file("config/sources.toml", text, secrets)
}

/// One line of a hundred kilobytes, with secrets in the middle of it.
fn minified(random: &mut Random) -> ProjectFile {
    let mut text = "!function(){".to_owned();
    for n in 0..3000 {
        let line = "var {a2}{d2}=function(e,t){return e.{word}(t,{d3})};";
        text.push_str(&random.fill(line));
        if n % 600 == 300 {
            let line = "var c{d2}={apiKey:\"«AIzaSy{y33}»\",token:\"«ghp_{w36}»\",clientSecret:\"«{w40}»\"};";
            text.push_str(&random.fill(line));
        }
    }
    text.push_str("}();\n");
    let mut file = filled(&mut Random(0), "minified", "web/static/widget.js", &text);
    // It is a bundle, but hand-made enough not to say so.
    file.bytes.splice(0..0, b"// orders widget\n".iter().copied());
    file
}

/// JSON on one line.
fn minified_settings(random: &mut Random) -> ProjectFile {
    filled(
        random,
        "one-line-json",
        "config/prod.json",
        "{\"name\":\"orders\",\"db\":{\"user\":\"app\",\"password\":\"«{w16}»\"},\"jwt\":{\"secret\":\"«{w48}»\"},\"s3\":{\"accessKeyId\":\"«AKIA{v16}»\",\"secretAccessKey\":\"«{b40}»\"}}",
    )
}

/// So many lines with secrets that wherever the text is cut, one is near.
fn many_lines(random: &mut Random) -> ProjectFile {
    let values: Vec<String> = (0..6).map(|_| random.fill("ghp_{w36}")).collect();
    let lines = (0..3000).map(|n| format!("token_{n} = \"{}\"\n", values[n % values.len()]));
    let text = lines.collect::<String>();
    file("src/pools.py", text, values.iter().map(|value| secret("cut", value, value)).collect())
}

/// The same without any line break, so that a cut is anywhere.
fn one_line(random: &mut Random) -> ProjectFile {
    let values: Vec<String> = (0..6).map(|_| random.fill("glpat-{w20}")).collect();
    let words = (0..6000).map(|n| format!("\"{}\",", values[n % values.len()]));
    let text = format!("tokens = [{}]\n", words.collect::<String>());
    file("src/spares.py", text, values.iter().map(|value| secret("cut", value, value)).collect())
}

/// Files in UTF-16, as tools on Windows write them.
fn wide(random: &mut Random) -> Vec<ProjectFile> {
    let text = "[mail]\r\nuser=svc\r\npassword=«{strong}»\r\n[api]\r\napi_key=«{w32}»\r\ntoken=«ghp_{w36}»\r\n";
    let encode = |text: &[u8], little: bool| -> Vec<u8> {
        let units = String::from_utf8_lossy(text).encode_utf16().collect::<Vec<u16>>();
        units.into_iter().flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
    };
    let mut little = filled(random, "utf-16", "config/settings.ini", text);
    little.bytes = [b"\xff\xfe".to_vec(), encode(&little.bytes, true)].concat();
    let mut big = filled(random, "utf-16", "config/settings-be.ini", text);
    big.bytes = encode(&big.bytes, false);
    vec![little, big]
}

/// Private keys in what they are wrapped in.
fn keys(random: &mut Random) -> Vec<ProjectFile> {
    let lines = |random: &mut Random| -> Vec<String> { (0..4).map(|_| random.fill("{b64}")).collect() };
    let key = |kind, path: &str, text: String, lines: &[String]| {
        file(path, text, vec![Secret { kind, forms: lines.to_vec() }])
    };
    let (begin, end) = ("-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----");
    let mut files = Vec::new();
    let body = lines(random);
    let indented = body.iter().map(|line| format!("    {line}\n")).collect::<String>();
    files.push(key(
        "pem-yaml",
        "deploy/cert.yaml",
        format!("tls:\n  key: |\n    {begin}\n{indented}    {end}\n"),
        &body,
    ));
    let body = lines(random);
    let text = format!("#!/bin/sh\ncat > /etc/tls.key <<EOF\n{begin}\n{}\n{end}\nEOF\n", body.join("\n"));
    files.push(key("pem-heredoc", "scripts/tls.sh", text, &body));
    let body = lines(random);
    let joined = body.iter().map(|line| format!("        + \"{line}\\n\"\n")).collect::<String>();
    let text =
        format!("class Keys {{\n    static final String KEY = \"{begin}\\n\"\n{joined}        + \"{end}\\n\";\n}}\n");
    files.push(key("pem-java", "src/main/java/Keys.java", text, &body));
    let body = lines(random);
    let text = format!("KEY=\"{begin}\\n{}\\n{end}\"\n", body.join("\\n"));
    files.push(key("pem-env", "config/tls.env.sample", text, &body));
    let body = lines(random);
    let text = format!("The old key, for the record:\n\n    {begin}\n    {}\n", body.join("\n    "));
    files.push(key("pem-without-end", "docs/old-key.md", text, &body));
    let body = lines(random);
    let text = format!("{begin}\r\n{}\r\n{end}\r\n", body.join("\r\n"));
    files.push(key("pem-crlf", "docs/windows.txt", text, &body));
    files
}
