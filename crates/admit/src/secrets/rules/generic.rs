//! Values that only the name they are assigned to gives away. How they are told from names, stand-ins and code is in
//! `filters.rs`; how assignments are read in `assign.rs`.

use super::super::rule::{Rule, coded};

pub(super) const RULES: &[Rule] = &[
    coded("quoted-secret")
        .takes(&[
            "db_password = \"«{w16}»\"",
            "password := \"«Tr0ub4dor&3»\"",
            "'password' => '«winter2024moon»',",
            "define('DB_PASSWORD', '«k7Qz!2pLx»');",
            "const apiKey: string = '«{w32}»';",
            "<add key=\"SmtpPassword\" value=\"«k7Qz2pLx9»\" />",
            "{\"name\": \"JWT_SECRET\", \"value\": \"«{w40}»\"}",
            "variable \"db_password\" {\n  default = \"«k7Qz2pLx9»\"\n}",
            "secret_key_base: \"«{x128}»\"",
            "SECRET_KEY = '«django-insecure-{w25}»'",
            "TOKEN = (\n    \"«{w20}\"\n    \"{w20}»\"\n)",
            "const std::string kSecret{\"«{w40}»\"};",
            "<meta name=\"api-key\" content=\"«{w32}»\">",
        ])
        .leaves(&[
            "password = \"changeme\"",
            "password: '${DB_PASSWORD}'",
            "secret = \"your-secret-key-123\"",
            "api_key = os.environ[\"API_KEY\"]",
            "password: \"password123\"",
            "\"secret\": \"projects/foo/secrets/bar1\"",
            "token_type = \"access_token\"",
            "password = \"aaaaaaaaaaaaaa\"",
            "the password is: \"ask the operator\"",
            "\"password\": \"Please enter your password\"",
            "passwordField.setLabel(\"Passwort1!x\")",
            "cacheKey = \"user:1234:profile:9f8e7d6c\"",
            "public_key = \"{w44}\"",
            "password = getPass('a1b2c3d4e5')",
            "next_page_token = \"{w40}\"",
            "SECRET_FIELDS = (\n    'password',\n    'api_key',\n)",
            "<meta name=\"csrf-token\" content=\"{w32}\">",
        ]),
    coded("environment-secret")
        .takes(&[
            "export APP_SESSION_SECRET=«{w18}»\n",
            "DB_PASSWORD=«winter7moon»\n",
            "ENV API_TOKEN=«{w32}»\n",
            "- name: DB_PASSWORD\n  value: «k7Qz2pLx9»\n",
            "      - \"MINIO_ROOT_PASSWORD=«{w20}»\"\n",
        ])
        .leaves(&[
            "SECRET=$(openssl rand -hex 32)",
            "API_TOKEN=${TOKEN}",
            "API_KEY=your-api-key-here-123",
            "SECRET_NAME=projects/foo/secrets/bar1",
            "TOKEN=",
            "DB_PASSWORD=password\n",
        ]),
    coded("setting-secret")
        .takes(&[
            "password: «k7Qz2pLx9»\n",
            "spring.datasource.password=«winter7!moon»\n",
            "  smtp_password = «k7Qz2pLx9»  ; live\n",
            "api_key: «{x32}»\n",
            "api_token: |\n  «{w40}»\nother: 1\n",
            "client_secret: >-\n  «{w40}»\n",
            "  password: «ZmVhdGhlci1iYXNrZXQtMjM=»\n",
            "app_secret: «265073036f16109918f2»\n",
            "become_password=«bEBROAYOTtmycR»\n",
        ])
        .leaves(&[
            "password: !vault |\n",
            "password: |\n  ask the operator1 for it\n",
            "password = request.form.password1\n",
            "password=\n",
            "token = tokens[0]\n",
            "password: string\n",
            "password = hash(salt + password2)\n",
            "token: Token<'a>,\n",
        ]),
    coded("inline-secret")
        .takes(&[
            "connect(user=bob, password=«k7Qz2pLx9»)",
            "user=a;api_secret=«{x32}»;b=1",
            "login is admin / password: «vjDgNN!SeeMn»\n",
        ])
        .leaves(&["connect(user=user, password=password1)", "f(token=self.token2)"]),
    coded("markup-secret")
        .takes(&[
            "<password>«k7Qz2pLx9»</password>",
            "<entry key=\"db.password\">«winter2024»</entry>",
            "<key>ApiSecret</key>\n<string>«{w40}»</string>",
        ])
        .leaves(&[
            "<password>${env.PASSWORD}</password>",
            "<password>Kennwort</password>",
            "<token>identifier</token>",
            "<key>ApiSecret</key>\n<string>$(API_SECRET)</string>",
        ]),
    coded("option-secret")
        .takes(&[
            "tool --password «k7Qz2pLx9» run",
            "#define API_KEY \"«{x32}»\"",
            "ENV DB_PASSWORD «k7Qz2pLx9»\n",
            "keytool -storepass «{w14}» -noprompt",
        ])
        .leaves(&[
            "tool --password $PASS run",
            "tool --token TOKEN",
            "set the password \"twice\" here",
            "--password <password>",
        ]),
];
