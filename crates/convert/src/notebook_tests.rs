use super::*;
use proptest::prelude::*;

fn notebook(cells: &str) -> String {
    format!(
        r#"{{"cells": [{cells}], "metadata": {{"kernelspec": {{"name": "python3", "language": "python"}}}}, "nbformat": 4, "nbformat_minor": 5}}"#
    )
}

fn converted(json: &str) -> String {
    convert(json.as_bytes(), &Limits::default()).unwrap()
}

#[test]
fn cells_become_markdown() {
    for (cells, expected) in [
        (
            r##"{"cell_type": "markdown", "source": ["# Title\n", "text"]}, {"cell_type": "code", "source": "x = 1", "outputs": []}"##,
            "<!-- cell 1 -->\n# Title\ntext\n\n<!-- cell 2 -->\n```python\nx = 1\n```\n",
        ),
        (
            r#"{"cell_type": "code", "source": "f()", "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["a\u001b[31mb\u001b[0m\n", "10%\r100%\n"]},
                {"output_type": "stream", "name": "stderr", "text": "warning"},
                {"output_type": "execute_result", "data": {"text/plain": ["3"], "image/png": "AAAA", "text/html": "<b>3</b>"}},
                {"output_type": "display_data", "data": {"text/plain": "<Figure size 640x480 with 1 Axes>"}},
                {"output_type": "error", "ename": "ValueError", "evalue": "bad", "traceback": ["…"]}]}"#,
            "<!-- cell 1 -->\n```python\nf()\n```\n\nOutput:\n\n```text\nab\n100%\n```\n\nOutput:\n\n```text\n3\n```\n\nOutput:\n\n```text\nValueError: bad\n```\n",
        ),
        (
            r#"{"cell_type": "code", "source": ""}, {"cell_type": "code", "source": "%%bash\nls"}"#,
            "<!-- cell 2 -->\n```bash\n%%bash\nls\n```\n",
        ),
        (
            r#"{"cell_type": "markdown", "source": "<!-- cell 9 -->\n![a](data:image/png;base64,iVBORw0KGgo=) b"}"#,
            "<!-- cell 1 -->\n<! -- cell 9 -->\n![a](data:image/png;base64,) b\n",
        ),
        (
            r#"{"cell_type": "raw", "source": "---\ntitle: A\n---"}"#,
            "<!-- cell 1 -->\n```yaml\n---\ntitle: A\n---\n```\n",
        ),
    ] {
        assert_eq!(converted(&notebook(cells)), expected, "{cells}");
    }
}

#[test]
fn format_3_is_read() {
    let json = r#"{"nbformat": 3, "metadata": {"name": "x"}, "worksheets": [{"cells": [
        {"cell_type": "heading", "level": 2, "source": ["Head"]},
        {"cell_type": "code", "input": ["1 + 1"], "language": "python", "outputs": [
            {"output_type": "pyout", "prompt_number": 1, "text": ["2"]},
            {"output_type": "stream", "stream": "stderr", "text": ["no"]},
            {"output_type": "pyerr", "ename": "E", "evalue": "v"}]}]}]}"#;
    assert_eq!(
        converted(json),
        "<!-- cell 1 -->\n## Head\n\n<!-- cell 2 -->\n```python\n1 + 1\n```\n\nOutput:\n\n```text\n2\n```\n\nOutput:\n\n```text\nE: v\n```\n"
    );
}

#[test]
fn outputs_are_short() {
    let lines: String = (0..1000).map(|n| format!("{n}\\n")).collect();
    let text = converted(&notebook(&format!(
        r#"{{"cell_type": "code", "source": "x", "outputs": [{{"output_type": "stream", "name": "stdout", "text": "{lines}"}}]}}"#
    )));
    assert!(text.contains("\n19\n…\n```") && !text.contains("\n20\n"), "{text}");
    assert_eq!(shortened(&"é".repeat(5000)).len(), OUTPUT_BYTES + "\n…".len());
}

#[test]
fn what_is_no_notebook_is_refused() {
    for (bytes, said) in [
        (&b"{\"cells\": ["[..], "it is not well-formed Jupyter notebook: EOF while parsing a list at line 1 column 11"),
        (b"{}", "it has no text in it"),
        (b"\0\0\0\x01\0", "it is not well-formed Jupyter notebook: the file is binary, not text"),
    ] {
        assert_eq!(convert(bytes, &Limits::default()).unwrap_err().to_string(), said);
    }
}

#[test]
fn notebooks_are_found_by_name_and_by_content() {
    let json = notebook("");
    for (path, text, expected) in [
        ("a/b.IPYNB", "", true),
        ("noname", json.as_str(), true),
        ("a.json", json.as_str(), true),
        ("a.json", "{\"cells\": []}", false),
        ("a.py", "x = {\"cells\": 1, \"nbformat\": 4}", false),
        ("ipynb", "", false),
        ("é.ipynb", "", true),
    ] {
        assert_eq!(detect(path, text.as_bytes()).is_some(), expected, "{path} {text}");
    }
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in any::<Vec<u8>>(), source in ".*", max_text in 0usize..300) {
        let limits = Limits { max_text, ..Limits::default() };
        let _ = convert(&bytes, &limits);
        let cell = serde_json::json!({"cell_type": "code", "source": source, "outputs": [{"output_type": "stream", "text": source}]});
        if let Ok(text) = convert(notebook(&cell.to_string()).as_bytes(), &limits) {
            prop_assert!(text.len() <= max_text);
        }
    }
}
