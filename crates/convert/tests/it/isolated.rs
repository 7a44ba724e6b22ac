use std::time::{Duration, Instant};

use ai_assist_convert::{ConvertError, Format, Isolated, Limits, convert};

use crate::fixture;

const WORKER: &str = env!("CARGO_BIN_EXE_convert-worker");
const NO_ARGS: [&str; 0] = [];

#[test]
fn a_worker_says_what_the_converter_says() {
    let isolated = Isolated::new(WORKER, NO_ARGS);
    for (name, format) in [
        ("paper.pdf", Format::Pdf),
        ("locked.pdf", Format::Pdf),
        ("manual.docx", Format::Docx),
        ("deck.pptx", Format::Pptx),
        ("readings.xlsx", Format::Xlsx),
        ("garden.odt", Format::Odt),
        // Of the wrong format.
        ("garden.odt", Format::Pdf),
    ] {
        let bytes = fixture(name);
        assert_eq!(isolated.convert(format, &bytes), convert(format, &bytes, &Limits::default()), "{name}");
        assert_eq!(
            Isolated::in_process().convert(format, &bytes),
            convert(format, &bytes, &Limits::default()),
            "{name}"
        );
    }
}

#[test]
fn threads_share_workers() {
    let isolated = Isolated::new(WORKER, NO_ARGS);
    let pdf = fixture("paper.pdf");
    let expected = convert(Format::Pdf, &pdf, &Limits::default());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..10).for_each(|_| assert_eq!(isolated.convert(Format::Pdf, &pdf), expected)));
        }
    });
}

#[cfg(unix)]
#[test]
fn a_worker_that_hangs_is_killed_and_replaced() {
    let isolated = Isolated::new("/bin/sleep", ["60"]).with_timeout(Duration::from_millis(300));
    for _ in 0..2 {
        let started = Instant::now();
        let outcome = isolated.convert(Format::Pdf, &vec![b'x'; 1 << 20]);
        assert_eq!(outcome, Err(ConvertError::Broke("took longer than 0.3 s".into())));
        assert!(started.elapsed() < Duration::from_secs(5));
    }
}

#[cfg(unix)]
#[test]
fn a_worker_that_crashes_or_talks_nonsense_is_an_error_with_a_reason() {
    let shell = |script: &str| Isolated::new("/bin/sh", ["-c", script]).convert(Format::Pdf, b"x");
    let crash = shell("head -c 1 >/dev/null; echo 'memory allocation failed' >&2; kill -ABRT $$");
    let Err(ConvertError::Broke(reason)) = crash else { panic!("{crash:?}") };
    assert!(reason.contains("memory allocation failed") && reason.contains("signal: 6"), "{reason}");
    let nonsense = shell("head -c 1 >/dev/null; echo 'hello, this is not an answer of any kind'; sleep 5");
    assert!(matches!(nonsense, Err(ConvertError::Broke(_))), "{nonsense:?}");
    let missing = Isolated::new("/no/such/program", NO_ARGS).convert(Format::Pdf, b"x");
    assert!(matches!(&missing, Err(ConvertError::Broke(reason)) if reason.contains("/no/such/program")), "{missing:?}");
    // What is short and not risky does not need one.
    let tex = |text: &[u8]| Isolated::new("/no/such/program", NO_ARGS).convert(Format::Tex, text);
    assert!(!matches!(tex(b"x"), Err(ConvertError::Broke(_))));
    assert!(matches!(tex(&b"x ".repeat(50_000)), Err(ConvertError::Broke(_))));
}

#[cfg(target_os = "linux")]
#[test]
fn a_worker_has_given_up_what_it_does_not_need() {
    let mut worker = std::process::Command::new(WORKER);
    worker.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut worker = worker.spawn().unwrap();
    // It sets its limits before it reads; wait until they are there.
    let path = format!("/proc/{}/limits", worker.id());
    let limit = |name: &str| {
        let limits = std::fs::read_to_string(&path).unwrap();
        let line = limits.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
        line[name.len()..].split_whitespace().next().unwrap().to_owned()
    };
    let deadline = Instant::now() + Duration::from_secs(10);
    while limit("Max processes") != "0" && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    for (name, value) in [
        ("Max data size", "536870912"),
        ("Max core file size", "0"),
        ("Max file size", "0"),
        ("Max open files", "0"),
        ("Max processes", "0"),
    ] {
        assert_eq!(limit(name), value, "{name}");
    }
    // The end of its input is its end.
    drop(worker.stdin.take());
    assert!(worker.wait().unwrap().success());
}
