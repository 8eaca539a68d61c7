import { assert, describe, it } from "vitest"
import { hasSecret, hasSecretName, redacted, secretsOf } from "../../src/agent/screen.ts"
import { cases } from "./cases.ts"
import { found, sessionWith, useFolders } from "./hooked.ts"

const folders = useFolders()
describe("a secret is told", () => {
  it.each(cases.secrets)("%s", (text) => {
    assert.isTrue(hasSecret(`before\n${text}\nafter`))
    assert.isTrue(hasSecret(`x = 1\r\n${text}\r\ny = 2`))
  })
  it.each(cases.noSecrets)("and not in %s", (text) =>
    assert.isFalse(hasSecret(`before\n${text}\nafter`), redacted(text))
  )

  it("by the names of files", () => {
    for (const name of cases.secretFiles) assert.isTrue(hasSecretName(name), name)
    for (const name of cases.plainFiles) assert.isFalse(hasSecretName(name), name)
  })

  it("by the values of variables, the longer ones first", () => {
    const known = secretsOf({
      A_TOKEN: "long-enough-value",
      B_KEY: "long-enough-value-and-more",
      C_SECRET: "short",
      PATH: "/a/long/path",
      SSH_KEY: "/home/ada/.ssh/id",
      HOME_PASSWORD: undefined
    })
    assert.deepStrictEqual(known, ["long-enough-value-and-more", "long-enough-value"])
    assert.strictEqual(redacted("x long-enough-value-and-more y", known), "x *** y")
  })
})

it("texts that were made to be slow are looked through like others", () => {
  const most = 262_144
  for (const piece of cases.slow) {
    const text = piece.repeat(Math.ceil(most / piece.length))
    assert.isBoolean(hasSecret(text))
  }
})

it("a session sends none: in searches, files, logs or tasks", async () => {
  const secret = "a-very-secret-value-of-the-environment"
  const session = sessionWith(folders, [found()], { env: { MY_API_KEY: secret } })
  await session.prompt(`use ghp_${"a".repeat(36)} and ${secret} for it`)
  await session.writes("fine.py", "password = 'your-password-here'\nprint('fine')\n")
  await session.writes("bad.py", `print('${secret}')\n`)
  await session.writes("worse.py", "db_password = 'correct-horse'\n")
  await session.bash("env", { error: `MY_API_KEY=${secret}` })
  await session.happens("Stop")
  assert.deepStrictEqual(session.reports[0]!.uploaded, ["fine.py"])
  assert.deepStrictEqual(
    session.reports[0]!.left.map(({ path, reason }) => [path, reason]),
    [
      ["bad.py", "secret"],
      ["worse.py", "secret"]
    ]
  )
  assert.strictEqual(session.sent[0]!.body.task, "use *** and *** for it")
  assert.strictEqual(session.uploads()[0]!["task"], "use *** and *** for it")
  const text = JSON.stringify(session.sent.map(({ body }) => body))
  assert.include(text, "MY_API_KEY=***")
  for (const hidden of [secret, "ghp_a", "correct-horse"]) assert.notInclude(text, hidden)
})
