import { randomUUID } from "node:crypto"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "vitest"
import { scripts, service, startsAgent, write } from "#test/http/agent.ts"
import { calls, says } from "#test/MessagesApi.ts"
import { ownerKey } from "#test/service.ts"
import { seriousInBothThemes, seriousOn } from "./axe.ts"
import { type Browser, type Reader, startBrowser, whyNot } from "./chromium.ts"
import { cuttable } from "./cuttable.ts"
import { clientOf, quiet, readAs } from "./reading.ts"

describe.skipIf(whyNot() !== undefined)("a chat in the console", () => {
  startsAgent()
  let browser: Browser
  let reader: Reader
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser?.close())
  afterEach(async () => {
    quiet(reader)
    await reader.close()
  })

  const ask = async (task: string, user: string) => {
    reader = await browser.open()
    const { page } = reader
    await readAs(reader, service, `/chat?user=${user}&org=acme&model=sonnet`, ownerKey)
    await page.fill("#task", task)
    await page.getByRole("button", { name: "Ask" }).click()
    await page.waitForURL("**/runs/*")
    return page
  }

  it("shows turns, tools and files as they come, and the answer, and all of it again when it is loaded again", async () => {
    const task = "write and say, seen"
    const held = Promise.withResolvers<void>()
    scripts.set(task, (turn) =>
      turn === 1
        ? { content: [{ type: "text", text: "I write <b>one</b>." }, ...write("a/one.txt", "1\n").content] }
        : { ...says("All of it is done."), held: held.promise }
    )
    // a second try writes into a workspace of its own: in the first one's nothing would change
    const page = await ask(task, `seen-${randomUUID()}`)
    await page.getByText("I write <b>one</b>.").waitFor()
    await page.locator("aside a.path", { hasText: "a/one.txt" }).waitFor()
    await page.locator(".status", { hasText: "running" }).waitFor()
    await page.locator(".calls summary", { hasText: "Write" }).click()
    await page.getByText('"file_path": "a/one.txt"').waitFor()
    assert.deepStrictEqual(await seriousOn(page), [])
    held.resolve()
    await page.getByText("All of it is done.").first().waitFor()
    await page.locator("h1 .status", { hasText: "completed" }).waitFor()
    assert.strictEqual(await page.getByRole("button", { name: "Stop" }).count(), 0)
    await page.reload()
    await page.locator("h1 .status", { hasText: "completed" }).waitFor()
    // that it has ended may be known before its turns have come
    await page.locator(".turns > li").nth(1).waitFor()
    assert.strictEqual(await page.locator(".turns > li").count(), 2)
    await page.locator("aside a", { hasText: /^[0-9a-f]{12}$/ }).click()
    await page.waitForSelector(".diff")
    await page.getByText("a chat", { exact: true }).click()
    await page.waitForURL("**/runs/*")
    await page.locator("h1 .status", { hasText: "completed" }).waitFor()
  })

  it("that has ended has nothing to stop, also before all of it has come", async () => {
    const task = "write once, over"
    scripts.set(task, (turn) => (turn === 2 ? says("It is there.") : write("1.txt", "x\n")))
    const page = await ask(task, "over")
    await page.locator("h1 .status", { hasText: "completed" }).waitFor()
    await page.route("**/api/runs/*", async (route) => {
      if (!(await route.request().headerValue("accept"))?.includes("event-stream")) return route.continue()
      const response = await route.fetch()
      const body = await response.text()
      assert.include(body, "event: answer")
      await route.fulfill({ response, body: body.slice(0, body.indexOf("event: answer")) })
    })
    await page.reload()
    await page.locator(".turns > li").first().waitFor()
    await page.locator("h1 .status", { hasText: "completed" }).waitFor()
    assert.strictEqual(await page.getByRole("button", { name: "Stop" }).count(), 0)
  })

  it("is tried again without another sign-in where it could not be had, and goes on behind what was heard", async () => {
    const task = "write once, cut"
    scripts.set(task, (turn) => (turn === 2 ? says("It is there.") : write("1.txt", "x\n")))
    const { sessionId } = await clientOf(service).chat(task, { user: "cut", org: "acme", model: "sonnet" })
    reader = await browser.open()
    const { page } = reader
    await page.goto(`${service.url}/runs/${sessionId}`)
    // what stands before the service instead of it, which is no reason to try again by itself
    const elsewhere = { status: 200, contentType: "text/html", body: "<h1>Back soon</h1>" }
    const asked: Array<string | null> = []
    let first = true
    await page.route("**/api/runs/*", async (route) => {
      const isStream = (await route.request().headerValue("accept"))?.includes("event-stream")
      if (first) return route.fulfill(elsewhere)
      const nth = isStream ? asked.push(await route.request().headerValue("last-event-id")) : 0
      if (nth === 2) return route.fulfill(elsewhere)
      const response = await route.fetch()
      const body = await response.text()
      // cut in the middle
      await route.fulfill({ response, body: nth === 1 ? body.slice(0, body.indexOf("event: tools")) : body })
    })
    await page.fill("#key", ownerKey)
    await page.keyboard.press("Enter")
    await page.getByText("That did not work").waitFor()
    assert.strictEqual(await page.evaluate("sessionStorage.length"), 0)
    const again = page.getByRole("button", { name: "Try again" })
    first = false
    await again.click()
    await page.getByText("The connection was lost").waitFor()
    assert.strictEqual(await page.locator(".turns > li").count(), 1)
    await again.click()
    await page.locator("h1 .status", { hasText: "completed" }).waitFor()
    await page.getByText("It is there.").first().waitFor()
    assert.strictEqual(await page.locator(".turns > li").count(), 2)
    assert.strictEqual(await page.getByText("The connection was lost").count(), 0)
    assert.deepStrictEqual(
      asked.map((place) => place !== null),
      [false, true, true]
    )
    // which the service tells beside the stream
    await page.getByRole("region", { name: "Task" }).getByText(task).waitFor()
  })

  it("says at once that it is cut off, and goes on by itself when the service is back", async () => {
    const task = "write and say, cut off"
    const held = Promise.withResolvers<void>()
    scripts.set(task, (turn) =>
      turn === 1 ? write("one.txt", "1\n") : { ...says("All of it is there."), held: held.promise }
    )
    const who = { user: `cut-${randomUUID()}`, org: "acme", model: "sonnet" }
    const { runId } = await clientOf(service).runs.start(task, who)
    const between = await cuttable(service.url)
    try {
      reader = await browser.open()
      const { page } = reader
      await readAs(reader, between, `/runs/${runId}`)
      const status = page.locator("h1 .status")
      await status.getByText("running").waitFor()
      await page.locator(".turns > li").first().waitFor()
      between.cut()
      await status.getByText("reconnecting").waitFor()
      await page.getByText("The connection was lost").waitFor()
      held.resolve()
      between.mend()
      await status.getByText("completed").waitFor()
      await page.getByText("All of it is there.").first().waitFor()
      assert.strictEqual(await page.getByText("The connection was lost").count(), 0)
      // the same where it could not be had from the beginning
      let isAway = true
      await page.route("**/api/runs/*", (route) =>
        isAway ? route.fulfill({ status: 503, json: { message: "It is away.", code: "x/y" } }) : route.continue()
      )
      await page.reload()
      await page.getByText("It is away.").first().waitFor()
      await page.getByRole("button", { name: "Try now" }).click()
      isAway = false
      await status.getByText("completed").waitFor()
      await page.getByRole("region", { name: "Task" }).getByText(task).waitFor()
      await page.getByText("It is away.").waitFor({ state: "detached" })
    } finally {
      held.resolve()
      await between.close()
    }
  })

  it("is replayed turn by turn, by links and by keys, each turn at an address of its own", async () => {
    const task = "write twice, replayed"
    scripts.set(task, (turn) => (turn === 3 ? says("Both are there.") : write(`${turn}.txt`, "x\n")))
    const page = await ask(task, "replayed")
    await page.getByText("Step by step").click()
    const after = page.getByRole("region", { name: "After this turn" })
    const isAt = async (turn: number, files: ReadonlyArray<string>) => {
      await page.getByText(`Turn ${turn} of 3`).waitFor()
      assert.strictEqual(new URL(page.url()).search, `?turn=${turn}`)
      assert.strictEqual(await page.locator(".turns > li").count(), 1)
      assert.deepStrictEqual(await after.locator("li .path").allTextContents(), files)
    }
    await isAt(1, ["1.txt"])
    assert.strictEqual(await page.getByText("Both are there.").count(), 0)
    await page.keyboard.press("ArrowLeft")
    await page.keyboard.press("ArrowRight")
    await isAt(2, ["1.txt", "2.txt"])
    await page.getByRole("link", { name: "Turn 3 →" }).click()
    await isAt(3, ["1.txt", "2.txt"])
    await page.getByText("Both are there.").first().waitFor()
    await page.keyboard.press("ArrowRight")
    await page.goBack()
    await isAt(2, ["1.txt", "2.txt"])
    await page.reload()
    await isAt(2, ["1.txt", "2.txt"])
    assert.deepStrictEqual(await seriousInBothThemes(page), [])
    await page.setViewportSize({ width: 380, height: 800 })
    assert.isAtMost(Number(await page.evaluate("document.documentElement.scrollWidth")), 380)
    await page.getByText("All turns").click()
    await page.locator(".turns > li").nth(2).waitFor()
    // what is no turn is none of them, and one too many the last
    await page.goto(`${page.url()}?turn=x`)
    await page.locator(".turns > li").nth(2).waitFor()
    await page.goto(page.url().replace("turn=x", "turn=99"))
    await page.getByText("Turn 3 of 3").waitFor()
  })

  it("says what it was asked for, and its commit what it took: turns, tools, tokens, time", async () => {
    const task = `write for the commit\nand say <b>so</b> ${"x".repeat(100)}`
    scripts.set(task, (turn) => {
      if (turn === 1) return calls({ name: "Read", input: { file_path: "none.txt" } })
      return turn === 2 ? write("of-commit.txt", "1\n") : says("It is written.")
    })
    const page = await ask(task, `commit-${randomUUID()}`)
    await page.locator("h1 .status", { hasText: "completed" }).waitFor()
    const asked = page.getByRole("region", { name: "Task" })
    await asked.getByText("and say <b>so</b>").waitFor()
    await page.getByText("Tools: Read × 1 (1 failed), Write × 1").waitFor()
    await page.reload()
    await asked.getByText("and say <b>so</b>").waitFor()
    await page.locator("aside a", { hasText: /^[0-9a-f]{12}$/ }).click()
    const chat = page.getByRole("region", { name: "The chat that made this commit" })
    await chat.getByText("and say <b>so</b>").waitFor()
    const [turns, tools, tokens, took] = await chat.locator("dl > div").allTextContents()
    assert.deepStrictEqual([turns, tools], ["Chat3 turns", "ToolsRead\u00a0×\u00a01 (1 failed), Write\u00a0×\u00a01"])
    const { usage } = await clientOf(service).runs.get((await chat.getByRole("link").getAttribute("href"))!.slice(6))
    const [read, written] = [usage.inputTokens, usage.outputTokens].map((count) => count.toLocaleString("en"))
    assert.strictEqual(tokens, `Tokens${read} tokens read, ${written} written`)
    assert.match(took!, /^Took[\d.]+ m?s$/)
    assert.deepStrictEqual(await seriousInBothThemes(page), [])
    await chat.getByRole("link", { name: "3 turns" }).click()
    await page.waitForURL("**/runs/*")
  })

  it("is stopped by a button", async () => {
    const task = "never ends, stopped"
    scripts.set(task, () => ({ ...says("…"), held: new Promise(() => {}) }))
    const page = await ask(task, "stopped")
    await page.getByRole("button", { name: "Stop" }).click()
    await page.locator("h1 .status", { hasText: "cancelled" }).waitFor()
    await page.getByText("The chat was stopped.").waitFor()
  })

  it("says what is missing before it asks, and what is not there", async () => {
    reader = await browser.open()
    const { page } = reader
    await readAs(reader, service, "/chat")
    assert.deepStrictEqual(await seriousOn(page), [])
    await page.getByRole("button", { name: "Ask" }).click()
    await page.getByText("Enter a task first.").waitFor()
    await page.goto(`${service.url}/runs/00000000-0000-4000-8000-000000000000`)
    await page.getByText("There is nothing here").waitFor()
    const { runId } = await clientOf(service).runs.start("anything", { user: "local", org: "acme", model: "local" })
    await page.goto(`${service.url}/runs/${runId}`)
    await page.locator("h1 .status", { hasText: /completed|failed/ }).waitFor()
  })
})
