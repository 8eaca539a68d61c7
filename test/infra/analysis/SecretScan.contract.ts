import { assert, layer as suite } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { SecretScan } from "#ports/SecretScan.ts"

const scan = (text: string, path = "a.py") => Effect.flatMap(SecretScan, (secrets) => secrets.scan(path, text))

/** Put together here, so that nobody who looks through this repository takes them for real ones. */
const token = `ghp_${"a1B2c3D4e5F6".repeat(3)}`
const aws = `AWS_SECRET_ACCESS_KEY = "${"wJalrXUtnFEMI/K7MDENG/".padEnd(40, "bPxRfiCYzKEy")}"`
const database = `postgres://${"admin"}:${"hunter2isnotgood"}@db.example.com/orders`
const slack = ["https://hooks.slack.com", "services", "T00000000", "B00000000", "X".repeat(24)].join("/")

const megabyte = 1024 * 1024
const filled = (piece: string) => piece.repeat(Math.ceil(megabyte / piece.length)).slice(0, megabyte)

/** What every scan must do; each adapter's test is this and a layer. */
export const contract = (name: string, layer: Layer.Layer<SecretScan, unknown>) =>
  suite(layer)(`SecretScan (${name})`, (it) => {
    it.effect.each([token, aws, database, slack])(
      "finds the secret on its line, and does not repeat it (%#)",
      (secret) =>
        Effect.gen(function* () {
          const found = yield* scan(`import os\n\nx = 1\nvalue = '${secret}'\n`)
          assert.strictEqual(found[0]?.line, 4)
          for (const { kind } of found) {
            assert.isNotEmpty(kind)
            for (const part of secret.split(/\W/).filter((part) => part.length > 6)) assert.notInclude(kind, part)
          }
        })
    )

    it.effect("finds nothing in ordinary code", () =>
      Effect.gen(function* () {
        const source = `password = os.environ["PASSWORD"]\nurl = f"postgres://{user}:{password}@{host}/db"\nkey = "changeme"\n`
        assert.deepStrictEqual(yield* scan(source), [])
        assert.deepStrictEqual(yield* scan(""), [])
      })
    )

    it.effect("is not told by a comment to look away", () =>
      Effect.gen(function* () {
        const found = yield* scan(`# secretlint-disable\nx = "${token}" # secretlint-disable-line\n`)
        assert.deepStrictEqual(
          found.map(({ line }) => line),
          [2]
        )
      })
    )

    it.effect("finds several, in order of lines, of many the first", () =>
      Effect.gen(function* () {
        const found = yield* scan(`${database}\n${"\n".repeat(10)}${token}\n`)
        assert.deepStrictEqual(
          found.map(({ line }) => line),
          [1, 12]
        )
        const many = yield* scan(Array.from({ length: 500 }, () => token).join("\n"))
        assert.isAtMost(many.length, 20)
        assert.strictEqual(many[0]?.line, 1)
      })
    )

    it.effect.each(
      [
        "a",
        " ",
        "\n",
        "=",
        "'",
        "_",
        "ghp_",
        "postgres://",
        "a:b@",
        "https://u:p",
        "-----BEGIN RSA PRIVATE KEY-----"
      ].concat(
        ...[
          "AWS_SECRET_ACCESS_KEY=",
          "xoxb-1-",
          '{"type":"service_account",',
          "0123456789abcdef",
          "//registry/:_authToken="
        ]
      )
    )("comes to an end with a megabyte of %j, and finds a secret after it", (piece) =>
      Effect.gen(function* () {
        yield* Effect.ignore(scan(filled(piece)))
        assert.strictEqual((yield* scan(`\n${token}\n`))[0]?.line, 2)
      })
    )

    it.effect("takes a text with any character", () =>
      Effect.gen(function* () {
        const odd = `a\u2028b\u2029c\r\nd\u0085e\ud83c\udf89 \u0001 \ufffd \\ " '\n`
        assert.strictEqual((yield* scan(`${odd}${token}`))[0]?.line, 3)
        assert.isNotEmpty(yield* scan(token, "dir\u2028/a b.py"))
      })
    )

    it.effect("keeps the answers of scans that wait for each other apart", () =>
      Effect.gen(function* () {
        const texts = Array.from({ length: 20 }, (_, n) => `${"\n".repeat(n)}${token}`)
        const found = yield* Effect.forEach(texts, (text) => scan(text), { concurrency: "unbounded" })
        assert.deepStrictEqual(
          found.map(([first]) => first?.line),
          texts.map((_, n) => n + 1)
        )
      })
    )
  })
