import { assert, describe, it } from "vitest"
import type { Reply } from "../../../../test/clients/typescript/stub.ts"
import { found, match, sessionWith, stored, useFolders } from "./hooked.ts"

const folders = useFolders()
const refused = (status: number): Reply => ({
  status,
  body: { error: "no", code: `e/${status}`, message: "secret words" }
})
/** Of 20 files and a vote, how many were asked for, until nobody asked any more. */
const delivered = async (...replies: ReadonlyArray<Reply>) => {
  const session = sessionWith(folders, [found(match("one", "a.py")), ...replies])
  await session.prompt()
  await session.bash(`python3 ${folders.cacheDir}/a.py`)
  for (let n = 0; n < 4; n++) await session.writes(`${n}.py`, `print('number ${n}')\n`)
  assert.deepStrictEqual(await session.happens("Stop"), {})
  const asked = session.asked().slice(1)
  return { ...session, asked: asked.map((route) => (route === "cache-usage" ? "vote" : "file")) }
}

describe("a service that does not answer", () => {
  it("costs one warning, and nothing of the session", async () => {
    const session = sessionWith(folders, [{ network: "refused" }, { network: "refused" }, { network: "refused" }])
    assert.deepStrictEqual(await session.happens("UserPromptSubmit", { prompt: "add the numbers of ada" }), {})
    await session.writes("a.py", "print('a')\n")
    await session.writes("b.py", "print('b')\n")
    assert.deepStrictEqual(await session.happens("Stop"), {})
    assert.strictEqual(session.warnings.length, 1)
    assert.include(session.warnings[0], "the session goes on without")
    assert.notInclude(session.warnings[0], "ada")
  })

  it("holds a prompt up for seconds only, and the next ones not at all", { timeout: 120_000 }, async () => {
    const session = sessionWith(folders, ["silence"])
    assert.strictEqual(await session.prompt("one"), "")
    assert.deepStrictEqual(session.asked(), ["search"], "nobody waits for a second try")
    assert.strictEqual(await session.prompt("two"), "")
    assert.deepStrictEqual(session.asked(), ["search"])
    assert.strictEqual(session.warnings.length, 1)
  })

  it("holds the end of a turn up once: nothing more is sent", { timeout: 120_000 }, async () => {
    const session = await delivered("silence")
    assert.deepStrictEqual(session.asked, ["file"])
    assert.deepStrictEqual([session.reports[0]!.uploaded, session.reports[0]!.votes], [[], []])
    assert.strictEqual(session.warnings.length, 1)
  })

  it("is asked once more where an answer may come, and then left alone", async () => {
    const session = await delivered(...Array<Reply>(20).fill({ status: 503 }))
    assert.deepStrictEqual([session.asked, session.warnings.length], [["file", "file"], 1])
    const cut = await delivered({ network: "cut" }, stored)
    assert.deepStrictEqual(cut.asked, ["file", "file", "file", "file", "file", "vote"])
    assert.strictEqual(cut.reports[0]!.uploaded.length, 4)
  })

  it("and asks for more time than there is, is not waited for, and nobody hears that it were", async () => {
    const session = sessionWith(folders, [{ status: 503, body: { code: "e/503" }, headers: { "retry-after": "30" } }])
    assert.strictEqual(await session.prompt(), "")
    await session.writes("a.py", "print('a')\n")
    await session.happens("Stop")
    assert.deepStrictEqual([session.asked(), session.waits], [["search", "execution-result"], []])
    assert.deepStrictEqual([session.warnings.length, session.lines.filter((line) => line.startsWith("warn"))], [1, []])
    assert.include(session.warnings[0], "e/503")
  })
})

describe("a refusal", () => {
  it("of one file says nothing of the next", async () => {
    for (const status of [400, 403, 404]) {
      const session = await delivered(refused(status), stored)
      assert.deepStrictEqual(session.asked, ["file", "file", "file", "file", "vote"])
      assert.deepStrictEqual(session.reports[0]!.uploaded, ["1.py", "2.py", "3.py"])
      assert.strictEqual(session.warnings.length, 1)
      assert.include(session.warnings[0], `e/${status}`)
      assert.notInclude(session.warnings[0], "secret words")
    }
  })
  it("of the key, or of so many requests, says that nothing is taken", async () => {
    const key = await delivered(refused(401))
    assert.deepStrictEqual(key.asked, ["file"])
    const limit = { ...(refused(429) as object), headers: { "retry-after": "3600" } } as Reply
    assert.deepStrictEqual((await delivered(limit)).asked, ["file"])
  })
})

it("a listener that fails costs a warning", async () => {
  const session = sessionWith(folders, [found()], { onReport: () => assert.fail("no") })
  await session.prompt()
  assert.deepStrictEqual(await session.happens("Stop"), {})
  assert.strictEqual(session.warnings.length, 1)
})
