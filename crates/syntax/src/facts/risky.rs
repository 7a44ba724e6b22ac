//! Calls and blocks worth a second look.
//!
//! What is reported comes from the tables here, never from the text: an argument may hold a secret.

use tree_sitter::Node;

use super::imports::Known;
use super::nodes::{CALL, DEFINE, Family, Field, JOIN, MACRO, SETTING, SHELL, STRING, UNSAFE, WORD};
use super::source::{Call, Source, line};
use super::{Place, sql};
use crate::Risk::{self, Deserialize, Eval, Html, NoVerify, Process, Unsafe, WeakCrypto};
use crate::{Facts, Risky};

/// When a call of a name is a risk.
#[derive(Debug, Clone, Copy)]
enum When {
    Always,
    /// Its first argument is one of these, whatever their case.
    First(&'static [&'static str]),
    /// It has an argument, and that is no block.
    Given,
    /// It has an argument, and that is neither a block nor a literal.
    Computed,
    Without(&'static [&'static str]),
    With(&'static [&'static str]),
    /// JavaScript's `child_process` was imported.
    ChildProcess,
    /// Rust's `Command` is the one that starts programs.
    ProcessCommand,
}

use When::{Always, ChildProcess, Computed, First, Given, ProcessCommand, With, Without};

/// `name` is called on nothing, `x.name` on what ends in `x`, `*.name` on anything.
type Row = (&'static str, Risk, When);

const BROKEN: When = First(&[
    "md5", "sha1", "sha-1", "md4", "des", "des-ecb", "rc4", "des/ecb/pkcs5padding", "aes/ecb/pkcs5padding",
    "aes-128-ecb", "aes-256-ecb", "aes/ecb/nopadding", "aes",
]);
const SAFE_LOADERS: When = Without(&["SafeLoader", "CSafeLoader", "BaseLoader", "CBaseLoader"]);

fn calls(family: Family) -> &'static [Row] {
    match family {
        Family::Rust => &[
            ("Command.new", Process, ProcessCommand),
            ("Md5.new", WeakCrypto, Always),
            ("Md5.digest", WeakCrypto, Always),
            ("md5.compute", WeakCrypto, Always),
            ("Sha1.new", WeakCrypto, Always),
            ("Sha1.digest", WeakCrypto, Always),
            ("*.danger_accept_invalid_certs", NoVerify, With(&["true"])),
            ("*.danger_accept_invalid_hostnames", NoVerify, With(&["true"])),
            ("*.set_verify", NoVerify, With(&["SslVerifyMode::NONE"])),
        ],
        Family::Python => &[
            ("eval", Eval, Always),
            ("exec", Eval, Always),
            ("os.system", Process, Always),
            ("os.popen", Process, Always),
            ("subprocess.run", Process, Always),
            ("subprocess.call", Process, Always),
            ("subprocess.Popen", Process, Always),
            ("subprocess.check_call", Process, Always),
            ("subprocess.check_output", Process, Always),
            ("subprocess.getoutput", Process, Always),
            ("asyncio.create_subprocess_exec", Process, Always),
            ("asyncio.create_subprocess_shell", Process, Always),
            ("Popen", Process, Always),
            ("pickle.load", Deserialize, Always),
            ("pickle.loads", Deserialize, Always),
            ("cPickle.loads", Deserialize, Always),
            ("dill.loads", Deserialize, Always),
            ("marshal.loads", Deserialize, Always),
            ("yaml.load", Deserialize, SAFE_LOADERS),
            ("yaml.unsafe_load", Deserialize, Always),
            ("mark_safe", Html, Computed),
            ("hashlib.md5", WeakCrypto, Always),
            ("hashlib.sha1", WeakCrypto, Always),
            ("hashlib.new", WeakCrypto, BROKEN),
            ("DES.new", WeakCrypto, Always),
            ("ARC4.new", WeakCrypto, Always),
            ("ssl._create_unverified_context", NoVerify, Always),
        ],
        Family::Script => &[
            ("eval", Eval, Computed),
            ("Function", Eval, Computed),
            ("vm.runInNewContext", Eval, Always),
            ("vm.runInThisContext", Eval, Always),
            ("child_process.exec", Process, Always),
            ("child_process.execSync", Process, Always),
            ("child_process.spawn", Process, Always),
            ("child_process.spawnSync", Process, Always),
            ("child_process.execFile", Process, Always),
            ("child_process.execFileSync", Process, Always),
            ("child_process.fork", Process, Always),
            ("cp.exec", Process, ChildProcess),
            ("cp.execSync", Process, ChildProcess),
            ("cp.spawn", Process, ChildProcess),
            ("cp.spawnSync", Process, ChildProcess),
            ("cp.fork", Process, ChildProcess),
            ("childProcess.exec", Process, ChildProcess),
            ("childProcess.spawn", Process, ChildProcess),
            ("exec", Process, ChildProcess),
            ("execSync", Process, ChildProcess),
            ("execFile", Process, ChildProcess),
            ("execFileSync", Process, ChildProcess),
            ("spawn", Process, ChildProcess),
            ("spawnSync", Process, ChildProcess),
            ("fork", Process, ChildProcess),
            ("document.write", Html, Computed),
            ("document.writeln", Html, Computed),
            ("*.insertAdjacentHTML", Html, Always),
            ("*.createHash", WeakCrypto, BROKEN),
            ("*.createCipheriv", WeakCrypto, BROKEN),
            ("*.createDecipheriv", WeakCrypto, BROKEN),
        ],
        Family::Go => &[
            ("unsafe.Pointer", Unsafe, Always),
            ("exec.Command", Process, Always),
            ("exec.CommandContext", Process, Always),
            ("os.StartProcess", Process, Always),
            ("syscall.Exec", Process, Always),
            ("template.HTML", Html, Computed),
            ("template.JS", Html, Computed),
            ("md5.New", WeakCrypto, Always),
            ("md5.Sum", WeakCrypto, Always),
            ("sha1.New", WeakCrypto, Always),
            ("sha1.Sum", WeakCrypto, Always),
            ("des.NewCipher", WeakCrypto, Always),
            ("des.NewTripleDESCipher", WeakCrypto, Always),
            ("rc4.NewCipher", WeakCrypto, Always),
        ],
        Family::Java => &[
            ("getRuntime.exec", Process, Always),
            ("ProcessBuilder", Process, Always),
            ("ObjectInputStream", Deserialize, Always),
            ("XMLDecoder", Deserialize, Always),
            ("MessageDigest.getInstance", WeakCrypto, BROKEN),
            ("Cipher.getInstance", WeakCrypto, BROKEN),
            ("DigestUtils.md5Hex", WeakCrypto, Always),
            ("DigestUtils.sha1Hex", WeakCrypto, Always),
        ],
        Family::C => &[
            ("strcpy", Unsafe, Always),
            ("strcat", Unsafe, Always),
            ("sprintf", Unsafe, Always),
            ("vsprintf", Unsafe, Always),
            ("gets", Unsafe, Always),
            ("system", Process, Always),
            ("std.system", Process, Always),
            ("std.strcpy", Unsafe, Always),
            ("std.strcat", Unsafe, Always),
            ("std.sprintf", Unsafe, Always),
            ("popen", Process, Always),
            ("execl", Process, Always),
            ("execlp", Process, Always),
            ("execv", Process, Always),
            ("execve", Process, Always),
            ("execvp", Process, Always),
            ("MD5", WeakCrypto, Always),
            ("MD5_Init", WeakCrypto, Always),
            ("SHA1", WeakCrypto, Always),
            ("SHA1_Init", WeakCrypto, Always),
            ("EVP_md5", WeakCrypto, Always),
            ("EVP_sha1", WeakCrypto, Always),
            ("DES_ecb_encrypt", WeakCrypto, Always),
            ("curl_easy_setopt", NoVerify, With(&["0", "0L"])),
        ],
        Family::CSharp => &[
            ("Process.Start", Process, Always),
            ("ProcessStartInfo", Process, Always),
            ("BinaryFormatter", Deserialize, Always),
            ("NetDataContractSerializer", Deserialize, Always),
            ("LosFormatter", Deserialize, Always),
            ("Html.Raw", Html, Computed),
            ("MD5.Create", WeakCrypto, Always),
            ("SHA1.Create", WeakCrypto, Always),
            ("DES.Create", WeakCrypto, Always),
            ("MD5.HashData", WeakCrypto, Always),
            ("SHA1.HashData", WeakCrypto, Always),
            ("MD5CryptoServiceProvider", WeakCrypto, Always),
            ("SHA1CryptoServiceProvider", WeakCrypto, Always),
            ("SHA1Managed", WeakCrypto, Always),
            ("DESCryptoServiceProvider", WeakCrypto, Always),
        ],
        Family::Ruby => &[
            ("eval", Eval, Computed),
            ("*.instance_eval", Eval, Computed),
            ("*.class_eval", Eval, Computed),
            ("*.module_eval", Eval, Computed),
            ("system", Process, Given),
            ("exec", Process, Given),
            ("spawn", Process, Given),
            ("Kernel.system", Process, Given),
            ("Process.spawn", Process, Given),
            ("IO.popen", Process, Always),
            ("Open3.capture2", Process, Always),
            ("Open3.capture2e", Process, Always),
            ("Open3.capture3", Process, Always),
            ("Open3.popen3", Process, Always),
            ("Marshal.load", Deserialize, Always),
            ("YAML.load", Deserialize, Always),
            ("YAML.unsafe_load", Deserialize, Always),
            ("*.html_safe", Html, Always),
            ("MD5.hexdigest", WeakCrypto, Always),
            ("MD5.digest", WeakCrypto, Always),
            ("MD5.new", WeakCrypto, Always),
            ("SHA1.hexdigest", WeakCrypto, Always),
            ("SHA1.digest", WeakCrypto, Always),
            ("SHA1.new", WeakCrypto, Always),
        ],
        Family::Php => &[
            ("eval", Eval, Always),
            ("create_function", Eval, Always),
            ("shell_exec", Process, Always),
            ("exec", Process, Always),
            ("system", Process, Always),
            ("passthru", Process, Always),
            ("popen", Process, Always),
            ("proc_open", Process, Always),
            ("pcntl_exec", Process, Always),
            ("unserialize", Deserialize, Without(&["allowed_classes"])),
            ("md5", WeakCrypto, Always),
            ("sha1", WeakCrypto, Always),
            ("md5_file", WeakCrypto, Always),
            ("sha1_file", WeakCrypto, Always),
            ("hash", WeakCrypto, BROKEN),
            ("curl_setopt", NoVerify, With(&["false", "0", "FALSE"])),
        ],
        Family::Bash => &[("eval", Eval, Always)],
    }
}

