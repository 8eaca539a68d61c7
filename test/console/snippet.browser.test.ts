import { assert, describe, it } from "vitest"
import { report, table, traceback } from "#test/http/functions.ts"
import { whyNot } from "./chromium.ts"
import { cuttable } from "./cuttable.ts"
import { clientOf, readAs, startsReading } from "./reading.ts"

describe.skipIf(whyNot() !== undefined)("a snippet's page in the console", () => {
  const on = startsReading({ filled: false })
  const { open } = on

  const create = async (name: string, more: object = {}) =>
    (
      await clientOf(on.service).snippets.create({
        name,
        source: `def ${name}(): pass\n`,
        entrypoint: name,
        language: "python",
        ...more
      })
    ).codeBlockId

  it("has the reputation of each function: votes, runs, calls, the last failure, and its commonest errors", async () => {
    const cairn = clientOf(on.service)
    const given = {
      task: "first task",
      fileWritten: { path: "first.py", content: table("first") },
      perFunctionReputation: true
    }
    const failing = report({ load: [4, 30, 0.5] }) + traceback("KeyError", "'<b>id</b>'", "<module>", "load")
    await cairn.upload({ ...given, executionLogs: failing, succeeded: false, userVote: -1 })
    await cairn.upload({
      ...given,
      executionLogs: report({ load: [1, 80, 0] }),
      succeeded: true,
      userVote: 1,
      voteCount: 3
    })
    const [match] = (await cairn.search({ task: "first task", minVerdictScore: 0 })).matches
    const page = await open(`/snippets/${match!.codeBlock.id}`)
    const rows = page.getByRole("region", { name: "Functions" }).locator("tbody tr")
    await rows.nth(1).waitFor()
    const cells = (row: number) => rows.nth(row).locator("td").allInnerTexts()
    const [load, votes, runs, calls, failed] = await cells(0)
    assert.deepStrictEqual(load!.split("\n").filter(Boolean), ["def load(path)", "KeyError: '<b>id</b>'"])
    assert.deepStrictEqual([votes, runs, calls], ["+3 −1", "2", "5"])
    assert.strictEqual(failed, "just now")
    const [other, , , otherCalls] = await cells(1)
    assert.include(other, "rows")
    assert.notInclude(other, "Error")
    assert.strictEqual(otherCalls, "0")
  })

  it("says whether it is public, and where, also when that has changed", async () => {
    const id = await create("published", { public: true })
    const page = await open(`/snippets/${id}`)
    await page.getByText("Public: anybody may find it").waitFor()
    await page.goto(`${on.service.url}/snippets/${await create("kept")}`)
    await page.getByRole("heading", { name: "kept" }).waitFor()
    assert.strictEqual(await page.getByText("Public: anybody").count(), 0)
  })

  it("changes as it does: comments, votes, runs and events come, of this one alone", async () => {
    const cairn = clientOf(on.service)
    const [id, other] = [await create("changing"), await create("another")]
    const page = await open(`/snippets/${id}`)
    await page.getByText("Nobody has voted yet.").waitFor()
    const listens = page.waitForResponse("**/api/events/stream*")
    await page.reload()
    await listens
    await page.getByText("No comments yet.").waitFor()
    await page.getByText("Nobody has voted yet.").waitFor()
    await cairn.snippets.comment(id, "It came while I looked.")
    await page.locator(".comments").getByText("It came while I looked.").waitFor()
    await cairn.snippets.vote({ codeBlockId: id, task: "look on", succeeded: true })
    await page.getByRole("region", { name: "Votes" }).getByText("look on").waitFor()
    await cairn.executions.record({ codeBlockId: id, triggeringTask: "run on", inputData: 1, outputData: 2 })
    await page.locator(".executions li", { hasText: "run on" }).waitFor()
    await page
      .getByRole("group", { name: "Events of the snippet, newest first" })
      .getByText("A code run was reported")
      .waitFor()
    const asked: Array<string> = []
    page.on("request", (request) => void asked.push(new URL(request.url()).pathname))
    await cairn.snippets.comment(other, "Elsewhere.")
    await cairn.snippets.comment(id, "The second one.")
    await page.locator(".comments").getByText("The second one.").waitFor()
    assert.strictEqual(asked.filter((path) => path.endsWith("/comments")).length, 1)
  })

  it("says when it hears nothing any more, and tries again", async () => {
    const id = await create("cut")
    const between = await cuttable(on.service.url)
    try {
      on.reader = await on.browser.open()
      const { page } = on.reader
      const listens = page.waitForResponse("**/api/events/stream*")
      await readAs(on.reader, between, `/snippets/${id}`)
      await page.getByRole("heading", { name: "cut" }).waitFor()
      await listens
      between.cut()
      await page.getByText("Live updates have stopped").waitFor()
      await clientOf(on.service).snippets.comment(id, "Said meanwhile.")
      between.mend()
      await page.getByRole("button", { name: "Try now" }).click()
      await page.locator(".comments").getByText("Said meanwhile.").waitFor()
      assert.strictEqual(await page.getByText("Live updates have stopped").count(), 0)
    } finally {
      await between.close()
    }
  })
})
