use std::time::{Duration, Instant};

use super::*;

fn token() -> String {
    concat!("ghp_", "x7Kq2mVbN9sLdF4hJ6tRwYzC3pGaE8uQ1iXo").to_owned()
}

/// Where values stood is told, and what an allowed rule finds stays as it is.
#[test]
fn lines_are_told_and_an_allowed_rule_takes_nothing() {
    let text = format!("a\nkey = \"{}\"\n{}\n", "k7Qz2pLx9WvB4nRt", token());
    let redacted = redact(format!("{text}api_{text}"));
    let places: Vec<_> = redacted.redactions.iter().map(|r| (r.rule, r.lines.clone())).collect();
    assert_eq!(places, [("github-token", vec![3, 6])]);
    let text = format!("x = 1\napi_key = \"{}\"\n{}\n", "k7Qz2pLx9WvB4nRt", token());
    let redacted = redact_except("a.py", text, &["quoted-secret".to_owned()]);
    assert!(redacted.text.contains("k7Qz2pLx9WvB4nRt") && !redacted.text.contains(&token()));
    assert_eq!(redacted.allowed, [Redaction { rule: "quoted-secret", count: 1, lines: vec![2] }]);
    assert_eq!(redacted.redactions, [Redaction { rule: "github-token", count: 1, lines: vec![3] }]);
    assert!(is_secret_rule("github-token") && !is_secret_rule("nothing"));
}

#[test]
fn clean_text_is_not_copied() {
    for text in ["", "nothing here", "a password is asked for, a token: none"] {
        let text = text.to_owned();
        let at = text.as_ptr();
        let redacted = redact(text);
        assert_eq!(redacted.text.as_ptr(), at);
        assert!(redacted.redactions.is_empty());
    }
}

#[test]
fn several_values_are_counted_by_rule() {
    let text = format!("a {0}\nb {0} c\n{1}\n", token(), concat!("AKIA", "Q3EGRVJ7XY2LPDT4"));
    let redacted = redact(text);
    assert_eq!(redacted.text, "a [redacted:github-token]\nb [redacted:github-token] c\n[redacted:aws-access-key-id]\n");
    let counts: Vec<_> = redacted.redactions.iter().map(|r| (r.rule, r.count)).collect();
    assert_eq!(counts, [("aws-access-key-id", 1), ("github-token", 2)]);
}

#[test]
fn the_specific_rule_names_a_value_two_rules_find() {
    let redacted = redact(format!("api_key = \"{}\"", token()));
    assert_eq!(redacted.text, "api_key = \"[redacted:github-token]\"");
}

#[test]
fn a_token_longer_than_its_window_leaves_no_tail() {
    let part = "q7Kx2mVbN9sLdF4hJ6tRwYzC3pGaE8uQ".repeat(400);
    let text = format!("x {} y", ["eyJ", &part, ".", "eyJ", &part, ".", &part].concat());
    let redacted = redact(text);
    // Longer than any token that was ever issued: seen or not, nothing of it may be cut in two.
    let whole = redacted.text == "x [redacted:json-web-token] y";
    assert!(whole || redacted.redactions.is_empty());
    let text = format!("x {} y", ["eyJ", &part[..900], ".", "eyJ", &part[..900], ".", &part].concat());
    assert_eq!(redact(text).text, "x [redacted:json-web-token] y");
}

#[test]
fn a_key_in_a_string_literal_or_without_an_end_is_taken() {
    let body = "MIIEowIBAAKCAQEAq7Kx2mVbN9sLdF4hJ6tRwYzC3pGaE8uQ1iXo5Bv7Nm2Kj8Hg";
    let begin = concat!("-----BEGIN ", "PRIVATE KEY-----");
    let end = concat!("-----END ", "PRIVATE KEY-----");
    let json = redact(format!("{{\"private\": \"{begin}\\n{body}\\n{body}\\n{end}\\n\"}}"));
    assert!(!json.text.contains(&body[..20]), "{}", json.text);
    assert!(json.text.ends_with(&format!("{end}\\n\"}}")));
    let cut = redact(format!("{begin}\r\n{body}\r\n{body}\r\n"));
    assert_eq!(cut.text, format!("{begin}\r\n[redacted:private-key]\r\n\r\n"));
    let two = redact(format!("{begin}\n{body}\n{end}\n{begin}\n{body}\n{end}\n"));
    assert_eq!(two.redactions, [Redaction { rule: "private-key", count: 2, lines: vec![2, 5] }]);
}

/// The span is the value alone, whatever stands around it.
#[test]
fn what_is_found_is_the_value_alone() {
    let text = format!("é password = \"{}\" and {}", "k7Qz2pLx9", token());
    let found = find(&text);
    let values: Vec<_> = found.iter().map(|f| (f.rule, &text[f.span.clone()])).collect();
    assert_eq!(values, [("quoted-secret", "k7Qz2pLx9"), ("github-token", token().as_str())]);
    assert!(!format!("{found:?}").contains("k7Qz2pLx9"));
}

