import { mkdirSync, writeFileSync } from "node:fs"
import { afterAll, afterEach, assert, beforeAll, describe, it, vi } from "vitest"
import { environment, scripts, service, startsAgent, write } from "#test/http/agent.ts"
import { calls, says } from "#test/MessagesApi.ts"
import { type Service, startService } from "#test/service.ts"
import { seriousInBothThemes, seriousOn } from "./axe.ts"
import { type Browser, type Reader, startBrowser, whyNot } from "./chromium.ts"
import { clientOf, quiet, readAs } from "./reading.ts"

const markup = '"><img src=x onerror="window.ran=1"><script>window.ran=1</script>'
const unseen = "\u001b[2J\u202e// \u200b"
const million = 1_000_000
/** Where pictures go to be looked at, where somebody says so. */
const pictures = process.env["CAIRN_TEST_PICTURES"]

describe.skipIf(whyNot() !== undefined)("a turn of a chat that is replayed", () => {
  startsAgent()
  let priced: Service
  let browser: Browser
  let reader: Reader
  beforeAll(async () => {
    const prices = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 }
    const house = { provider: "anthropic", model: "claude-sonnet-5-5", prices }
    priced = await startService({ ...environment(), CAIRN_MODELS: JSON.stringify({ house }) })
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await priced?.close()
  })
  afterEach(async () => {
    quiet(reader)
    await reader.close()
  })

  const usage = {
    input_tokens: 100,
    output_tokens: 40,
    cache_read_input_tokens: 1_000,
    cache_creation_input_tokens: 200
  }

  /** A run that has ended: it writes, looks, changes and says so. */
  const ran = async (task: string, at: Service = priced, model = "house") => {
    scripts.set(task, (turn) => {
      const reply = [
        () => ({ content: [{ type: "text", text: `I write. ${markup}` }, ...write("a/one.txt", "1\n").content] }),
        () => calls({ name: "Bash", input: { command: `mv a/one.txt b.txt; printf '%s' '${markup}${unseen}'` } }),
        () => says("All of it is done.")
      ][turn - 1]!()
      return { ...reply, usage }
    })
    const cairn = clientOf(at)
    const { sessionId, workspaceId } = await cairn.chat(task, { user: task, org: "acme", model })
    return { run: sessionId, workspace: workspaceId }
  }
  const open = async (path: string, at: Service = priced, options = {}) => {
    reader = await browser.open(options)
    await readAs(reader, at, path)
    return reader.page
  }
  const picture = async (name: string) => {
    if (pictures === undefined) return
    mkdirSync(pictures, { recursive: true })
    writeFileSync(`${pictures}/${name}.png`, await reader.page.screenshot({ fullPage: true }))
  }

  it("has what the model saw: system prompt, tools, task and the turns before, opened by keys alone", async () => {
    const { run } = await ran(`told ${unseen}`.trim())
    const page = await open(`/runs/${run}?turn=3`)
    const saw = page.getByRole("region", { name: "What the model saw" })
    const opens = async (name: RegExp) => {
      await saw.locator("summary", { hasText: name }).focus()
      await page.keyboard.press("Enter")
    }
    await page.getByText("Turn 3 of 3").waitFor()
    assert.strictEqual(await saw.getByText("System prompt").count(), 0)
    await opens(/What the model saw/)
    await opens(/System prompt/)
    await saw.getByText("You are an agent that works on files").waitFor()
    await opens(/7 tools/)
    await saw.getByText("Writes a text file of the workspace, whole").waitFor()
    await opens(/^Task/)
    await saw
      .getByRole("region", { name: "Task" })
      .getByRole("img", { name: /right-to-left override/ })
      .waitFor()
    await opens(/^Turn 1/)
    await saw.getByText("I write.").first().waitFor()
    await saw.getByText("Created a/one.txt").waitFor()
    await opens(/^Turn 2/)
    await saw.getByRole("region", { name: "What Bash answered" }).getByText("<img src=x").waitFor()
    await saw
      .getByRole("region", { name: "What Bash answered" })
      .getByRole("img", { name: /escape/ })
      .waitFor()
    assert.strictEqual(await page.evaluate("window.ran"), undefined)
    assert.deepStrictEqual(await seriousInBothThemes(page), [])
    await picture("saw-wide")
    await page.setViewportSize({ width: 380, height: 800 })
    assert.isAtMost(Number(await page.evaluate("document.documentElement.scrollWidth")), 380)
    await picture("saw-narrow")
    // it stays open from turn to turn, and is of the turn that is looked at
    await page.getByRole("link", { name: "← Turn 2" }).click()
    await saw.locator("summary", { hasText: /^Turn 1/ }).waitFor()
    assert.strictEqual(await saw.locator("summary", { hasText: /^Turn 2/ }).count(), 0)
    await page.getByRole("link", { name: "← Turn 1" }).click()
    await saw.locator("summary", { hasText: /^Task/ }).waitFor()
    assert.strictEqual(await saw.locator("summary", { hasText: /^Turn/ }).count(), 0)
  })

  it("has its time, tokens and cost, and those so far; where there is no price it says so", async () => {
    const { run } = await ran("costs")
    const page = await open(`/runs/${run}?turn=2`)
    const took = page.getByRole("region", { name: "Time, tokens and cost" })
    await took.getByText("1,300 tokens read (1,000 from the cache, 200 put into it), 40 written").waitFor()
    await took.getByText("Cost: $0.00195").waitFor()
    await took.getByText("So far: 2,600 tokens read").waitFor()
    await took.getByText("80 written, $0.0039.").waitFor()
    await took.getByText(/Time: .* until the model had answered, .* for its tools/).waitFor()
    await page.getByText("All turns").click()
    await page.locator(".turns h2", { hasText: /^Turn 1 .*\$0.00195$/ }).waitFor()
    await reader.close()

    const unpriced = await ran("costs nobody knows what", service, "sonnet")
    const other = await open(`/runs/${unpriced.run}?turn=1`, service)
    await other.getByText("Cost: not known (no price is configured for this model)").waitFor()
    await other.getByText(/So far: .* not known/).waitFor()
  })

  it("has all files of then, with what the turn did, each leading to its content of then", async () => {
    await clientOf(priced).workspaces.open({ org: "acme", user: "files" })
    const { run } = await ran("files")
    const page = await open(`/runs/${run}?turn=1`)
    const all = page.getByRole("region", { name: "All files", exact: true })
    await all.getByText("One file").waitFor()
    await all.getByRole("link", { name: /one\.txt created/ }).waitFor()
    await picture("files-wide")
    await page.getByRole("link", { name: "Turn 2 →" }).click()
    await all.getByText("This turn deleted one.").waitFor()
    await all.getByRole("link", { name: /b\.txt created/ }).waitFor()
    await page.getByRole("link", { name: "Turn 3 →" }).click()
    const kept = all.getByRole("link", { name: /b\.txt/ })
    await kept.waitFor()
    assert.notInclude(await kept.textContent(), "created")
    await page.goBack()
    await page.goBack()
    await all.getByRole("link", { name: /one\.txt/ }).click()
    await page.getByText("As a chat had them after").waitFor()
    await page.getByRole("region", { name: "a/one.txt", exact: true }).getByText("1").first().waitFor()
    await page.reload()
    await page.getByRole("region", { name: "a/one.txt", exact: true }).waitFor()
    assert.deepStrictEqual(await seriousOn(page), [])
    await page.getByRole("link", { name: "turn 1" }).click()
    await page.getByText("Turn 1 of 3").waitFor()
    await reader.close()

    scripts.set("writes nothing", () => says("Nothing to do."))
    const { sessionId } = await clientOf(priced).chat("writes nothing", { user: "empty", org: "acme", model: "house" })
    const empty = await open(`/runs/${sessionId}?turn=1`)
    await empty.getByText("The workspace had no files then.").waitFor()
  })

  it("says what can't be had of files that are kept no more, and shows what the log has of them", async () => {
    const { run } = await ran("forgotten")
    reader = await browser.open({ viewport: { width: 380, height: 800 }, colorScheme: "dark" })
    const { page } = reader
    await page.route("**/tree?run=*", (route) =>
      route.fulfill({
        status: 404,
        json: { message: "The files after this turn are not kept any more.", code: "not_found/tree" }
      })
    )
    await readAs(reader, priced, `/runs/${run}?turn=2`)
    const all = page.getByRole("region", { name: "All files", exact: true })
    await all.getByText("not kept any more").waitFor()
    await all.getByText("not what commands did to them").waitFor()
    await all.locator("summary", { hasText: "a/one.txt" }).click()
    await all
      .getByRole("region", { name: /written to a\/one\.txt/ })
      .getByText("1")
      .waitFor()
    assert.deepStrictEqual(await seriousOn(page), [])
    assert.isAtMost(Number(await page.evaluate("document.documentElement.scrollWidth")), 380)
    await picture("forgotten-narrow")
    await all.getByRole("link", { name: "The files of its commit" }).click()
    await page.getByText("As of commit").waitFor()
  })

  it("shows the beginning of what is long, and all of it when that is asked for", async () => {
    const task = "reads much"
    const line = `${"z".repeat(99)}\n`
    scripts.set(task, (turn) => {
      if (turn === 1)
        return calls(
          { name: "Write", input: { file_path: "long.txt", content: `${line.repeat(million / 100)}the end` } },
          { name: "Write", input: { file_path: "unseen.txt", content: "\u200b".repeat(million) } }
        )
      return says("Read.")
    })
    const { sessionId } = await clientOf(priced).chat(task, { user: "much", org: "acme", model: "house" })
    const page = await open(`/runs/${sessionId}?turn=2`)
    const saw = page.getByRole("region", { name: "What the model saw" })
    await saw.locator("summary", { hasText: "What the model saw" }).click()
    await saw.locator("summary", { hasText: /^Turn 1/ }).click()
    const [long, hidden] = [
      saw.getByRole("region", { name: "What Write was told" }).nth(0),
      saw.getByRole("region", { name: "What Write was told" }).nth(1)
    ]
    await long.waitFor()
    // a paragraph of all of it, or an element for each that is unseen, would hold the page up
    const most = { atOnce: 200_000, together: 2_000, apart: 1_000 }
    const lengths = (text: typeof long) =>
      text.locator("bdi").evaluateAll((all) => all.map((one) => one.textContent.length))
    const sum = async (text: typeof long) => (await lengths(text)).reduce((sum, length) => sum + length, 0)
    for (const text of [long, hidden]) {
      let before = await sum(text)
      assert.isAtMost(before, 20_000)
      const more = text.locator("xpath=following-sibling::*[1]").getByRole("button")
      for (let presses = 1; presses <= 5; presses++) {
        await more.click()
        await vi.waitFor(async () => assert.isAbove(await sum(text), before), { timeout: 60_000 })
        const now = await sum(text)
        assert.isAtMost(now - before, most.atOnce)
        assert.isAtMost(Math.max(...(await lengths(text))), most.together)
        assert.isAtMost(await text.locator("*").count(), (2 * now) / most.together + most.apart)
        before = now
      }
      assert.isAbove(before, million)
      assert.strictEqual(await more.count(), 0)
    }
    await long.getByText("the end").waitFor()
  })

  it("says that it loads, what failed and what is not allowed, and tries again", async () => {
    const { run } = await ran("states")
    reader = await browser.open()
    const { page } = reader
    const held = Promise.withResolvers<void>()
    let answer: "held" | "broken" | "forbidden" | "right" = "held"
    await page.route(`**/api/runs/${run}/turns*`, async (route) => {
      if (answer === "held") await held.promise
      if (answer === "right") return route.continue()
      const [status, message] = answer === "forbidden" ? [403, "Not for readers of this kind."] : [400, "It is broken."]
      return route.fulfill({ status, json: { message, code: "x/y" } })
    })
    await page.route(`**/api/runs/${run}/turns/*`, async (route) => {
      if (answer === "right") return route.continue()
      const [status, message] = answer === "forbidden" ? [403, "Not for readers of this kind."] : [400, "It is broken."]
      return route.fulfill({ status, json: { message, code: "x/y" } })
    })
    await readAs(reader, priced, `/runs/${run}?turn=1`)
    const took = page.getByRole("region", { name: "Time, tokens and cost" })
    const saw = page.getByRole("region", { name: "What the model saw" })
    await took.getByText("Loading…").waitFor()
    answer = "broken"
    held.resolve()
    await took.getByText("It is broken.").waitFor()
    await saw.locator("summary").click()
    await saw.getByText("It is broken.").waitFor()
    answer = "right"
    await took.getByRole("button", { name: "Try again" }).click()
    await took.getByText("So far:").waitFor()
    await saw.getByRole("button", { name: "Try again" }).click()
    await saw.getByText("System prompt", { exact: true }).waitFor()
    answer = "forbidden"
    await page.getByRole("link", { name: "Turn 2 →" }).click()
    await saw.getByText("This key has no access").waitFor()
    assert.deepStrictEqual(await seriousOn(page), [])

    // to whom it is refused, it is not there
    await page.route("**/api/access", async (route) => {
      const answered = await route.fetch()
      const access = (await answered.json()) as { operations: ReadonlyArray<string> }
      const operations = access.operations.filter((one) => !one.startsWith("runs.turn") && one !== "workspaces.tree")
      await route.fulfill({ json: { ...access, operations } })
    })
    await page.goto(`${priced.url}/runs/${run}?turn=1`)
    await page.getByText("Turn 1 of 3").waitFor()
    for (const region of [took, saw, page.getByRole("region", { name: "All files", exact: true })])
      assert.strictEqual(await region.count(), 0)
  })
})
