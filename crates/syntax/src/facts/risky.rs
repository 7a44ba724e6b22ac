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
type Row = (Risk, When, &'static [&'static str]);

const BROKEN: When = First(&[
    "md5", "sha1", "sha-1", "md4", "des", "des-ecb", "rc4", "des/ecb/pkcs5padding", "aes/ecb/pkcs5padding",
    "aes-128-ecb", "aes-256-ecb", "aes/ecb/nopadding", "aes",
]);
const SAFE_LOADERS: When = Without(&["SafeLoader", "CSafeLoader", "BaseLoader", "CBaseLoader"]);

fn calls(family: Family) -> &'static [Row] {
    match family {
        Family::Rust => &[
            (Process, ProcessCommand, &["Command.new"]),
            (WeakCrypto, Always, &["Md5.new", "Md5.digest", "md5.compute", "Sha1.new", "Sha1.digest"]),
            (NoVerify, With(&["true"]), &["*.danger_accept_invalid_certs", "*.danger_accept_invalid_hostnames"]),
            (NoVerify, With(&["SslVerifyMode::NONE"]), &["*.set_verify"]),
        ],
        Family::Python => &[
            (Eval, Always, &["eval", "exec"]),
            (Process, Always, &["os.system", "os.popen", "subprocess.run", "subprocess.call", "subprocess.Popen"]),
            (Process, Always, &["subprocess.check_call", "subprocess.check_output", "subprocess.getoutput"]),
            (Process, Always, &["asyncio.create_subprocess_exec", "asyncio.create_subprocess_shell", "Popen"]),
            (Deserialize, Always, &["pickle.load", "pickle.loads", "cPickle.loads", "dill.loads", "marshal.loads"]),
            (Deserialize, Always, &["yaml.unsafe_load"]),
            (Deserialize, SAFE_LOADERS, &["yaml.load"]),
            (Html, Computed, &["mark_safe"]),
            (WeakCrypto, Always, &["hashlib.md5", "hashlib.sha1", "DES.new", "ARC4.new"]),
            (WeakCrypto, BROKEN, &["hashlib.new"]),
            (NoVerify, Always, &["ssl._create_unverified_context"]),
        ],
        Family::Script => &[
            (Eval, Computed, &["eval", "Function"]),
            (Eval, Always, &["vm.runInNewContext", "vm.runInThisContext"]),
            (Process, Always, &["child_process.exec", "child_process.execSync", "child_process.spawn"]),
            (Process, Always, &["child_process.spawnSync", "child_process.execFile", "child_process.execFileSync"]),
            (Process, Always, &["child_process.fork"]),
            (Process, ChildProcess, &["cp.exec", "cp.execSync", "cp.spawn", "cp.spawnSync", "cp.fork"]),
            (Process, ChildProcess, &["childProcess.exec", "childProcess.spawn", "exec", "execSync", "execFile"]),
            (Process, ChildProcess, &["execFileSync", "spawn", "spawnSync", "fork"]),
            (Html, Computed, &["document.write", "document.writeln"]),
            (Html, Always, &["*.insertAdjacentHTML"]),
            (WeakCrypto, BROKEN, &["*.createHash", "*.createCipheriv", "*.createDecipheriv"]),
        ],
        Family::Go => &[
            (Unsafe, Always, &["unsafe.Pointer"]),
            (Process, Always, &["exec.Command", "exec.CommandContext", "os.StartProcess", "syscall.Exec"]),
            (Html, Computed, &["template.HTML", "template.JS"]),
            (WeakCrypto, Always, &["md5.New", "md5.Sum", "sha1.New", "sha1.Sum", "des.NewCipher"]),
            (WeakCrypto, Always, &["des.NewTripleDESCipher", "rc4.NewCipher"]),
        ],
        Family::Java => &[
            (Process, Always, &["getRuntime.exec", "ProcessBuilder"]),
            (Deserialize, Always, &["ObjectInputStream", "XMLDecoder"]),
            (WeakCrypto, BROKEN, &["MessageDigest.getInstance", "Cipher.getInstance"]),
            (WeakCrypto, Always, &["DigestUtils.md5Hex", "DigestUtils.sha1Hex"]),
        ],
        Family::C => &[
            (Unsafe, Always, &["strcpy", "strcat", "sprintf", "vsprintf", "gets", "std.strcpy", "std.strcat"]),
            (Unsafe, Always, &["std.sprintf"]),
            (Process, Always, &["system", "std.system", "popen", "execl", "execlp", "execv", "execve", "execvp"]),
            (WeakCrypto, Always, &["MD5", "MD5_Init", "SHA1", "SHA1_Init", "EVP_md5", "EVP_sha1", "DES_ecb_encrypt"]),
            (NoVerify, With(&["0", "0L"]), &["curl_easy_setopt"]),
        ],
        Family::CSharp => &[
            (Process, Always, &["Process.Start", "ProcessStartInfo"]),
            (Deserialize, Always, &["BinaryFormatter", "NetDataContractSerializer", "LosFormatter"]),
            (Html, Computed, &["Html.Raw"]),
            (WeakCrypto, Always, &["MD5.Create", "SHA1.Create", "DES.Create", "MD5.HashData", "SHA1.HashData"]),
            (WeakCrypto, Always, &["MD5CryptoServiceProvider", "SHA1CryptoServiceProvider", "SHA1Managed"]),
            (WeakCrypto, Always, &["DESCryptoServiceProvider"]),
        ],
        Family::Ruby => &[
            (Eval, Computed, &["eval", "*.instance_eval", "*.class_eval", "*.module_eval"]),
            (Process, Given, &["system", "exec", "spawn", "Kernel.system", "Process.spawn"]),
            (Process, Always, &["IO.popen", "Open3.capture2", "Open3.capture2e", "Open3.capture3", "Open3.popen3"]),
            (Deserialize, Always, &["Marshal.load", "YAML.load", "YAML.unsafe_load"]),
            (Html, Always, &["*.html_safe"]),
            (WeakCrypto, Always, &["MD5.hexdigest", "MD5.digest", "MD5.new", "SHA1.hexdigest", "SHA1.digest"]),
            (WeakCrypto, Always, &["SHA1.new"]),
        ],
        Family::Php => &[
            (Eval, Always, &["eval", "create_function"]),
            (Process, Always, &["shell_exec", "exec", "system", "passthru", "popen", "proc_open", "pcntl_exec"]),
            (Deserialize, Without(&["allowed_classes"]), &["unserialize"]),
            (WeakCrypto, Always, &["md5", "sha1", "md5_file", "sha1_file"]),
            (WeakCrypto, BROKEN, &["hash"]),
            (NoVerify, With(&["false", "0", "FALSE"]), &["curl_setopt"]),
        ],
        Family::Bash => &[(Eval, Always, &["eval"])],
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

pub(super) fn call(place: &Place<'_, '_>, call: &Call<'_, '_>, known: &Known, facts: &mut Facts) {
    let source = place.source;
    let is_called = |what: &&&'static str| {
        let (on, name) = what.split_once('.').unwrap_or(("", what));
        let is_on = match on {
            "" => call.on.is_none(),
            "*" => true,
            _ => call.receiver == on,
        };
        name == call.name && is_on
    };
    let found = calls(source.kinds.family).iter().find_map(|(kind, when, names)| {
        names.iter().find(is_called).filter(|_| holds(source, call, *when, known)).map(|what| (*kind, *what))
    });
    if let Some((kind, what)) = found {
        push(facts, kind, shown(what), call.at());
    }
    sql::call(source, call, facts);
}

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