/// A value that is written in parts is taken with what joins them.
#[test]
fn a_value_in_parts_is_one_value() {
    let redacted = redact("secret = \"k7Qz2pLx\" +\n    \"9WvB4nRt\"\n".to_owned());
    assert_eq!(redacted.text, "secret = \"[redacted:quoted-secret]\n\"\n");
}

#[test]
fn an_address_in_a_setting_loses_its_password_only() {
    let redacted = redact("DATABASE_PASSWORD_URL=postgres://app:k7Qz2pLx9@db/app?sslmode=require\n".to_owned());
    assert_eq!(redacted.text, "DATABASE_PASSWORD_URL=postgres://app:[redacted:url-password]@db/app?sslmode=require\n");
}

#[test]
fn ordinary_code_is_left_alone() {
    let hex = "7a38c0d1e2f34a5b6c7d8e9f0a1b2c3d";
    for text in [
        r#"dependencies = [("auth", "0012_alter_user_first_name_max_length")]"#.to_owned(),
        r#"User.objects.filter(password__startswith="sha1$$")"#.to_owned(),
        "if (pass === 'InlineIIFEs') {".to_owned(),
        "privateKey: ecdsaP256Key,".to_owned(),
        r#"{"privateKey": "ecdsaP256Key"}"#.to_owned(),
        r#"authorizationLatencyKey = "apiserver.latency.k8s.io/authorization""#.to_owned(),
        r#""LOGIN_AUTH_TOKEN": "2FA驗證碼","#.to_owned(),
        r#"notes = "Maven - io.jsonwebtoken:jjwt-jackson-0.11.2""#.to_owned(),
        r#"implementation "io.jsonwebtoken:jjwt-jackson-0.11.2""#.to_owned(),
        format!("background: url(img/video_box.ico-{hex}.png);"),
        "def test_moreWorkWhenNoWorkersAvailable(self):".to_owned(),
        "    self.pwd = root_pwd".to_owned(),
        "session['Data']['AnsiPwd'] = pwd_ansi".to_owned(),
        "OOB_DEVICE_PASSWORD = 0X102C".to_owned(),
        "auth3['type'] = rpcrt.MSRPC_AUTH3".to_owned(),
        "xoxb-xoxb-my-bot-token and xoxe.xoxp-1-SlackAppConfigurationAccessTokenHere".to_owned(),
        ":param string aesKey: aes256-cts-hmac-sha1-96 or aes128-cts-hmac-sha1-96".to_owned(),
        r#"('LmPassword', '16s=b""'),"#.to_owned(),
        r#"passphrase="verschl\u00FCsselt""#.to_owned(),
        r#"password="someone@somewhere.org","#.to_owned(),
        r#""SessionToken": "ABC12345","#.to_owned(),
        r#"{"username": "admin", "password": "P@55w0rd!"}"#.to_owned(),
        "https://jo%40email.com:a%20secret@www.web.com".to_owned(),
        "azureservicebus://SAS_POLICY_NAME:SAS_KEY@SERVICE_BUSNAMESPACE".to_owned(),
        "# passwd    = 1*SAFE ; MUST accept up to 255 octet".to_owned(),
        "NAME ( 'passwordMin8bit' 'pwdMin8bit' )".to_owned(),
        r#"token = 'token1234'"#.to_owned(),
        r#"token:"clm54217:AgencyIdentificationCodeContentType""#.to_owned(),
        r#"WS_KEY: Final[bytes] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11""#.to_owned(),
        "# Pass '?projection=full' here because 'PATCH' documented not".to_owned(),
        r#"create_engine("mssql+pyodbc://scott:tiger@ms_2008", isolation_level="REPEATABLE READ")"#.to_owned(),
        "'oauth_token=lsdkfol23w54jlksdef&oauth_token_secret=qwe089234lkjsdf&my_specific=argument'".to_owned(),
    ] {
        assert_eq!(redact(text.clone()).text, text);
    }
}

#[test]
fn padding_is_no_type_annotation() {
    let value = ["jI5dZeefCU8oWTwjpK6", "ulP3bsa3rxwYrjbQ="].concat();
    for (before, behind) in [("password: '", "'"), ("password: \"", "\","), ("api_key: '", "',"), ("\"secret: ", "\"")]
    {
        let redacted = redact(format!("{before}{value}{behind}")).text;
        assert!(!redacted.contains(&value[..12]) && redacted.contains("[redacted:"), "{redacted}");
    }
    let typed = ["def f(password: str=", "\"k7Qz2pLx9\"):"].concat();
    assert_eq!(redact(typed).text, "def f(password: str=\"[redacted:quoted-secret]\"):");
}

