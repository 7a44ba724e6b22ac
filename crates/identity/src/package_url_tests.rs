//! One spelling per place, and no credential in any message.

use super::*;
use proptest::prelude::*;

fn parse(text: &str) -> Result<PackageUrl, UrlError> {
    PackageUrl::parse(text, &"/srv/my proj".parse().unwrap())
}

#[test]
fn spellings_have_one_normal_form() {
    let cases: &[(&str, &[&str])] = &[
        (
            "https://react.dev/context/v18/manifest.json",
            &[
                "https://react.dev/context/v18/manifest.json",
                "HTTPS://React.DEV:443/context/v18/manifest.json",
                "https://react.dev/context/x/../v18/./manifest.json#top",
                "https://react.dev/context/v18/%6Danifest%2ejson",
                "https://react.dev/context/%2e%2e/context/v18/manifest.json/",
                "  https://react.dev/context/v18/manifest.json?\n",
            ],
        ),
        ("https://a.com", &["https://a.com", "https://a.com/", "https://a.com//"]),
        ("https://a.com/x%2Fy?q=%3D~1", &["https://a.com/x%2fy/?q=%3d%7e1"]),
        ("https://xn--mnchen-3ya.de/a%C3%A9", &["https://München.de/aé"]),
        ("http://127.0.0.1:8080/m.json", &["http://127.0.0.1:8080/m.json", "http://127.1:8080/m.json"]),
        ("http://[::1]:8080/m", &["http://[::1]:8080/m", "http://[0:0::1]:8080/m/"]),
        (
            "file:///srv/shared/standards/manifest.json",
            &[
                "file://../shared/standards/manifest.json",
                "file:../shared/standards/manifest.json",
                "file://./../shared/standards/manifest.json",
                "file:///srv/shared/standards/manifest.json",
                "file:/srv/shared//standards/./manifest.json",
                "file://localhost/srv/shared/standards/manifest.json",
                "FILE:///srv/x/../shared/st%61ndards/manifest.json/",
                "file:///srv/%2e%2E/srv/shared/standards/manifest.json#x",
            ],
        ),
        ("file:///srv/my%20proj/x/y", &["file:x/y", "file://./x/y", "file:///srv/my proj/x/y"]),
        ("file:///srv/my%20proj", &["file:.", "file://.", "file:x/..", "file://./"]),
        ("file:///100%25.md", &["file:///100%.md", "file:///100%25.md"]),
        ("file:///a%FF%5Cb", &["file:///a%ff%5Cb", "file:///a%FF\\b"]),
        ("file:///", &["file:///", "file:///.."]),
        (
            "git+https://h.org/a/b.git#v1.2",
            &["git+https://H.org:443/a/b.git/#v1.2", "GIT+HTTPS://h.org/a/b.git#v1%2E2"],
        ),
        ("git+ssh://git@github.com/a/b.git", &["git+ssh://git@GitHub.com:22/a/./b.git"]),
        ("git+ssh://git@ssh.github.com:443/a/b.git", &["git+ssh://git@ssh.github.com:443/a/b.git"]),
        ("git+file:///srv/r#main", &["git+file://../r#main", "git+file:///srv/r/#main"]),
    ];
    for (normal, spellings) in cases {
        for text in *spellings {
            assert_eq!(parse(text).unwrap().as_str(), *normal, "{text}");
        }
        assert_eq!(parse(normal).unwrap().as_str(), *normal);
        assert_eq!(normal.parse::<PackageUrl>().unwrap().as_str(), *normal);
    }
}

#[test]
fn relative_urls_of_two_projects_differ() {
    let of = |root: &str| PackageUrl::parse("file://../x/manifest.json", &root.parse().unwrap()).unwrap();
    assert_eq!(of("/a/b"), of("/a/c"));
    assert_ne!(of("/a/b"), of("/d/b"));
}

#[test]
fn file_urls_know_their_path() {
    let url = parse("file://../100%25%FF.md?x#y").unwrap();
    assert_eq!(url.scheme(), UrlScheme::File);
    assert_eq!(url.file_path().unwrap().as_str(), "/srv/100%%FF.md");
    assert_eq!(parse("git+file:///r#main").unwrap().file_path().unwrap().as_str(), "/r");
    let remote = parse("https://a.com/file:///x").unwrap();
    assert_eq!((remote.scheme(), remote.file_path()), (UrlScheme::Https, None));
}

