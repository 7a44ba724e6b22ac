use super::*;
use proptest::prelude::*;

fn converted(source: &str) -> String {
    convert(source.as_bytes(), &Limits::default()).unwrap()
}

#[test]
fn a_document_that_is_shown_is_not_the_document() {
    let shown = "\\begin{verbatim}\n\\documentclass{x}\n\\begin{document}\nfew\n\\end{document}\n\\end{verbatim}\nlast";
    let chapter = converted(&format!("\\chapter{{One}}\nfirst\n{shown}\n"));
    let whole = converted(&format!("\\documentclass{{y}}\\begin{{document}}first\n{shown}\n\\end{{document}}"));
    for text in [chapter, whole] {
        assert!(text.contains("first") && text.contains("\\end{document}") && text.contains("last"), "{text}");
    }
}

#[test]
fn documents_become_markdown() {
    let source = r"\documentclass{article}
\usepackage{x} % a comment
\newcommand{\tool}{Tool Kit}
\title{The \emph{Guide}\\ to it}
\begin{document}
\maketitle
\section{First \texttt{steps}} \label{sec:a}
Use \textbf{bold} and \emph{it}, see \cite{knuth, lamport}
and~\ref{sec:b}. It costs 5\% --- \tool{} says ``no''. % hidden
More at \href{https://x.y/a\%b}{the \emph{site}} or \url{https://z.w}.\footnote{A note.}

New paragraph with $x_{1} < 2$ and caf\'e \unknown{kept} \LaTeX.
\begin{itemize}
  \item one
    goes on
  \item[Tag] two
  \begin{enumerate}
    \item deep
  \end{enumerate}
\end{itemize}
\begin{lstlisting}[language=Python, caption=x]
def f(): return {1} % 2
\end{lstlisting}
\begin{tabular}{l|r}
\hline
Name & Cost \\ \hline
\multicolumn{1}{c}{a} & 1\$ \\
\end{tabular}
\begin{equation}
a = b
\end{equation}
\input{chapters/two}
\end{document}
ignored";
    assert_eq!(
        converted(source),
        r#"# The *Guide* to it

## First steps

Use **bold** and *it*, see [knuth, lamport]
and [sec:b]. It costs 5% — Tool Kit says "no". More at [the *site*](https://x.y/a%b) or <https://z.w>. (A note.)

New paragraph with $x_{1} < 2$ and café kept LaTeX.

- one
  goes on
- **Tag** two

  1. deep

```python
def f(): return {1} % 2
```

| Name | Cost |
| --- | --- |
| a | 1$ |

$$
a = b
$$

[chapters/two](chapters/two)
"#
    );
}

#[test]
fn what_people_write_is_read() {
    for (source, expected) in [
        ("\\section*{A}\\subsection[s]{B}\ntext", "## A\n\n### B\n\ntext\n"),
        ("\\begin{minted}{rust}\nfn f() {}\n\\end{minted}", "```rust\nfn f() {}\n```\n"),
        ("a \\verb|x{y|  b", "a `x{y`  b\n"),
        ("\\[ x \\]\n", "$$x$$\n"),
        ("\\begin{comment}\nno\n\\end{comment}yes", "yes\n"),
        ("{\\bf old} text}", "old text\n"),
        ("\\\"Uber \\c{c} \\v{s}", "Über c s\n"),
        ("<!-- page 3 -->", "\\<!– page 3 –>\n"),
        ("unclosed \\emph{it", "unclosed *it*\n"),
        ("\\begin{theorem}[Name] All. \\end{theorem}", "**Theorem (Name).**  All.\n"),
    ] {
        assert_eq!(converted(source), expected, "{source}");
    }
}

#[test]
fn tex_is_found() {
    for (path, text, expected) in [
        ("a.tex", "x", true),
        ("a.TEX", "x", true),
        ("a.sty", "\\documentclass", false),
        ("paper", "\\documentclass{a}\n\\begin{document}", true),
        ("a.tex", "\0", false),
    ] {
        assert_eq!(detect(path, text.as_bytes()).is_some(), expected, "{path}");
    }
}

fn scrap() -> impl Strategy<Value = String> {
    let scraps = [
        "\\section{", "}", "{", "\\begin{itemize}", "\\item ", "\\item[", "]", "\\end{itemize}",
        "\\begin{tabular}{ll}", " & ", "\\\\", "\\end{tabular}", "$", "$$", "\\(", "\\)", "\\verb|", "\\verb",
        "\\href{a}{", "\\url{", "%", "\n", "\n\n", "\\begin{verbatim}", "\\end{verbatim}", "\\'", "\\",
        "\\newcommand{\\x}{y}", "\\x", "<!-- page 1 -->", "<", "!-- page 1 -->", "é", "\\title{", "\\begin{equation}",
        "\\textbf{", "word ", "--", "``", "\\footnote{", "\\cite{a}",
    ];
    prop_oneof![proptest::sample::select(scraps.to_vec()).prop_map(str::to_owned), "\\PC{0,8}"]
}

proptest! {
    #[test]
    fn no_text_panics(bytes in any::<Vec<u8>>(), scraps in proptest::collection::vec(scrap(), 0..60), max_text in 0usize..400) {
        let limits = Limits { max_text, ..Limits::default() };
        let _ = (convert(&bytes, &limits), detect("a.tex", &bytes));
        if let Ok(text) = convert(scraps.concat().as_bytes(), &limits) {
            prop_assert!(text.len() <= max_text);
            prop_assert_eq!(text.lines().find_map(place::of_line), None);
        }
    }
}
