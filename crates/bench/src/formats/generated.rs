//! Documents of the formats that are text, each about as long as a long page of documentation.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;

const SECTIONS: usize = 400;

pub(super) fn write(folder: &Path) -> Result<()> {
    for (name, text) in [
        ("page.html", html()),
        ("notes.ipynb", notebook()),
        ("tool.1", man()),
        ("api.json", openapi()),
        ("mail.eml", mail()),
        ("paper.tex", tex()),
    ] {
        std::fs::write(folder.join(name), text)?;
    }
    Ok(())
}

fn sentence(n: usize) -> String {
    format!(
        "Setting {n} says how many of the {} queues are kept open, and what happens to a message that finds none.",
        n * 7 % 93
    )
}

fn sections(head: &str, each: impl Fn(usize) -> String, foot: &str) -> String {
    (0..SECTIONS).fold(head.to_owned(), |mut text, n| {
        let _ = write!(text, "{}", each(n));
        text
    }) + foot
}

fn html() -> String {
    let section = |n| {
        format!(
            "<h2 id=\"s{n}\">Setting {n}</h2><p>{} See <a href=\"#s{}\">the next</a>.</p><pre><code class=\"language-sh\">tool --set {n}\n</code>\
             </pre><table><tr><th>key</th><th>value</th></tr><tr><td>queues</td><td>{n}</td></tr></table><ul><li>one</li><li>two</li></ul>\n",
            sentence(n),
            n + 1
        )
    };
    sections(
        "<!doctype html><html><head><title>Settings</title></head><body><nav><a href=/>Home</a></nav><main><h1>Settings</h1>",
        section,
        "</main></body></html>",
    )
}

fn notebook() -> String {
    let cells: Vec<_> = (0..SECTIONS)
        .flat_map(|n| {
            let output = serde_json::json!({ "output_type": "stream", "name": "stdout", "text": [format!("{n}\n")] });
            [
                serde_json::json!({ "cell_type": "markdown", "metadata": {}, "source": [format!("## Setting {n}\n"), sentence(n)] }),
                serde_json::json!({ "cell_type": "code", "metadata": {}, "execution_count": n, "source": [format!("print({n})")], "outputs": [output] }),
            ]
        })
        .collect();
    serde_json::json!({ "cells": cells, "metadata": { "language_info": { "name": "python" } }, "nbformat": 4, "nbformat_minor": 5 }).to_string()
}

fn man() -> String {
    sections(
        ".TH TOOL 1\n.SH NAME\ntool \\- keeps queues\n.SH OPTIONS\n",
        |n| format!(".TP\n.BR \\-\\-set\\-{n} \" \" \\fIvalue\\fR\n{}\nSee\n.BR queue (5).\n", sentence(n)),
        "",
    )
}

fn openapi() -> String {
    let paths: serde_json::Map<String, serde_json::Value> = (0..SECTIONS)
        .map(|n| {
            let parameter = serde_json::json!({ "name": "id", "in": "path", "required": true, "schema": { "type": "integer" }, "description": "Which queue" });
            let operation = serde_json::json!({ "operationId": format!("getQueue{n}"), "summary": sentence(n), "parameters": [parameter], "responses": { "200": { "description": "The queue" } } });
            (format!("/queues/{n}/{{id}}"), serde_json::json!({ "get": operation }))
        })
        .collect();
    serde_json::json!({ "openapi": "3.1.0", "info": { "title": "Queues", "version": "1" }, "paths": paths }).to_string()
}

fn mail() -> String {
    sections(
        "From: A <a@example.org>\nTo: b@example.org\nSubject: Queues\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\
         Content-Transfer-Encoding: quoted-printable\n\n",
        |n| format!("{}=\n It goes on =E2=80=93 and on.\n\n> quoted {n}\n\n", sentence(n)),
        "",
    )
}

fn tex() -> String {
    sections(
        "\\documentclass{article}\n\\begin{document}\n\\title{Queues}\n\\maketitle\n",
        |n| {
            format!(
                "\\section{{Setting {n}}}\n{} It is \\emph{{small}}: $x_{n} < 3$.\n\\begin{{itemize}}\n\\item one\n\\item two\n\\end{{itemize}}\n",
                sentence(n)
            )
        },
        "\\end{document}\n",
    )
}
