//! Whole files as they lie in projects, with secrets where people leave them.
//!
//! Each is a path and a text; `«»` is around every value, as in `kinds.rs`. `{strong}` is a password that is more than
//! words.

/// A file: the kind of its secrets, its path, its text.
pub(crate) type Place = (&'static str, &'static str, &'static str);

/// Commands in scripts and documentation.
const COMMANDS: &[Place] = &[
    (
        "command",
        "scripts/backup.sh",
        "#!/bin/sh\nset -eu\nPGPASSWORD=«{strong}» pg_dump -h db.acme.io -U app app > app.sql\n\
         mysqldump -h db.acme.io -u root -p«{w14}» shop > shop.sql\n\
         redis-cli -h cache.acme.io -a «{w24}» save\n\
         sshpass -p '«{strong}»' scp app.sql backup@vault.acme.io:/srv\n",
    ),
    (
        "command",
        "scripts/provision.sh",
        "echo \"deploy:«{strong}»\" | chpasswd\n\
         htpasswd -b /etc/nginx/users bob «{w14}»\n\
         openssl pkcs12 -in app.p12 -out app.crt -passin pass:«{w16}»\n\
         keytool -importkeystore -srckeystore a.jks -storepass «{w14}» -noprompt\n\
         kubectl create secret generic db --from-literal=password=«{strong}»\n\
         vault kv put secret/app api_key=«{w32}»\n",
    ),
    (
        "command",
        "README.md",
        "# Orders\n\nThe service that takes orders.\n\n## Trying it\n\n```sh\n\
         curl -u admin:«{strong}» https://orders.acme.io/api/health\n\
         curl -H \"X-API-Key: «{w32}»\" https://orders.acme.io/api/items\n\
         curl \"https://orders.acme.io/api/items?api_key=«{w40}»&page=2\"\n\
         curl -H 'Authorization: token «ghp_{w36}»' https://api.github.com/user\n\
         wget --user=ci --password='«{strong}»' https://files.acme.io/a.zip\n```\n",
    ),
    (
        "command",
        "docs/release.md",
        "1. `npm config set //npm.acme.io/:_authToken «npm_{w36}»`\n\
         2. `pip install --index-url https://ci:«{w20}»@pypi.acme.io/simple orders`\n\
         3. `twine upload -u __token__ -p «pypi-AgEIcHlwaS5vcmcCJ{y150}» dist/*`\n\
         4. `heroku config:set SESSION_SECRET=«{w40}» -a orders`\n\
         5. `gh auth login --with-token <<< «ghp_{w36}»`\n\
         6. `docker login registry.acme.io -u ci -p «{w20}»`\n",
    ),
    (
        "powershell",
        "scripts/Deploy.ps1",
        "param([string]$Site)\n$env:DEPLOY_TOKEN = \"«{w36}»\"\n$password = \"«{strong}»\"\n\
         $secure = ConvertTo-SecureString \"«{w16}»\" -AsPlainText -Force\n\
         az login --service-principal -u 0d7f -p «{w3}8Q~{y34}» --tenant acme\n",
    ),
    (
        "makefile",
        "Makefile",
        "export CI_TOKEN := «glpat-{y20}»\nSENTRY_AUTH_TOKEN ?= «sntryu_{x64}»\n\nall:\n\t./build --api-key=«{w32}»\n",
    ),
];

/// Settings of services and build tools.
const SETTINGS: &[Place] = &[
    (
        "compose",
        "docker-compose.yml",
        "services:\n  db:\n    image: postgres:16\n    environment:\n      POSTGRES_USER: app\n\
         \x20     POSTGRES_PASSWORD: «{strong}»\n  cache:\n    command: redis-server --requirepass «{w24}»\n  api:\n\
         \x20   environment:\n      - DATABASE_URL=postgres://app:«{w16}»@db:5432/app\n      - JWT_SECRET=«{w48}»\n\
         \x20     - \"MINIO_ROOT_PASSWORD=«{w20}»\"\n",
    ),
    (
        "ci",
        ".github/workflows/deploy.yml",
        "name: deploy\non: push\njobs:\n  deploy:\n    runs-on: ubuntu-latest\n    env:\n      AWS_ACCESS_KEY_ID: «AKIA{v16}»\n\
         \x20     AWS_SECRET_ACCESS_KEY: «{b40}»\n    steps:\n      - run: |\n          echo \"«dckr_pat_{y27}»\" | docker login -u acme --password-stdin\n\
         \x20         curl -X POST -H \"Authorization: Bearer «{w48}»\" https://deploy.acme.io\n\
         \x20     - uses: acme/notify@v2\n        with:\n          webhook: https://hooks.slack.com/services/«T{u8}/B{u10}/{w24}»\n",
    ),
    (
        "ci",
        ".gitlab-ci.yml",
        "variables:\n  DEPLOY_TOKEN: \"«glpat-{y20}»\"\n  SONAR_TOKEN: «sqp_{x40}»\n  NPM_TOKEN: '«npm_{w36}»'\n\
         deploy:\n  script:\n    - git push https://oauth2:«glpat-{y20}»@gitlab.acme.io/a/b.git\n",
    ),
    (
        "ci",
        "Jenkinsfile",
        "pipeline {\n  environment {\n    SONAR_TOKEN = '«{x40}»'\n  }\n  stages {\n    stage('push') {\n      steps {\n\
         \x20       sh \"docker login -u ci -p «{w20}» registry.acme.io\"\n\
         \x20       git url: 'https://ci:«{w20}»@git.acme.io/app.git'\n      }\n    }\n  }\n}\n",
    ),
    (
        "terraform",
        "infra/main.tf",
        "provider \"aws\" {\n  access_key = \"«AKIA{v16}»\"\n  secret_key = \"«{b40}»\"\n}\n\n\
         resource \"aws_db_instance\" \"db\" {\n  username = \"app\"\n  password = \"«{strong}»\"\n}\n\n\
         resource \"aws_instance\" \"web\" {\n  user_data = <<EOF\nexport DATADOG_API_KEY=«{x32}»\nEOF\n}\n",
    ),
    (
        "ansible",
        "infra/hosts.ini",
        "[web]\n10.0.0.7 ansible_user=deploy ansible_ssh_pass=«{w16}»\n10.0.0.8 ansible_become_password=«{strong}»\n",
    ),
    (
        "spring",
        "src/main/resources/application.yml",
        "spring:\n  datasource:\n    url: jdbc:postgresql://db.acme.io/app\n    username: app\n    password: «{strong}»\n\
         \x20 mail:\n    password: '«{w16}»'\njwt:\n  secret: «{w64}»\n",
    ),
    (
        "spring",
        "src/main/resources/application.properties",
        "spring.datasource.url=jdbc:mysql://app:«{w16}»@db.acme.io/app\nspring.mail.password=«{strong}»\n\
         stripe.api-key=«sk_live_{w24}»\nencryption.key=«{b43}=»\n",
    ),
    (
        "dotnet",
        "src/Api/appsettings.json",
        "{\n  \"ConnectionStrings\": {\n    \"Default\": \"Server=sql.acme.io;Database=app;User Id=svc;Password=«{w16}»;Encrypt=True\",\n\
         \x20   \"Redis\": \"cache.acme.io:6380,password=«{b43}=»,ssl=True\"\n  },\n\
         \x20 \"Jwt\": { \"SigningKey\": \"«{w48}»\" },\n  \"Smtp\": { \"UserName\": \"svc\", \"Password\": \"«{strong}»\" }\n}\n",
    ),
    (
        "dotnet",
        "src/Web/Web.config",
        "<configuration>\n  <connectionStrings>\n    <add name=\"Main\" connectionString=\"Data Source=sql1;uid=svc;pwd=«{w14}»\" />\n\
         \x20 </connectionStrings>\n  <appSettings>\n    <add key=\"ApiSecret\" value=\"«{w40}»\" />\n  </appSettings>\n\
         \x20 <machineKey validationKey=\"«{x64}»\" decryptionKey=\"«{x48}»\" />\n</configuration>\n",
    ),
    (
        "maven",
        "build/settings-ci.xml",
        "<settings>\n  <servers>\n    <server>\n      <id>nexus</id>\n      <username>ci</username>\n\
         \x20     <password>«{strong}»</password>\n    </server>\n  </servers>\n</settings>\n",
    ),
    (
        "gradle",
        "app/build.gradle",
        "android {\n  signingConfigs {\n    release {\n      storePassword \"«{strong}»\"\n      keyPassword '«{w14}»'\n    }\n  }\n\
         \x20 defaultConfig {\n    buildConfigField \"String\", \"API_KEY\", \"\\\"«{w32}»\\\"\"\n  }\n}\n",
    ),
    (
        "android",
        "app/src/main/res/values/strings.xml",
        "<resources>\n  <string name=\"app_name\">Orders</string>\n  <string name=\"google_maps_key\">«AIzaSy{y33}»</string>\n\
         \x20 <string name=\"api_secret\">«{w40}»</string>\n</resources>\n",
    ),
    (
        "ios",
        "ios/Orders/Info.plist",
        "<plist version=\"1.0\">\n<dict>\n  <key>CFBundleName</key>\n  <string>Orders</string>\n  <key>ApiSecret</key>\n\
         \x20 <string>«{w40}»</string>\n  <key>MapsKey</key>\n  <string>«AIzaSy{y33}»</string>\n</dict>\n</plist>\n",
    ),
    (
        "systemd",
        "deploy/orders.service",
        "[Service]\nUser=orders\nEnvironment=\"DB_PASSWORD=«{strong}»\"\nEnvironment=STRIPE_KEY=«sk_live_{w24}»\n\
         ExecStart=/usr/bin/orders --token «{w36}»\n",
    ),
    (
        "nginx",
        "deploy/nginx.conf",
        "server {\n  location /api {\n    proxy_set_header Authorization \"Bearer «{w40}»\";\n\
         \x20   proxy_set_header X-Api-Key \"«{w32}»\";\n    proxy_pass http://api:8080;\n  }\n}\n",
    ),
    ("redis", "deploy/redis.conf", "port 6379\nrequirepass «{w24}»\nmasterauth «{w20}»\nmaxmemory 1gb\n"),
    (
        "ldap",
        "deploy/ldap.conf",
        "uri ldaps://ldap.acme.io\nbinddn cn=reader,dc=acme,dc=io\nbindpw «{strong}»\nbase dc=acme,dc=io\n",
    ),
    ("odbc", "deploy/odbc.ini", "[orders]\nDriver = FreeTDS\nServer = sql.acme.io\nUID = svc\nPWD = «{strong}»\n"),
    (
        "helm",
        "charts/orders/values.yaml",
        "image:\n  tag: 1.4.2\npostgresql:\n  auth:\n    username: app\n    password: «{strong}»\n    postgresPassword: \"«{w16}»\"\n\
         extraEnv:\n  - name: SENDGRID_API_KEY\n    value: «SG.{y22}.{y43}»\n  - name: SESSION_SECRET\n    value: \"«{w40}»\"\n",
    ),
    (
        "mcp",
        ".mcp.json",
        "{\n  \"mcpServers\": {\n    \"github\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"mcp-github\", \"--token\", \"«ghp_{w36}»\"],\n\
         \x20     \"env\": { \"BRAVE_API_KEY\": \"«BSA{w28}»\", \"DB_PASSWORD\": \"«{strong}»\" }\n    }\n  }\n}\n",
    ),
    (
        "toml",
        "config/default.toml",
        "[database]\nurl = \"postgres://app:«{w16}»@db.acme.io/app\"\n\n[auth]\njwt_secret = \"«{w48}»\"\nadmin_password = '«{strong}»'\n\n\
         [providers.openai]\napi_key = \"«sk-proj-{y74}T3BlbkFJ{y74}»\"\n",
    ),
    (
        "git-url",
        ".gitmodules",
        "[submodule \"lib\"]\n\tpath = lib\n\turl = https://«ghp_{w36}»@github.com/acme/lib.git\n\
         [submodule \"ui\"]\n\tpath = ui\n\turl = https://bob:«{w20}»@bitbucket.org/acme/ui.git\n",
    ),
    (
        "env-template",
        "config/.env.example",
        "# copy to .env\nAPP_ENV=local\nAPP_KEY=base64:«{b43}=»\nDB_PASSWORD=«{strong}»\nMAIL_PASSWORD=\"«{w16}»\"\n\
         AWS_SECRET_ACCESS_KEY=«{b40}»\nPUSHER_APP_SECRET=«{x20}»\n",
    ),
];

/// Code in more languages than the snippets have.
const CODE: &[Place] = &[
    (
        "c",
        "src/net.c",
        "#include <stdio.h>\n#define API_KEY \"«{x32}»\"\nstatic const char *password = \"«{strong}»\";\n",
    ),
    ("cpp", "src/client.cpp", "const std::string kSecret{\"«{w40}»\"};\nauto token = std::string(\"«ghp_{w36}»\");\n"),
    (
        "kotlin",
        "app/Api.kt",
        "object Api {\n    const val API_KEY = \"«{w32}»\"\n    private val password: String = \"«{strong}»\"\n}\n",
    ),
    ("swift", "ios/Api.swift", "let apiKey = \"«{w32}»\"\nstatic let clientSecret: String = \"«{w40}»\"\n"),
    ("scala", "src/Db.scala", "object Db {\n  val password = \"«{strong}»\"\n  val token: String = \"«{w36}»\"\n}\n"),
    (
        "perl",
        "tools/sync.pl",
        "my $password = '«{strong}»';\nmy $dbh = DBI->connect('dbi:mysql:app', 'app', '«{w16}»');\n",
    ),
    (
        "lua",
        "tools/gate.lua",
        "local api_key = \"«{w32}»\"\nngx.req.set_header(\"Authorization\", \"Bearer «{w40}»\")\n",
    ),
    (
        "elixir",
        "config/prod.exs",
        "config :app, Endpoint,\n  secret_key_base: \"«{w64}»\"\nconfig :app, Repo, password: \"«{strong}»\"\n",
    ),
    ("dart", "lib/api.dart", "const apiKey = '«{w32}»';\nfinal String authToken = \"«{w36}»\";\n"),
    (
        "r",
        "analysis/load.R",
        "con <- dbConnect(Postgres(), user = \"app\", password = \"«{strong}»\")\nSys.setenv(API_TOKEN = \"«{w36}»\")\n",
    ),
    ("groovy", "tools/push.groovy", "def password = '«{strong}»'\nhttp.auth.basic 'ci', '«{w16}»'\n"),
    (
        "vue",
        "web/Map.vue",
        "<template><div id=\"map\"/></template>\n<script>\nexport default { data: () => ({ mapKey: '«AIzaSy{y33}»', apiSecret: '«{w40}»' }) }\n</script>\n",
    ),
    (
        "html",
        "web/index.html",
        "<html><head><meta name=\"api-key\" content=\"«{w32}»\">\n<script>firebase.initializeApp({ apiKey: \"«AIzaSy{y33}»\" });</script></head></html>\n",
    ),
    (
        "multi-line",
        "app/keys.py",
        "TOKEN = (\n    \"«{w20}»\"\n    \"«{w20}»\"\n)\nSECRET_KEY = \"«{w24}»\" + \\\n    \"«{w24}»\"\nPASSPHRASE = \"\"\"«{w24}»\"\"\"\n",
    ),
    ("multi-line", "config/tokens.yaml", "api_token: |\n  «{w40}»\nclient_secret: >-\n  «{w40}»\nother: 1\n"),
    (
        "sql",
        "db/seed.sql",
        "CREATE USER app WITH PASSWORD '«{strong}»';\nINSERT INTO users (name, password_hash) VALUES ('bob', '«$2y$10${w53}»');\n\
         INSERT INTO settings VALUES ('stripe_key', '«sk_live_{w24}»');\n",
    ),
    (
        "graphql",
        "web/codegen.ts",
        "export default { schema: { 'https://api.acme.io/graphql': { headers: { Authorization: 'Bearer «{w40}»', 'x-hasura-admin-secret': '«{w32}»' } } } };\n",
    ),
];

/// Files whose names say nothing.
const ASIDE: &[Place] = &[
    (
        "notes",
        "docs/todo.md",
        "- ask Eve for the door code\n- staging login is admin / password: «{strong}»\n- new key: «sk-ant-api03-{y93}AA»\n",
    ),
    ("notes", "CHANGELOG.md", "## 1.2\n\n- Rotate the token (was «ghp_{w36}»).\n- Use `AIza` keys: «AIzaSy{y33}»\n"),
    ("csv", "data/accounts.csv", "name,plan,api_key\nacme,pro,«sk_live_{w24}»\nzeta,free,«sk_live_{w24}»\n"),
    (
        "log",
        "docs/trace.txt",
        "> GET /v1/items HTTP/1.1\n> Authorization: Bearer «{w48}»\n> Cookie: sessionid=«{l32}»\n< 200 OK\n< Set-Cookie: auth_token=«{w40}»; HttpOnly\n",
    ),
    (
        "snapshot",
        "web/api.snap",
        "exports[`login 1`] = `\nObject {\n  \"access_token\": \"«eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOi{y60}.{y43}»\",\n  \"refresh_token\": \"«{y43}»\",\n}\n`;\n",
    ),
    (
        "http",
        "docs/api.http",
        "POST https://api.acme.io/login\nContent-Type: application/json\n\n{ \"user\": \"bob\", \"password\": \"«{strong}»\" }\n\n###\nGET https://api.acme.io/me\nAuthorization: Bearer «{w48}»\n",
    ),
    (
        "postman",
        "docs/orders.postman_collection.json",
        "{ \"auth\": { \"type\": \"bearer\", \"bearer\": [ { \"key\": \"token\", \"value\": \"«{w48}»\", \"type\": \"string\" } ] } }\n",
    ),
    (
        "svg",
        "assets/logo.svg",
        "<svg xmlns=\"http://www.w3.org/2000/svg\"><!-- api_key: «{w32}» --><path d=\"M0 0\"/></svg>\n",
    ),
    (
        "comment",
        "src/colors.ts",
        "export const red = '#f00';\n// const token = '«ghp_{w36}»';\n/* password: \"«{strong}»\" */\n",
    ),
    (
        "rst",
        "docs/usage.rst",
        ".. code-block:: bash\n\n   export OPENAI_API_KEY=«sk-{w20}T3BlbkFJ{w20}»\n   export MY_SERVICE_PASSWORD=«{strong}»\n",
    ),
];

/// Files with the names of credential stores, which stay out as a whole.
const STORES: &[Place] = &[
    ("store", ".env", "DB_PASSWORD=«{strong}»\nODD={w3}\n"),
    ("store", ".env.production", "PLAIN=«{w12}»\n"),
    ("store", ".npmrc", "//npm.acme.io/:_password=«{b24}»\n"),
    ("store", ".netrc", "machine a.io login bob password «{strong}»\n"),
    ("store", ".pgpass", "db.acme.io:5432:app:svc:«{w14}»\n"),
    ("store", "home/.aws/credentials", "[default]\naws_secret_access_key = «{b40}»\n"),
    ("store", "infra/prod.tfvars", "db_pw = \"«{w16}»\"\n"),
    ("store", "infra/terraform.tfstate", "{ \"x\": \"«{w16}»\" }\n"),
    ("store", ".git-credentials", "https://bob:«{w20}»@github.com\n"),
    ("store", "kubeconfig", "users:\n- name: a\n  user:\n    token: «{w40}»\n"),
    ("store", "web/.htpasswd", "bob:«$apr1${w8}${w22}»\n"),
    ("store", "web/wp-config.php", "<?php define('AUTH_KEY', '«{w40}»');\n"),
    ("store", "tls/server.key", "«{b64}»\n"),
    ("store", "home/.ssh/id_ed25519", "«{b70}»\n"),
    ("store", "home/.docker/config.json", "{ \"auths\": { \"a\": { \"auth\": \"«{b28}»\" } } }\n"),
    ("store", "service-account-prod.json", "{ \"private_key_id\": \"«{x40}»\" }\n"),
    ("store", "config/master.key", "«{x32}»\n"),
    ("store", "home/.vault-token", "«{w26}»\n"),
];

pub(crate) const PLACES: &[&[Place]] = &[COMMANDS, SETTINGS, CODE, ASIDE, STORES];
