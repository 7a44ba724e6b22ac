use super::*;
use proptest::prelude::*;

fn converted(message: &str) -> String {
    convert(message.replace('\n', "\r\n").as_bytes(), &Limits::default()).unwrap()
}

#[test]
fn messages_become_markdown() {
    for (message, expected) in [
        (
            "From: A <a@b.c>\nTo: d@e.f\nSubject: =?utf-8?Q?Caf=C3=A9?=\n folded\nDate: Tue, 1 Jan 2030 00:00:00 +0000\nX: y\n\nHello\n# no heading\n> quoted\n",
            "# Café folded\n\nFrom: A <a@b.c>\nDate: Tue, 1 Jan 2030 00:00:00 +0000\nTo: d@e.f\n\nHello\n\\# no heading\n> quoted\n",
        ),
        (
            "Subject: s\nContent-Type: multipart/mixed; boundary=\"b\"\n\nignored\n--b\nContent-Type: multipart/alternative; boundary=c\n\n--c\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nr=E9sum=E9\n--c\nContent-Type: text/html\n\n<b>html</b>\n--c--\n--b\nContent-Type: application/pdf; name=x\nContent-Disposition: attachment; filename=\"a b.pdf\"\nContent-Transfer-Encoding: base64\n\nAAAA\n--b--\n",
            "# s\n\nrésumé\n\nAttachments: `a b.pdf` (application/pdf)\n",
        ),
        (
            "Subject: outer\nContent-Type: message/rfc822\n\nSubject: inner\nFrom: x@y\n\nBody <!-- part 3 -->\n",
            "# outer\n\n## inner\n\nFrom: x@y\n\nBody <! -- part 3 -->\n",
        ),
        ("Forwarded: x\nFrom a@b Tue\nSubject: late\nContent-Type: text\n\nseen\n", "# late\n\nseen\n"),
        (
            "Subject: page\nContent-Type: text/html\n\n<html><head><style>p {}</style></head><body><p>shown <b>bold</b></p></body></html>\n",
            "# page\n\nshown **bold**\n",
        ),
        ("From: a@b\nContent-Transfer-Encoding: base64\n\naGVsbG8=\n", "# (no subject)\n\nFrom: a@b\n\nhello\n"),
        (
            "Subject: open\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nfirst\n--b\n\nlast",
            "# open\n\nfirst\n\nlast\n",
        ),
    ] {
        assert_eq!(converted(message), expected, "{message}");
    }
}

#[test]
fn a_mailbox_is_its_messages() {
    let mailbox = "From a@b Tue Jan  1 00:00:00 2030\nSubject: one\n\n>From here\nFrom nobody\n\nFrom c@d Tue Jan  1 00:00:00 2030\nSubject: two\n\nlast\n";
    assert_eq!(
        converted(mailbox),
        "<!-- part 1 -->\n## one\n\nFrom here\nFrom nobody\n\n<!-- part 2 -->\n## two\n\nlast\n"
    );
}

#[test]
fn messages_are_found_by_name_and_by_headers() {
    for (path, text, expected) in [
        ("a.eml", "Subject: x\n\n", true),
        ("a.EML", "no headers", false),
        ("INBOX", "From: a\nTo: b\nSubject: c\n\nx", true),
        ("README", "From: a\nNote: b\n\nx", false),
        ("a.txt", "From: a\nTo: b\nSubject: c\n\nx", false),
        ("a.mbox", "From a@b Tue\nSubject: x\n\n", true),
    ] {
        assert_eq!(detect(path, text.as_bytes()).is_some(), expected, "{path}");
    }
}

#[test]
fn deep_parts_end() {
    let mut message = String::from("Subject: deep\n");
    for level in 0..5000 {
        message.push_str(&format!("Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n"));
    }
    assert!(converted(&message).starts_with("# deep\n"));
    let forwarded = "Content-Type: message/rfc822\n\n".repeat(5000);
    assert!(convert(forwarded.as_bytes(), &Limits::default()).is_ok());
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in any::<Vec<u8>>(), tail in "([a-zA-Z:;=?\"'*%<> \n\r-]|\\PC){0,200}", max_text in 0usize..300) {
        let limits = Limits { max_text, ..Limits::default() };
        let _ = (convert(&bytes, &limits), detect("a.eml", &bytes));
        for head in ["Subject: ", "From \nSubject: a\n", "Content-Type: multipart/mixed; boundary=", "Content-Type: text/plain; charset="] {
            if let Ok(text) = convert(format!("{head}{tail}").as_bytes(), &limits) {
                prop_assert!(text.len() <= max_text);
            }
        }
    }
}
