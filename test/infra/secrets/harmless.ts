import { createHash } from "node:crypto"
import { type Draw, drawing } from "./draw.ts"
import { type Sample, samplesOfKind } from "./surroundings.ts"

const digest = (d: Draw, algorithm: string) => createHash(algorithm).update(d.of("alnum", 9)).digest("hex")

/** What looks like a secret and is none. */
const kinds: { readonly [kind: string]: (d: Draw) => Sample | string } = {
  digests: (d) => `sha256 = "${digest(d, "sha256")}"\nmd5: ${digest(d, "md5")}\ncommit ${digest(d, "sha1")}\n`,
  uuids: (d) => `id = "${d.uuid()}"\nrequest_id: ${d.uuid()}\n`,
  "package-lock": (d) => ({
    path: "package-lock.json",
    text: `{"node_modules/${d.of("lower", 6)}": {"version": "1.${d.int(9)}.0", "resolved": "https://registry.npmjs.org/x/-/x-1.0.0.tgz", "integrity": "sha512-${d.of("base64", 86)}=="}}\n`
  }),
  "yarn.lock": (d) => ({
    path: "yarn.lock",
    text: `"@babel/core@^7.0.0":\n  version "7.1.0"\n  integrity sha1-${d.of("base64", 27)}=\n`
  }),
  "poetry.lock": (d) => ({
    path: "poetry.lock",
    text: `files = [\n    {file = "x-1.0.tar.gz", hash = "sha256:${digest(d, "sha256")}"},\n]\ncontent-hash = "${digest(d, "sha256")}"\n`
  }),
  "go.sum": (d) => ({ path: "go.sum", text: `github.com/x/y v1.2.3 h1:${d.of("base64", 43)}=\n` }),
  "inline image": (d) => `<img src="data:image/png;base64,iVBORw0KGgo${d.of("base64", 400)}==">\n`,
  "subresource integrity": (d) => `<script src="/x.js" integrity="sha384-${d.of("base64", 64)}"></script>\n`,
  "minified code": (d) =>
    Array.from(
      { length: 80 },
      () =>
        `function ${d.of("lower", 2).replace(/^\d/, "a")}(t,e){return t.${d.of("lower", 3).replace(/^\d/, "b")}(e)?e:t[${d.int(99)}]}`
    ).join(""),
  "source map": (d) =>
    `{"version":3,"sources":["a.js"],"names":[],"mappings":"${Array.from({ length: 60 }, () => d.one(["AAAA", "CAAC", "GAAG", "IAAI", "MAAM"])).join(",")};"}\n`,
  environment: (d) =>
    d.one([
      'password = os.environ["PASSWORD"]\n',
      "const apiKey = process.env.API_KEY\n",
      'token := os.Getenv("AUTH_TOKEN")\n',
      `DB_PASSWORD=$\{DB_PASSWORD}\n`,
      "api_key: {{ vault_api_key }}\n",
      `secret: $\{{ secrets.DEPLOY_TOKEN }}\n`
    ]),
  placeholders: (d) =>
    d.one([
      'API_KEY = "your-api-key-here-123"\n',
      'password = "changeme123"\n',
      "GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n",
      'aws_access_key_id = "AKIAIOSFODNN7EXAMPLE"\n',
      "postgres://user:password@localhost:5432/db\n",
      "https://user:pass@example.com/\n",
      "Authorization: Bearer <token>\n",
      "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n",
      'secret = "********"\n',
      "cairn_live_…\n"
    ]),
  "code about tokens": (d) =>
    d.one([
      "def tokenize(text):\n    tokens = text.split()\n    return tokens\n",
      "token = lexer.next_token()\nif token.kind == 'number': pass\n",
      'const tokenType = "access_token_v2"\n',
      'key = "user:profile:v2"\ncache.get(key)\n',
      "password_hash = bcrypt.hashpw(password, salt)\n",
      "for (const [key, value] of Object.entries(headers)) console.log(key, value)\n",
      "max_tokens: 4096\ntoken_url: https://example.org/oauth2/token\n",
      'primary_key = "customer_id_2"\nforeign_key = "orders_customer_id"\n',
      'secret_name = "prod/db/password-v2"\n',
      'PRIVATE_KEY_PATH = "/etc/ssl/private/server.key"\nif "-----BEGIN PRIVATE KEY-----" in text: raise ValueError("private key")\n'
    ]),
  "public keys and certificates": (d) =>
    `-----BEGIN ${d.one(["PUBLIC KEY", "CERTIFICATE", "RSA PUBLIC KEY", "PGP PUBLIC KEY BLOCK"])}-----\n${Array.from({ length: 5 }, () => d.of("base64", 64)).join("\n")}\n-----END -----\nssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${d.of("base64", 43)} me@host\n`,
  "ids of clouds": (d) =>
    `arn:aws:s3:::bucket-${d.of("lower", 8)}\nami-${d.of("hex", 17)}\nvpc-${d.of("hex", 8)}\nproject: my-project-${d.of("digit", 6)}\n`,
  "encoded words": (d) =>
    `data = base64.b64decode("${Buffer.from(`lorem ipsum dolor sit amet ${d.of("lower", 12)} consectetur adipiscing`).toString("base64")}")\n`,
  "seeds and colours": (d) =>
    `seed = ${d.of("digit", 18)}\ncolour = "#${d.of("hex", 6)}"\nchecksum: 0x${d.of("hex", 16)}\n`
}

/** Texts without a secret, 60 of each kind. */
export const harmless = (): ReadonlyArray<readonly [string, ReadonlyArray<Sample>]> =>
  Object.entries(kinds).map(([kind, make]) => [
    kind,
    Array.from({ length: samplesOfKind }, (_, n) => {
      const made = make(drawing(`harmless/${kind}/${n}`))
      return typeof made === "string" ? { path: "a.txt", text: made } : made
    })
  ])
