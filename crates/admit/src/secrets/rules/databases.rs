//! Databases, and the ways to log in to one.

use super::super::rule::{Doubt, Rule, assigned, long, near, token};

pub(super) const RULES: &[Rule] = &[
    token("mongodb-atlas-secret", &["mdb_sa_sk_"], r"mdb_sa_sk_[A-Za-z0-9_\-]{40}").takes(&["m «mdb_sa_sk_{w40}» x"]).leaves(&["mdb_sa_sk_x"]),
    long("fauna-key", &["fnAE", "fnAF"], r"fnA[EF][A-Za-z0-9_\-]{32}").takes(&["f «fnAE{y36}» x"]).leaves(&["fnAExit"]),
    token("xata-key", &["xau_"], r"xau_[A-Za-z0-9]{36,44}").takes(&["x «xau_{w40}» y"]).leaves(&["xau_x"]),
    token("cockroach-key", &["CCDB1_"], r"CCDB1_[A-Za-z0-9]{22}_[A-Za-z0-9]{40}").takes(&["c «CCDB1_{w22}_{w40}» x"]).leaves(&["CCDB1_x"]),
    assigned("influx-token", &["influx"], r"[A-Za-z0-9_\-]{86}==").takes(&["INFLUXDB_TOKEN=«{y86}==»\n"]).leaves(&["INFLUXDB_TOKEN=$T"]),
    assigned("data-service-token", &["upstash", "snowflake", "redshift", "elastic", "couchbase", "turso", "confluent", "cloudamqp", "fivetran", "airbyte", "dbt_", "looker", "tableau", "retool"], r"[A-Za-z0-9_+/\-]{20,200}={0,2}")
        .entropy(3.4)
        .takes(&["UPSTASH_REDIS_REST_TOKEN=«{w56}==»\n"])
        .leaves(&["UPSTASH_REDIS_REST_TOKEN=$T", "elastic_key = \"timestamp-descending-order\""]),
    near(
        "jdbc-password",
        &["jdbc:"],
        r#"jdbc:[a-z0-9]{2,16}:[^\s"'<>]{0,200}?[?&;:](?i:password|pwd)=([^\s"'&;<>]{3,128})"#,
    )
    .doubt(Doubt::Weak)
    .entropy(1.5)
    .takes(&["url=jdbc:mysql://db:3306/app?user=app&password=«wintermoon»&useSSL=false", "\"jdbc:sqlserver://h:1433;user=a;password=«k7Qz2pLx9»;\""])
    .leaves(&["jdbc:mysql://db:3306/app?user=app&password=${PASS}", "jdbc:h2:mem:test;password=sa"]),
    near(
        "connection-string-password",
        &["password=", "pwd=", "password =", "pwd ="],
        r#"(?i)(?:server|data source|host|user id|uid|username|user|database|initial catalog|endpoint)\s?=[^;"'\r\n]{1,120};[^"'\r\n]{0,200}?(?:password|pwd)\s?=\s?([^;"'\s]{4,128})"#,
    )
    .reach(320, 160)
    .doubt(Doubt::Weak)
    .entropy(2.0)
    .takes(&[
        "\"Server=tcp:db.acme.io,1433;Initial Catalog=app;User ID=svc;Password=«k7!Qz2pLx9»;Encrypt=True;\"",
        "Data Source=10.0.0.4;uid=app;pwd=«wintermoon»;",
    ])
    .leaves(&[
        "Server=localhost;User Id=sa;Password=<password>;",
        "Server=localhost;User Id=sa;Password={0};",
        "Server=localhost;Database=x;Password=password;",
    ]),
    near("jdbc-oracle-password", &["jdbc:oracle:thin:"], r"jdbc:oracle:thin:[A-Za-z0-9_]{1,64}/([^\s/@]{4,64})@")
        .doubt(Doubt::Weak)
        .entropy(2.0)
        .takes(&["jdbc:oracle:thin:scott/«k7Qz2pLx»@//db:1521/x"])
        .leaves(&["jdbc:oracle:thin:scott/${PW}@//db:1521/x"]),
    near("libpq-password", &["password="], r#"\b(?:host|user|dbname|hostaddr|port)=[^\s"',]{1,100}\s(?:[a-z_]{2,24}=[^\s"']{0,100}\s){0,6}password=([^\s"'),]{4,128})"#)
        .reach(320, 140)
        .doubt(Doubt::Weak)
        .entropy(2.0)
        .takes(&["\"host=db user=app password=«wintermoon» dbname=app\""])
        .leaves(&["host=db user=app password=$PASS dbname=app", "host=db user=app password=secret dbname=app"]),
    near("netrc-password", &["machine "], r"\bmachine\s{1,8}[^\s.]{1,60}\.[^\s]{1,80}\s{1,8}login\s{1,8}[^\s]{1,120}\s{1,8}password\s{1,8}([^\s]{3,200})")
        .doubt(Doubt::Weak)
        .entropy(1.5)
        .takes(&["machine git.acme.io login bob password «wintermoon»\n", "machine a.io\n  login b\n  password «k7Qz2pLx»\n"])
        .leaves(&["machine git.acme.io login bob password <token>\n", "a machine with login and password prompts"]),
    near("pgpass-password", &[":5432:", ":5433:", ":6432:"], r"(?m)^[A-Za-z0-9_.\-*]{1,100}:(?:5432|5433|6432):[A-Za-z0-9_\-*]{1,64}:[A-Za-z0-9_\-.]{1,64}:([^\s:]{4,128})$")
        .reach(110, 320)
        .doubt(Doubt::Weak)
        .entropy(1.5)
        .takes(&["db.acme.io:5432:app:svc:«wintermoon»\n"])
        .leaves(&["hostname:5432:database:username:password\n", "postgres:5432:postgres\n"]),
    near(
        "sql-password",
        &["identified by", "identified with", "password '", "password = '", "password \"", "password n'", "password=n'", "password = n'"],
        r#"(?i)\b(?:(?:create|alter|grant|set)\s[^;\r\n]{1,160}?identified\s{1,4}(?:with\s{1,4}\S{1,40}\s{1,4})?by\s{1,4}(?:password\s{1,4})?|(?:create|alter)\s{1,4}(?:user|role|login)\s[^;\r\n]{1,160}?password\s{0,3}=?\s{0,3}n?)["']([^"'\r\n]{3,128})["']"#,
    )
    .reach(200, 240)
    .doubt(Doubt::Weak)
    .entropy(1.5)
    .takes(&[
        "CREATE USER 'app'@'%' IDENTIFIED BY '«wintermoon»';",
        "ALTER ROLE app WITH LOGIN PASSWORD '«k7Qz2pLx»';",
        "CREATE LOGIN svc WITH PASSWORD = N'«k7Qz!2pLx»';",
    ])
    .leaves(&["CREATE USER app IDENTIFIED BY 'password';", "ALTER ROLE app PASSWORD '$PW';", "CREATE USER x PASSWORD '<password>'"]),
    near("client-password-option", &["mysql", "mysqldump", "mariadb", "redis-cli", "sqlcmd", "mongosh", "mongo", "mysqladmin", "sshpass"], r#"\b(?:(?:mysql|mysqldump|mysqladmin|mariadb)\s[^\r\n]{0,160}?-p["']?|(?:redis-cli\s[^\r\n]{0,100}?-a|sqlcmd\s[^\r\n]{0,120}?-P|mongo(?:sh)?\s[^\r\n]{0,120}?-p|sshpass\s{1,3}-p)\s{0,3}["']?)([^\s"'\-=$<{(][^\s"']{4,64})"#)
        .doubt(Doubt::Weak)
        .entropy(2.3)
        .takes(&["mysql -h db -u root -p«k7Qz2pLx9» app", "redis-cli -h x -a «winter7moon» ping", "sshpass -p '«k7Qz2pLx9»' ssh a@b"])
        .leaves(&["mysql -u root -p app", "mysql -u root -p$PASS app", "redis-cli -a $PASS ping", "mysql -u root -ppassword app"]),
    near("redis-config-password", &["requirepass", "masterauth"], r#"(?m)^[ \t]{0,4}(?:requirepass|masterauth)[ \t]{1,4}"?([^\s"]{4,200})"#)
        .reach(5, 220)
        .doubt(Doubt::Weak)
        .entropy(2.0)
        .takes(&["requirepass «wintermoon7»\n"])
        .leaves(&["# requirepass foobared\n", "requirepass ${PASS}\n", "the requirepass directive"]),
    near("bcrypt-hash", &["$2a$", "$2b$", "$2y$", "$2x$"], r"(\$2[abxy]\$[0-9]{2}\$[A-Za-z0-9./]{53})(?:[^A-Za-z0-9./]|$)")
        .takes(&["bob:«$2y$10${w53}»\n"])
        .leaves(&["$2y$10$", "costs $2a$ each"]),
    near("crypt-hash", &["$1$", "$5$", "$6$", "$y$", "$apr1$", "$7$", "$gy$"], r"(\$(?:1|apr1)\$[A-Za-z0-9./]{1,8}\$[A-Za-z0-9./]{22}|\$(?:5|6|y|gy|7)\$(?:rounds=[0-9]{1,9}\$)?[A-Za-z0-9./$]{1,40}\$[A-Za-z0-9./]{43,86})(?:[^A-Za-z0-9./]|$)")
        .takes(&["root:«$6${w8}${w86}»:19000:0:99999:7:::\n", "bob:«$apr1${w8}${w22}»\n"])
        .leaves(&["costs $5$ or $6$", "s/$1$2/x/", "root:*:19000:0:99999:7:::"]),
    near("argon2-hash", &["$argon2"], r"(\$argon2(?:id|i|d)\$(?:v=[0-9]{1,3}\$)?m=[0-9]{1,9},t=[0-9]{1,5},p=[0-9]{1,4}\$[A-Za-z0-9+/]{8,64}\$[A-Za-z0-9+/]{16,128})")
        .takes(&["h = '«$argon2id$v=19$m=65536,t=3,p=4${b22}${b43}»'"])
        .leaves(&["$argon2id$v=19$m=65536,t=3,p=4$salt$hash"]),
    near("htpasswd-sha", &[":{SHA}"], r"(?m)^[A-Za-z0-9_.@\-]{1,64}:\{SHA\}([A-Za-z0-9+/]{27}=)").reach(70, 40).takes(&["bob:{SHA}«{b27}=»\n"]).leaves(&["userPassword:{SHA} is old"]),
    near("django-hash", &["pbkdf2_sha256$", "pbkdf2_sha1$", "pbkdf2:sha", "scrypt:"], r"\b(pbkdf2_sha(?:256|1)\$[0-9]{4,8}\$[A-Za-z0-9]{8,40}\$[A-Za-z0-9+/]{27,44}={0,2}|(?:pbkdf2:sha[0-9]{1,3}:[0-9]{3,8}|scrypt:[0-9]{3,7}:[0-9]{1,3}:[0-9]{1,3})\$[A-Za-z0-9]{8,32}\$[a-f0-9]{40,128})")
        .takes(&["p = '«pbkdf2_sha256$260000${w22}${b43}=»'", "p = '«pbkdf2:sha256:260000${w16}${x64}»'"])
        .leaves(&["pbkdf2_sha256$<iterations>$<salt>$<hash>"]),
    near("directory-password", &["bindpw", "rootpw", "bind_pw"], r#"(?i)(?m)^[ \t]{0,8}(?:olc)?(?:bind_?pw|rootpw)[ \t]{0,3}[ \t:=][ \t]{0,3}["']?([^\s"'{]{5,128})"#)
        .reach(12, 160)
        .doubt(Doubt::Weak)
        .entropy(2.0)
        .takes(&["bindpw «N3ct4r1682»\n", "olcRootPW: «k7Qz2pLx9»\n"])
        .leaves(&["bindpw secret\n", "bindpw ${LDAP_PASSWORD}\n", "rootpw {SSHA}\n"]),
    near(
        "database-login-call",
        &["dbi->connect", "new pdo", "mysqli", "getconnection", "oci_connect", "pg_connect"],
        r#"(?i)(?:dbi->connect|new pdo|mysqli(?:_connect)?|getconnection|oci_connect)\s{0,2}\(\s{0,20}(?:"[^"\r\n]{0,200}"|'[^'\r\n]{0,200}'|[^,"'()\r\n]{1,100}),\s{0,20}(?:"[^"\r\n]{0,80}"|'[^'\r\n]{0,80}'|[^,"'()\r\n]{1,60}),\s{0,20}["']([^"'\r\n]{5,128})["']"#,
    )
    .reach(8, 480)
    .doubt(Doubt::Weak)
    .entropy(2.0)
    .takes(&[
        "DBI->connect('dbi:mysql:app', 'app', '«{w16}»');",
        "$db = new PDO(\"mysql:host=db;dbname=app\", \"app\", \"«winter7moon»\");",
        "new mysqli('db', 'app', '«k7Qz2pLx9»', 'shop')",
        "DriverManager.getConnection(url, \"app\", \"«k7Qz2pLx9»\")",
    ])
    .leaves(&["new PDO($dsn, $user, $password)", "DriverManager.getConnection(url, \"root\", \"root\")", "new mysqli('db', 'app', 'password')"]),
];