/// Constants whose mention is a risk.
const WORDS: &[(Family, &str, Risk)] = &[
    (Family::Python, "CERT_NONE", NoVerify),
    (Family::Python, "MODE_ECB", WeakCrypto),
    (Family::Ruby, "VERIFY_NONE", NoVerify),
    (Family::Java, "NoopHostnameVerifier", NoVerify),
    (Family::Java, "ALLOW_ALL_HOSTNAME_VERIFIER", NoVerify),
    (Family::CSharp, "DangerousAcceptAnyServerCertificateValidator", NoVerify),
    (Family::CSharp, "ServerCertificateValidationCallback", NoVerify),
    (Family::CSharp, "ServerCertificateCustomValidationCallback", NoVerify),
];

/// Names that are a risk when they get a value: any but a literal if that is empty.
const SETTINGS: &[(Family, &str, &str, Risk)] = &[
    (Family::Python, "verify", "False", NoVerify),
    (Family::Python, "verify_ssl", "False", NoVerify),
    (Family::Python, "check_hostname", "False", NoVerify),
    (Family::Script, "rejectUnauthorized", "false", NoVerify),
    (Family::Script, "innerHTML", "", Html),
    (Family::Script, "outerHTML", "", Html),
    (Family::Script, "dangerouslySetInnerHTML", "", Html),
    (Family::Go, "InsecureSkipVerify", "true", NoVerify),
];