#[test]
fn weak_passwords_in_configuration() {
    for (path, text) in [
        ("config/.env.example", "IRC_PASSWORD=«irc_pass»\n"),
        ("app.ini", "[db]\npassword = «Pass!12345»\n"),
        ("app.properties", "db.password=«secret»\n"),
        ("app.json", "{\"password\": \"«password»\"}"),
        ("compose.yaml", "      POSTGRES_PASSWORD: «postgres»\n"),
        ("app.toml", "password = \"«hunter2»\"\n"),
        ("server.xml", "<Connector keystorePass=\"«changeit»\"/>"),
        ("server.xml", "<password>«letmein»</password>"),
        ("wp-config.php", "define('DB_PASSWORD', '«root»');"),
        ("home/.bash_profile", "export MYSQL_PASSWORD=«admin123»\n"),
        (".esmtprc", "username \"someone\"\npassword \"«password»\"\n"),
        ("irc/config", "IRC_PASS=«irc_pass»"),
        ("robo.json", "\"sshPassphrase\" : \"«SSHPass123»\",\n"),
        ("x.conf", "password=\"«password»\"\n"),
        (".env", "DB_PASSWORD=«Grün7x!kQ9»\n"),
        (".env", "JWT_SECRET=«lsdajfh923874»\n"),
        ("db.yaml", "port: 5432\npassword: «54321»\ntimeout: 5\n"),
        ("db.yaml", "port: 54321\npassword: \"«54322»\"\nreplica: 54323\n"),
    ] {
        let plain = text.replace(['«', '»'], "");
        let (head, rest) = text.split_once('«').unwrap();
        let (_, tail) = rest.split_once('»').unwrap();
        let redacted = redact_in(path, plain.clone()).text;
        let taken = redacted.strip_prefix(head).and_then(|rest| rest.strip_suffix(tail)).unwrap_or_default();
        assert!(taken.starts_with("[redacted:") && taken.ends_with(']'), "{path}: {redacted}");
    }
}

#[test]
fn configuration_that_sets_no_password_is_left_alone() {
    for (path, text) in [
        ("a.yaml", "password: ${DB_PASSWORD}\npassword: \"\"\npassword: null\npassword: changeme\npassword:\n"),
        ("a.json", "{\"password\": \"Password\", \"password_hint\": \"birthday\", \"password\": \"string\"}"),
        ("package.json", "{\"generate-password\": \"^1.7.0\", \"rpassword\": \"~2.1\"}"),
        ("main.tf", "password = var.db_password\n"),
        ("a.ini", "PuttyPassword=0\npassword = <your-password>\npassword_file = /run/secrets/db\n"),
        ("config/locales/de.yml", "password: Passwort\npassword: kennwort\n"),
        ("pom.xml", "<password>${env.PASSWORD}</password>"),
        ("api.json", "{\"about\": \"set the password \\\"secret\\\" or the token\"}"),
        ("a.toml", "rpassword = \"7.3\"\n"),
        ("a.ini", "esxi1_password: @ESXI1_PASSWORD\n"),
        ("form.cfg", "html_form_fields_pass = __RequestVerificationToken\n"),
        ("ids.json", "{\n  \"hint\": 16843099,\n  \"password\": 16843100,\n  \"lines\": 16843101\n}"),
    ] {
        assert_eq!(redact_in(path, text.to_owned()).text, text, "{path}");
    }
}

/// Each of these made of one thing many times over: a scan that is not linear takes minutes on one of them.
#[test]
fn hostile_text_takes_linear_time() {
    let begin = concat!("-----BEGIN ", "PRIVATE KEY-----\n");
    for part in [
        "a",
        "a1",
        "password",
        "password=\"",
        "password: a",
        "key",
        "token=a&",
        "secret:\\\"a1\\\",",
        "eyJ",
        "eyJaaaaaaaaaa.",
        "eyJaaaaaaaaaaaaaaaaaaaaaaaa.",
        "://",
        "a://b:",
        "a://b:c@",
        "sk-",
        "sk_live_a1b2",
        "SK",
        begin,
        "TOKEN=",
        ":AA",
        "xoxb-1",
        "curl -u a:",
        "mysql -p",
        "jdbc:mysql:a?",
        "machine a.b login c ",
        "server=a;pwd ",
        "create user a identified by ",
        "cookie:a",
        "discord M",
        "\"kty\"\"d\":\"",
        "host=a password=",
        "Authorization: Bearer ",
        "basic YTpi",
        "$6$a$",
        "a:5432:b:c:",
        "mnemonic: able ",
        "<rsakeyvalue><d>a",
        "Private-Lines: 1\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
        "hooks.slack.com/services/",
        "datadog_key=",
        "-glpat-aB3dE5gH7jK9mN1pQ4sT",
        "\"hvs.aB3dE5gH7jK9mN1pQ4sT6vW8\"",
    ] {
        let text = part.repeat(2_000_000 / part.len());
        let start = Instant::now();
        redact(text);
        assert!(start.elapsed() < Duration::from_secs(20), "{part:?} took {:?}", start.elapsed());
    }
}

proptest::proptest! {
    #[test]
    fn any_text_keeps_its_lines(text in "([a-zé\r\n ]{0,12}|password = \"|ghp_x7Kq2mVbN9sLdF4hJ6tRwYzC3pGaE8uQ1iXo|://a:|@b|\"){0,20}") {
        let redacted = redact(text.clone());
        let breaks = |t: &str| t.chars().filter(|c| matches!(c, '\n' | '\r')).collect::<String>();
        proptest::prop_assert_eq!(breaks(&redacted.text), breaks(&text));
        proptest::prop_assert_eq!(redacted.redactions.is_empty(), redacted.text == text);
    }
}
