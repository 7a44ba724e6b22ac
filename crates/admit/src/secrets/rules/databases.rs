//! Databases, and the ways to log in to one.

use super::super::rule::{Doubt, Rule, assigned, long, near, token};

pub(super) const RULES: &[Rule] = &[
    token("mongodb-atlas-secret", &["mdb_sa_sk_"], r"mdb_sa_sk_[A-Za-z0-9_\-]{40}"),
    long("fauna-key", &["fnAE", "fnAF"], r"fnA[EF][A-Za-z0-9_\-]{32}"),
    token("xata-key", &["xau_"], r"xau_[A-Za-z0-9]{36,44}"),
    token("cockroach-key", &["CCDB1_"], r"CCDB1_[A-Za-z0-9]{22}_[A-Za-z0-9]{40}"),
    assigned("influx-token", &["influx"], r"[A-Za-z0-9_\-]{86}=="),
    assigned("data-service-token", &["upstash", "snowflake", "redshift", "elastic", "couchbase", "turso", "confluent", "cloudamqp", "fivetran", "airbyte", "dbt_", "looker", "tableau", "retool"], r"[A-Za-z0-9_+/\-]{20,200}={0,2}")
        .entropy(3.4),
    near(
        "jdbc-password",
        &["jdbc:"],
        r#"jdbc:[a-z0-9]{2,16}:[^\s"'<>]{0,200}?[?&;:](?i:password|pwd)=([^\s"'&;<>]{3,128})"#,
    ).doubt(Doubt::Weak).entropy(1.5),
    near(
        "connection-string-password",
        &["password=", "pwd=", "password =", "pwd ="],
        r#"(?i)(?:server|data source|host|user id|uid|username|user|database|initial catalog|endpoint)\s?=[^;"'\r\n]{1,120};[^"'\r\n]{0,200}?(?:password|pwd)\s?=\s?([^;"'\s]{4,128})"#,
    ).reach(320, 160).doubt(Doubt::Weak).entropy(2.0),
    near("jdbc-oracle-password", &["jdbc:oracle:thin:"], r"jdbc:oracle:thin:[A-Za-z0-9_]{1,64}/([^\s/@]{4,64})@")
        .doubt(Doubt::Weak).entropy(2.0),
    near("libpq-password", &["password="], r#"\b(?:host|user|dbname|hostaddr|port)=[^\s"',]{1,100}\s(?:[a-z_]{2,24}=[^\s"']{0,100}\s){0,6}password=([^\s"'),]{4,128})"#)
        .reach(320, 140).doubt(Doubt::Weak).entropy(2.0),
    near("netrc-password", &["machine "], r"\bmachine\s{1,8}[^\s.]{1,60}\.[^\s]{1,80}\s{1,8}login\s{1,8}[^\s]{1,120}\s{1,8}password\s{1,8}([^\s]{3,200})")
        .doubt(Doubt::Weak).entropy(1.5),
    near("pgpass-password", &[":5432:", ":5433:", ":6432:"], r"(?m)^[A-Za-z0-9_.\-*]{1,100}:(?:5432|5433|6432):[A-Za-z0-9_\-*]{1,64}:[A-Za-z0-9_\-.]{1,64}:([^\s:]{4,128})$")
        .reach(110, 320).doubt(Doubt::Weak).entropy(1.5),
    near(
        "sql-password",
        &["identified by", "identified with", "password '", "password = '", "password \"", "password n'", "password=n'", "password = n'"],
        r#"(?i)\b(?:(?:create|alter|grant|set)\s[^;\r\n]{1,160}?identified\s{1,4}(?:with\s{1,4}\S{1,40}\s{1,4})?by\s{1,4}(?:password\s{1,4})?|(?:create|alter)\s{1,4}(?:user|role|login)\s[^;\r\n]{1,160}?password\s{0,3}=?\s{0,3}n?)["']([^"'\r\n]{3,128})["']"#,
    ).reach(200, 240).doubt(Doubt::Weak).entropy(1.5),
    near("client-password-option", &["mysql", "mysqldump", "mariadb", "redis-cli", "sqlcmd", "mongosh", "mongo", "mysqladmin", "sshpass"], r#"\b(?:(?:mysql|mysqldump|mysqladmin|mariadb)\s[^\r\n]{0,160}?-p["']?|(?:redis-cli\s[^\r\n]{0,100}?-a|sqlcmd\s[^\r\n]{0,120}?-P|mongo(?:sh)?\s[^\r\n]{0,120}?-p|sshpass\s{1,3}-p)\s{0,3}["']?)([^\s"'\-=$<{(][^\s"']{4,64})"#)
        .doubt(Doubt::Weak).entropy(2.3),
    near("redis-config-password", &["requirepass", "masterauth"], r#"(?m)^[ \t]{0,4}(?:requirepass|masterauth)[ \t]{1,4}"?([^\s"]{4,200})"#)
        .reach(5, 220).doubt(Doubt::Weak).entropy(2.0),
    near("bcrypt-hash", &["$2a$", "$2b$", "$2y$", "$2x$"], r"(\$2[abxy]\$[0-9]{2}\$[A-Za-z0-9./]{53})(?:[^A-Za-z0-9./]|$)"),
    near("crypt-hash", &["$1$", "$5$", "$6$", "$y$", "$apr1$", "$7$", "$gy$"], r"(\$(?:1|apr1)\$[A-Za-z0-9./]{1,8}\$[A-Za-z0-9./]{22}|\$(?:5|6|y|gy|7)\$(?:rounds=[0-9]{1,9}\$)?[A-Za-z0-9./$]{1,40}\$[A-Za-z0-9./]{43,86})(?:[^A-Za-z0-9./]|$)"),
    near("argon2-hash", &["$argon2"], r"(\$argon2(?:id|i|d)\$(?:v=[0-9]{1,3}\$)?m=[0-9]{1,9},t=[0-9]{1,5},p=[0-9]{1,4}\$[A-Za-z0-9+/]{8,64}\$[A-Za-z0-9+/]{16,128})"),
    near("htpasswd-sha", &[":{SHA}"], r"(?m)^[A-Za-z0-9_.@\-]{1,64}:\{SHA\}([A-Za-z0-9+/]{27}=)").reach(70, 40),
    near("django-hash", &["pbkdf2_sha256$", "pbkdf2_sha1$", "pbkdf2:sha", "scrypt:"], r"\b(pbkdf2_sha(?:256|1)\$[0-9]{4,8}\$[A-Za-z0-9]{8,40}\$[A-Za-z0-9+/]{27,44}={0,2}|(?:pbkdf2:sha[0-9]{1,3}:[0-9]{3,8}|scrypt:[0-9]{3,7}:[0-9]{1,3}:[0-9]{1,3})\$[A-Za-z0-9]{8,32}\$[a-f0-9]{40,128})"),
    near("directory-password", &["bindpw", "rootpw", "bind_pw"], r#"(?i)(?m)^[ \t]{0,8}(?:olc)?(?:bind_?pw|rootpw)[ \t]{0,3}[ \t:=][ \t]{0,3}["']?([^\s"'{]{5,128})"#)
        .reach(12, 160).doubt(Doubt::Weak).entropy(2.0),
    near(
        "database-login-call",
        &["dbi->connect", "new pdo", "mysqli", "getconnection", "oci_connect", "pg_connect"],
        r#"(?i)(?:dbi->connect|new pdo|mysqli(?:_connect)?|getconnection|oci_connect)\s{0,2}\(\s{0,20}(?:"[^"\r\n]{0,200}"|'[^'\r\n]{0,200}'|[^,"'()\r\n]{1,100}),\s{0,20}(?:"[^"\r\n]{0,80}"|'[^'\r\n]{0,80}'|[^,"'()\r\n]{1,60}),\s{0,20}["']([^"'\r\n]{5,128})["']"#,
    ).reach(8, 480).doubt(Doubt::Weak).entropy(2.0),
];