fn push(facts: &mut Facts, kind: Risk, what: &str, node: Node<'_>) {
    facts.risky.push(Risky { kind, what: what.to_owned(), line: line(node) });
}

/// Takes the risk of a call.
pub(super) fn call(place: &Place<'_, '_>, call: &Call<'_, '_>, known: &Known, facts: &mut Facts) {
    let source = place.source;
    let fits = |row: &&Row| {
        let (on, name) = row.0.split_once('.').unwrap_or(("", row.0));
        let is_on = match on {
            "" => call.on.is_none(),
            "*" => true,
            _ => call.receiver == on,
        };
        name == call.name && is_on && holds(source, call, row.2, known)
    };
    if let Some((what, kind, _)) = calls(source.kinds.family).iter().find(fits) {
        push(facts, *kind, shown(what), call.at());
    }
    sql::call(source, call, facts);
}

/// A row's name as people write it.
fn shown(what: &'static str) -> &'static str {
    match what {
        "getRuntime.exec" => "Runtime.exec",
        "Command.new" => "Command::new",
        "Function" => "new Function",
        "std.system" => "system",
        _ => what.trim_start_matches("*."),
    }
}

fn holds(source: Source<'_>, call: &Call<'_, '_>, when: When, known: &Known) -> bool {
    let arguments = || source.arguments(call.arguments);
    let first = || arguments().first().copied().filter(|first| first.kind() != "block_argument");
    match when {
        Always => true,
        First(words) => {
            source.first_literal(call).is_some_and(|first| words.iter().any(|word| first.eq_ignore_ascii_case(word)))
        }
        Given => first().is_some(),
        Computed => first().is_some_and(|first| source.literal(first).is_none()),
        Without(words) => {
            let list = call.arguments.map_or("", |list| source.of(list));
            list.len() < 4096 && !words.iter().any(|word| list.contains(word))
        }
        With(words) => {
            let all = arguments();
            let has = all.iter().any(|argument| words.contains(&source.of(*argument)));
            let verifies = |argument: &Node<'_>| source.of(*argument).starts_with("CURLOPT_SSL_VERIFY");
            has && (!call.name.starts_with("curl_") || all.iter().any(verifies))
        }
        ChildProcess => known.child_process,
        ProcessCommand => {
            let path = call.on.and_then(|on| source.kinds.child(on, Field::Path));
            path.map_or(known.process, |path| source.last_name(path) == "process")
        }
    }
}

/// Takes the risk of any other node.
pub(super) fn node(place: &Place<'_, '_>, facts: &mut Facts) {
    let (source, node, acts) = (place.source, place.node, place.acts);
    let family = source.kinds.family;
    if acts & UNSAFE != 0 {
        push(facts, Unsafe, "unsafe", node);
    } else if acts & SHELL != 0 {
        push(facts, Process, "`…`", node);
    } else if acts & (JOIN | STRING | MACRO) != 0 {
        sql::node(place, facts);
    } else if acts & SETTING != 0 {
        setting(source, node, facts);
    } else if acts & WORD != 0 {
        let name = source.of(node);
        if let Some((_, what, kind)) = WORDS.iter().find(|row| row.1 == name && row.0 == family) {
            push(facts, *kind, what, node);
        }
    } else if acts & DEFINE != 0 && family == Family::Rust && is_unsafe(source, node) {
        push(facts, Unsafe, "unsafe", node);
    }
}

/// `unsafe fn`.
fn is_unsafe(source: Source<'_>, node: Node<'_>) -> bool {
    let modifiers =
        (0..2).filter_map(|index| node.named_child(index)).find(|child| child.kind() == "function_modifiers");
    node.kind() == "function_item"
        && modifiers.is_some_and(|words| source.of(words).split_whitespace().any(|word| word == "unsafe"))
}

/// `rejectUnauthorized: false`, `x.innerHTML = y`.
fn setting(source: Source<'_>, node: Node<'_>, facts: &mut Facts) {
    let named = source.kinds.any_child(node, &[Field::Key, Field::Name, Field::Left]).or_else(|| node.named_child(0));
    let Some(named) = named else { return };
    let name = match named.kind() {
        "literal_element" => source.of(named),
        _ => source.last_name(named),
    };
    let Some((_, what, wanted, kind)) = SETTINGS.iter().find(|row| row.1 == name && row.0 == source.kinds.family)
    else {
        return;
    };
    let value = source.kinds.any_child(node, &[Field::Value, Field::Right]).or_else(|| node.named_child(1));
    let Some(value) = value else { return };
    // An object's own `innerHTML: x` is no page.
    let is_set = if wanted.is_empty() {
        source.literal(value).is_none() && (node.kind() != "pair" || name.starts_with("dangerously"))
    } else {
        source.of(value) == *wanted
    };
    if is_set && !source.kinds.is(node, CALL) {
        push(facts, *kind, what, node);
    }
}
