use std::io::Write;

use super::*;
use proptest::prelude::*;

fn converted(source: &str) -> String {
    convert(source.as_bytes(), &Limits::default()).unwrap()
}

const CURL: &str = r#".\" A comment
.TH CURL 1 "2030-01-01" "curl 9" "Manual"
.SH NAME
curl \- transfer a URL
.SH SYNOPSIS
.B curl [options]
.I [URL...]
.SH "THE OPTIONS"
Use \fB-v\fP, see
.BR tar (1).
.TP
.BR \-o ", " \-\-output " \fI<file>\fP"
Write to
.I file
instead of stdout.

A second paragraph.
.TP
.B \-v
.TQ
.B \-\-verbose
Talk.
.SS Examples
.nf
curl -o a \e
  \fIhttp://x\fP
# no heading
.fi
.IP \(bu 2
one
.IP \(bu 2
two
.RS
.IP 1. 3
deep
.RE
.PP
# plain
.UR https://x.y
The site
.UE .
"#;

const CURL_CONVERTED: &str = r"# curl(1)

curl - transfer a URL

## SYNOPSIS

curl [options] [URL...]

## THE OPTIONS

Use **-v**, see **tar**(1).

- `-o, --output <file>`
  Write to *file* instead of stdout.

  A second paragraph.

- `-v`, `--verbose`
  Talk.

### Examples

```
curl -o a \
  http://x
# no heading
```

- one

- two

  1. deep

\# plain [The site](https://x.y).
";

const LS: &str = r#".Dd January 1, 2030
.Dt LS 1
.Os
.Sh NAME
.Nm ls
.Nd list directory contents
.Sh SYNOPSIS
.Nm
.Op Fl aB
.Op Fl D Ar format
.Op Ar
.Sh DESCRIPTION
The
.Nm
utility shows
.Ar file ,
see
.Xr stat 2 .
.Pp
Options:
.Bl -tag -width indent
.It Fl a , Fl Fl all
Include names starting with
.Pq Sq \&. .
.It Xo
.Fl D
.Ar format
.Xc
Print it.
.El
.Bd -literal
$ ls -a
.Ed
.Dl ls -l | less
.Bl -column "one" "two"
.It Em Name Ta Em Use
.It a Ta first
.El
.Bl -bullet
.It
one
.It
two
.El
.Sh SEE ALSO
.Lk https://x.y "a site"
.Rs
.%A A. Author
.%T Title
.Re
"#;

const LS_CONVERTED: &str = r#"# ls(1)

**ls** - list directory contents

## SYNOPSIS

ls [-aB] [-D format] [file ...]

## DESCRIPTION

The **ls** utility shows *file*, see stat(2).

Options:

- `-a, --all`
  Include names starting with ('.').

- `-D format`
  Print it.

```
$ ls -a
```

```
ls -l | less
```

| Name | Use |
| --- | --- |
| a | first |

- one

- two

## SEE ALSO

[a site](https://x.y) A. Author, Title.
"#;

#[test]
fn pages_become_markdown() {
    assert_eq!(converted(CURL), CURL_CONVERTED);
    assert_eq!(converted(LS), LS_CONVERTED);
}

#[test]
fn what_people_write_in_pages_is_read() {
    for (source, expected) in [
        (".so man3/printf.3\n", "See [printf.3](man3/printf.3).\n"),
        (
            ".TH A 1\n.TS\ntab(;) box;\nl l\nl l.\nKey;Value\n_\n\\fBa\\fR;T{\nfirst\n.B part\nT}\n.TE\nafter",
            "# A(1)\n\n| Key | Value |\n| --- | --- |\n| a | first part |\n\nafter\n",
        ),
        (
            ".SH X\n.sp\n.RS 4\n.ie n \\{\\\n\\h'-04'\\(bu\\h'+03'\\c\n.\\}\n.el \\{\\\n.sp -1\n.IP \\(bu 2.3\n.\\}\nitem\n.RE\n",
            "## X\n\n- item\n",
        ),
        // Entries as DocBook and AsciiDoc write them, and a sentence before an indented part, which is none.
        (
            ".SH X\n.PP\n\\fB\\-a\\fR, \\fB\\-\\-all\\fR\n.RS 4\nTakes all.\n.RE\n.sp\n\\-b\n.RS 4\nTakes more.\n.RE\n.PP\nSo:\n.RS 4\nc\n.RE\n",
            "## X\n\n- `-a, --all`\n  Takes all.\n\n- `-b`\n  Takes more.\n\nSo:\n\nc\n",
        ),
        (".de Id\nhidden\n..\n.de XX\n.B \\\\$1\n..\n.SH A\n.XX bold\n.Id x\n", "## A\n\n**bold**\n"),
        (".SH\nTwo words\n.B\nnext line\n", "## Two words\n\n**next line**\n"),
        (".SH A\n<!-- page 3 -->\n", "## A\n\n\\<! -- page 3 -->\n"),
        (".SH A\n.SY cmd\n.OP \\-f file\n.YS\n.MR ls 1 .\n", "## A\n\ncmd [-f file]\nls(1).\n"),
        (
            ".SH A\n.EX\nint main(void);\n\n    return 0;\n.EE\nx\n",
            "## A\n\n```\nint main(void);\n\n    return 0;\n```\n\nx\n",
        ),
    ] {
        assert_eq!(converted(source), expected, "{source}");
    }
}

#[test]
fn pages_are_found() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(CURL.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    for (path, bytes, expected) in [
        ("man1/curl.1", CURL.as_bytes(), true),
        ("curl.1.gz", &packed, true),
        ("curl.gz", &packed, false),
        ("a/openssl.1ssl", CURL.as_bytes(), true),
        ("curl", CURL.as_bytes(), true),
        ("ls", LS.as_bytes(), true),
        ("x.n", b".so man.n/a.n\n", true),
        ("libc.so.6", b"\x7fELF\0", false),
        ("notes.1", b"Some notes.\n", false),
        ("notes.txt", b".TH is a macro\n", true),
        ("notes.txt", b"See\n.TH X 1\n", false),
        ("a.1.gz", b"\x1f\x8bbroken", false),
        ("", b"", false),
    ] {
        assert_eq!(detect(path, bytes).is_some(), expected, "{path}");
    }
    assert_eq!(convert(&packed, &Limits::default()).unwrap(), CURL_CONVERTED);
    let limits = Limits { max_unpacked: 100, ..Limits::default() };
    assert_eq!(convert(&packed, &limits), Err(ConvertError::TooLarge { what: "unpacked bytes", limit: 100 }));
    assert!(matches!(convert(&packed[..50], &Limits::default()), Err(ConvertError::Malformed { .. })));
}

#[test]
fn hostile_pages_end() {
    let grows = ".de X\n.X \\\\$1\\\\$1 \\\\$*\\\\$*\n.X \\\\$1\\\\$1\n\\\\$1\n..\n.SH A\n.X aaaaaaaaaaaaaaaa\n";
    let strings = ".ds a \\*b\\*b\\*b\\*b\\*b\\*b\\*b\\*b\n.ds b \\*a\\*a\\*a\\*a\\*a\\*a\\*a\\*a\n.SH A\n\\*a x\n";
    for source in [grows.to_owned(), strings.to_owned(), ".RS\n".repeat(100_000) + "x", ".if n ".repeat(50_000) + "x"] {
        let _ = convert(source.as_bytes(), &Limits::default());
    }
}

fn scrap() -> impl Strategy<Value = String> {
    let scraps = [
        ".TP\n", ".IP x\n", ".nf\n", ".fi\n", ".RS\n", ".RE\n", ".TS\n", "l l.\n", "a\tT{\n", "T}\n", ".TE\n",
        ".SH A\n", ".de X\n", "..\n", ".X a b\n", ".if n \\{\\\n", ".\\}\n", ".el x\n", "\\fB", "\\f[", "\\*(", "\\h'",
        "\\s-", "\\[u", "\\c\n", "\\\n", ".Bl -tag\n", ".It Fl a\n", ".It Xo\n", ".Xc\n", ".El\n", ".Bl -column\n",
        ".It a Ta b\n", ".Op Fl\n", ".Fo f\n", ".Fa a\n", ".Fc\n", ".Dt A 1\n", ".UR x\n", ".UE\n", "text\n",
        "<!-- page 1 -->\n", "é\n", "\n", " ", "\"",
    ];
    prop_oneof![proptest::sample::select(scraps.to_vec()).prop_map(str::to_owned), "\\PC{0,8}"]
}

proptest! {
    #[test]
    fn no_text_panics(bytes in any::<Vec<u8>>(), scraps in proptest::collection::vec(scrap(), 0..60), max_text in 0usize..400) {
        let limits = Limits { max_text, ..Limits::default() };
        let _ = (convert(&bytes, &limits), detect("a.1", &bytes));
        if let Ok(text) = convert(scraps.concat().as_bytes(), &limits) {
            prop_assert!(text.len() <= max_text);
            prop_assert_eq!(text.lines().find_map(crate::place::of_line), None);
        }
    }
}
