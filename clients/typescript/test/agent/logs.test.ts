import { assert, it } from "vitest"
import { found, sessionWith, useFolders } from "./hooked.ts"

const folders = useFolders()
const logsBy = async (act: (session: ReturnType<typeof sessionWith>) => Promise<unknown>, options: object = {}) => {
  const session = sessionWith(folders, [found()], options)
  await session.prompt()
  await act(session)
  await session.happens("Stop")
  const logs = session.uploads().map((body) => [body["file_written"].path, body["execution_logs"] ?? ""])
  return Object.fromEntries(logs) as { readonly [path: string]: string }
}
const printed = (stdout: string, stderr = "") => ({ tool_response: { stdout, stderr } })

it("are the commands and what they printed, each with the files that it names; what names none is with all", async () => {
  const logs = await logsBy(async ({ writes, bash, tool }) => {
    await writes("one.py", "print('one')\n")
    await writes("lib/two.py", "print('two')\n")
    await bash("python3 one.py", printed("one is printed", "and complains"))
    await bash("python3 ./lib/two.py", { error: "Exit code 1\ntwo fails" })
    await bash("pytest", printed("lib/two.py::test PASSED"))
    await bash("make test", printed("all fine"))
    await tool("Read", { file_path: "/etc/hostname" }, { tool_response: { file: { content: "the host" } } })
    await tool("mcp__x__y", { a: 1 }, { tool_response: [{ type: "text", text: "of a server" }] })
  })
  assert.deepStrictEqual(logs["one.py"]?.split("\n"), [
    `[Write] ${folders.cwd}/one.py`,
    ...["$ python3 one.py", "one is printed", "and complains", "$ make test", "all fine", "[Read] /etc/hostname"],
    ...["[mcp__x__y]", '[{"type":"text","text":"of a server"}]']
  ])
  assert.include(logs["lib/two.py"], "failed: Exit code 1\ntwo fails")
  assert.include(logs["lib/two.py"], "$ pytest\nlib/two.py::test PASSED")
  assert.include(logs["lib/two.py"], "all fine")
  assert.notInclude(logs["lib/two.py"], "one is printed")
})

it("are the end of what was printed, of each command and of all", async () => {
  const { "a.py": logs = "" } = await logsBy(async ({ bash, writes }) => {
    for (let n = 0; n < 100; n++) {
      await bash(`step ${n}`)
      await bash("loud", printed(`begin ${"x".repeat(9_000)} end ${n}`))
    }
    await writes("a.py", "print('a')\n")
  })
  assert.isAtMost(logs.length, 32_000)
  assert.isAbove(logs.length, 20_000)
  for (const part of ["end 99\n", "step 99"]) assert.include(logs, part)
  for (const part of ["begin", "end 1\n"]) assert.notInclude(logs, part)
})

it("are text that a service takes, wherever they were cut", async () => {
  const { "a.py": logs = "" } = await logsBy(async ({ bash, writes }) => {
    await bash("binary", printed(`a\0b ${"😀".repeat(5_000)}`))
    await bash("binary", printed(`${"😀".repeat(5_000)}x`))
    await bash("half", printed("a half \ud83d of one"))
    await writes("a.py", "print('a')\n")
  })
  assert.isTrue((logs as unknown as { isWellFormed(): boolean }).isWellFormed())
  assert.notInclude(logs, "\0")
  assert.include(logs, "😀x")
})

it("hold no secrets, whole or cut", async () => {
  const secret = "correct-horse-battery-staple"
  const key = [
    "-----BEGIN PRIVATE KEY-----",
    ..."abcdefghij".split("").map((c) => c.repeat(64)),
    "-----END PRIVATE KEY-----"
  ]
  const { "a.py": logs = "" } = await logsBy(
    async ({ bash, writes }) => {
      await bash(`curl -H 'Authorization: Bearer ${secret}' x`, { error: `MY_API_KEY=${secret}` })
      // its beginning is beyond what is kept
      await bash("print", printed(`${"x".repeat(5_000)} ghp_${"g".repeat(36)}${" y".repeat(1_985)}`))
      await bash("cat key.pem", printed(["before", ...key, "after"].join("\n")))
      await bash("env", printed("HOME=/home/ada\nDB_PASSWORD=letters-only\nPATH=/bin"))
      await writes("a.py", "print('a')\n")
    },
    { env: { MY_API_KEY: secret } }
  )
  for (const hidden of [secret, "gggg", "BEGIN", "aaaa", "jjjj", "letters-only"]) assert.notInclude(logs, hidden)
  for (const shown of ["MY_API_KEY=***", "before\n***\nafter", "HOME=/home/ada", "DB_PASSWORD=***"]) {
    assert.include(logs, shown)
  }
})