#[test]
fn bad_urls_say_what_is_wrong() {
    for (text, message) in [
        ("", "is not a URL"),
        ("./x", "is not a URL"),
        ("git@github.com:a/b", "is not a URL"),
        ("ftp://h/x", "has the scheme `ftp`"),
        ("data:text/plain,x", "has the scheme `data`"),
        ("file://server/share", "names the host `server`"),
        ("file:///a%2Fb", "encoded `/`"),
        ("file:///a%00b", "NUL"),
        ("https:a.com", "`//` is missing"),
        ("https://", "not a valid URL"),
        ("https://a b.com/", "not a valid URL"),
        ("https://a.com:99999/", "invalid port number"),
        ("git+ssh:///x", "has no host"),
    ] {
        let error = parse(text).unwrap_err().to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
    assert!(matches!("file:x".parse::<PackageUrl>(), Err(UrlError::Relative(_))));
    assert!(matches!("https://A.com".parse::<PackageUrl>(), Err(UrlError::NotNormal { .. })));
}

#[test]
fn credentials_are_refused_and_never_shown() {
    for text in [
        "https://me:hunter2@a.com/x",
        "https://hunter2@a.com/x",
        "https://:hunter2@a.com/x",
        "http://me:hunter2@a.com:99999/x",
        "https://me:hun@hunter2@a.com/x",
        "https://me:hunter2?@a.com/x",
        "https://me:hunter2@",
        "https:me:hunter2@a.com",
        "ftp://me:hunter2@a.com/x",
        "me:hunter2@a.com/x",
        "file://me:hunter2@a.com/x",
        "git+ssh://git:hunter2@a.com/x",
        "git+https://hunter2@a.com/x",
        "https://a b.com/?token=hunter2",
        "https://A.com:99999/#hunter2",
        "https://a.com/x.json?token=hunter2",
        "https://a.com/x.json?page=1&Access_Token=hunter2",
        "https://a.com/x.tar.gz?X-Amz-Signature=hunter2&X-Amz-Date=1",
    ] {
        let error = parse(text).unwrap_err();
        for shown in [error.to_string(), format!("{error:?}"), format!("{:?}", text.parse::<PackageUrl>())] {
            assert!(!shown.contains("hunter2"), "{text}: {shown}");
        }
    }
    assert!(parse("https://a.com/x.json?page=2&tokens=3&token=").is_ok(), "what merely sounds alike is none");
    for (text, shown) in [
        ("https://a.com/x?token=hunter2", "https://a.com/x…"),
        ("htps://me:hunter2@a.com/x", "htps://***@a.com/x"),
        ("git+ssh://git@a.com/x#main", "git+ssh://git@a.com/x#main"),
        ("https://a.com/x?page=2", "https://a.com/x?page=2"),
        ("file:./docs", "file:./docs"),
        ("no url at all", "no url at all"),
    ] {
        assert_eq!(shown_url(text), shown);
    }
    assert!(parse("https://me@a.com/x").unwrap_err().to_string().contains(".netrc"));
}

proptest! {
    #[test]
    fn normal_forms_are_stable(
        scheme in "(https|http|file|git\\+https|git\\+ssh|git\\+file|HTTP)",
        rest in "(://|:|:///)([a-zA-Z0-9%.~ é?#&=+:@\\\\]|/|\\.\\.|%2[eEfF5]|%[0-9a-f]{2}){0,24}",
    ) {
        if let Ok(url) = parse(&format!("{scheme}{rest}")) {
            prop_assert_eq!(&parse(url.as_str()).unwrap(), &url);
            prop_assert_eq!(url.as_str().parse::<PackageUrl>().unwrap(), url);
        }
    }

    #[test]
    fn every_file_has_one_url(path in proptest::collection::vec(1u8..=255, 0..20)) {
        let path = CanonicalPath::from_bytes(&[b"/", &path[..]].concat()).unwrap();
        let url = PackageUrl(format!("file://{}", percent::encode_path(&path.to_bytes())));
        prop_assert_eq!(url.file_path(), Some(path));
        prop_assert_eq!(parse(url.as_str()).unwrap(), url);
    }
}
