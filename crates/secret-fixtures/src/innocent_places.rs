//! Whole files in which everything only looks like a secret. Every line longer than a bracket counts as one look-alike.

use crate::places::Place;

pub(crate) const INNOCENT_PLACES: &[Place] = &[
    (
        "lock",
        "docs/deps.md",
        "registry+https://github.com/rust-lang/crates.io-index checksum {x64}\n\
         resolved https://registry.yarnpkg.com/ms/-/ms-2.1.3.tgz#{x40}\n\
         integrity sha512-{b86}==\n\
         golang.org/x/sys v0.20.0/go.mod h1:{b43}=\n\
         hash = \"sha256-{b43}=\"\n\
         rev = \"{x40}\"\n",
    ),
    (
        "config",
        "library/options.yaml",
        "image: registry.acme.io/orders@sha256:{x64}\n\
         password: ${DB_PASSWORD}\n\
         password: \"{{ .Values.db.password }}\"\n\
         api_key: <token>\n\
         secretName: orders-db-credentials-v2\n\
         existingSecret: orders-postgresql-2024\n\
         passwordSecretRef: prod/db/password-7\n\
         token_endpoint: https://login.acme.io/oauth2/v2.0/token\n\
         tokenUrl: https://auth.example.com/oauth/token\n\
         key: orders.items.2024.cache\n\
         public_key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b43}\n\
         client_id: {uuid}\n\
         tenant_id: {uuid}\n\
         commit: {x40}\n\
         partition_key: tenant_id\n",
    ),
    (
        "environment",
        "library/service.env.example",
        "DB_PASSWORD=\nDB_PASSWORD=changeme\nSECRET_KEY=<generate-with-openssl>\nAPI_TOKEN=your_token_here\n\
         AWS_SECRET_ACCESS_KEY=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\nSESSION_SECRET=replace-me-please-now\n\
         STRIPE_KEY=sk_test_...\nGITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxx\nREDIS_URL=redis://localhost:6379/0\n\
         DATABASE_URL=postgres://postgres:postgres@localhost:5432/postgres\nPASSWORD_MIN_LENGTH=12\nTOKEN_TTL_SECONDS=3600\n\
         JWT_ALGORITHM=RS256\nKEY_PREFIX=orders:v3:\n",
    ),
    (
        "python",
        "library/test_auth.py",
        "def test_password_is_rejected_when_shorter_than_eight_characters_2():\n\
         def test_token_expires_after_3600_seconds(client, make_token):\n\
         \x20   assert response.json()['detail'] == 'Invalid token or password123'\n\
         \x20   token = create_access_token({'sub': user.id}, expires=timedelta(minutes=15))\n\
         \x20   hashed = hash_password(password, salt=os.urandom(16))\n\
         \x20   key = f'{user.id}:{session.id}:v2'\n\
         \x20   SECRET_FIELDS = ('password', 'token', 'api_key')\n\
         \x20   assert sha256(b'abc').hexdigest() == '{x64}'\n\
         \x20   monkeypatch.setenv('API_KEY', 'test-key')\n\
         \x20   password = getpass.getpass('Password: ')\n\
         \x20   auth = HTTPBasicAuth(settings.user, settings.password)\n",
    ),
    (
        "typescript",
        "library/session.ts",
        "export type TokenPair = { accessToken: string; refreshToken: string };\n\
         const token = req.headers.authorization?.split(' ')[1];\n\
         const secret = config.get<string>('jwt.secret');\n\
         export const AUTH_COOKIE_NAME = 'orders_auth_token_v2';\n\
         const key = `${tenant}/${id}/thumbnail-256.png`;\n\
         if (!password) throw new Error('password is required, at least 8 characters');\n\
         <input type=\"password\" autoComplete=\"current-password\" id=\"password-1\" />\n\
         const apiKeyHeader = 'x-api-key';\n\
         passwordControl = new FormControl('', [Validators.required, Validators.minLength(8)]);\n\
         export const selectToken = (state: RootState) => state.auth.token;\n",
    ),
    (
        "go",
        "library/store.go",
        "// Token is what {{ .Service }} gives back; see RFC 6750 section 2.1.\n\
         const TokenTypeBearer = \"urn:ietf:params:oauth:token-type:jwt\"\n\
         func NewToken(key []byte, ttl time.Duration) (*Token, error) {\n\
         \tsecret, err := client.CoreV1().Secrets(ns).Get(ctx, name, metav1.GetOptions{})\n\
         \tif subtle.ConstantTimeCompare([]byte(password), []byte(expected)) != 1 {\n\
         \treturn fmt.Errorf(\"token %q is not valid before %s\", token.ID, token.NotBefore)\n\
         \tPassword string `json:\"password\" validate:\"required,min=8\"`\n\
         \tkey := fmt.Sprintf(\"%s/%s/%d\", bucket, name, version2)\n",
    ),
    (
        "markup",
        "library/page.html",
        "<link rel=\"stylesheet\" href=\"/app.css?v={x20}\" integrity=\"sha384-{b64}\">\n\
         <label for=\"password\" class=\"form-label text-gray-700 mt-4\">Password</label>\n\
         <img alt=\"\" src=\"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA{b200}\">\n\
         <a href=\"https://example.com/reset?token={{ token }}\">Reset</a>\n\
         <div class=\"css-1q2w3e4 MuiPassword-root token-list__item--active\" id=\"react-{d6}\">\n\
         <svg viewBox=\"0 0 24 24\"><path d=\"M12.{d2} 4.{d2}c-{d1}.{d2} 0-{d1}.{d2}-1.1z\"/></svg>\n",
    ),
    (
        "documentation",
        "library/guide.md",
        "Pass the token in the header: `Authorization: Bearer <token>`.\n\
         Set `password` to `${DB_PASSWORD}` or leave it empty.\n\
         The default password is `changeme`; change it.\n\
         Use `https://user:password@example.com/` for a proxy.\n\
         See commit {x40} and issue #4821.\n\
         | `api_key` | string | the key that the dashboard shows, 32 characters |\n\
         | `secret` | string | `whsec_...` from the dashboard |\n\
         Request id: {uuid}, trace {x32}.\n\
         MD5 (orders-1.2.tar.gz) = {x32}\n\
         {x64}  orders-1.2.tar.gz\n\
         Fingerprint: SHA256:{b43}\n\
         gpg: key {u16}: public key \"Acme Release\" imported\n\
         Docker-Content-Digest: sha256:{x64}\n\
         docker pull acme/orders@sha256:{x64}\n",
    ),
    (
        "java",
        "library/Login.java",
        "    private static final String PASSWORD_PARAMETER = \"j_password\";\n\
         \x20   private static final long serialVersionUID = -{d18}L;\n\
         \x20   String token = request.getHeader(\"X-Auth-Token\");\n\
         \x20   @Value(\"${app.jwt.secret}\") private String jwtSecret;\n\
         \x20   throw new BadCredentialsException(\"Bad credentials for token type access_token2\");\n\
         \x20   KeyStore keyStore = KeyStore.getInstance(\"PKCS12\");\n\
         \x20   SecretKeyFactory.getInstance(\"PBKDF2WithHmacSHA256\");\n\
         \x20   Cipher cipher = Cipher.getInstance(\"AES/GCM/NoPadding\");\n",
    ),
    (
        "public",
        "library/known.txt",
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ{b300} bob@laptop\n\
         ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b43} ci@acme\n\
         github.com ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABB{b86}=\n\
         age1{l58}\n\
         pk_live_{w24}\n\
         2024-05-01T12:00:00Z INFO request_id={uuid} user=42 took=12ms\n\
         etag: W/\"{x32}\"\n\
         x-amz-request-id: {u16}\n\
         arn:aws:kms:eu-west-1:{d12}:key/{uuid}\n",
    ),
];
