import { afterAll, afterEach, assert, beforeAll, describe, it } from "vitest"
import { scripts, service, startsAgent, write } from "#test/http/agent.ts"
import { says } from "#test/MessagesApi.ts"
import { ownerKey } from "#test/service.ts"
import { seriousOn } from "./axe.ts"
import { type Browser, type Reader, startBrowser, whyNot } from "./chromium.ts"
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
    const page = await ask(task, "seen")
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
    assert.strictEqual(await page.locator(".turns > li").count(), 2)
    await page.locator("aside a", { hasText: /^[0-9a-f]{12}$/ }).click()
    await page.waitForSelector(".diff")
    await page.getByText("a chat", { exact: true }).click()
    await page.waitForURL("**/runs/*")
    await page.locator("h1 .status", { hasText: "completed" }).waitFor()
  })

  it("is stopped by a button", async () => {
    const task = "never ends, stopped"
    scripts.set(task, () => ({ ...says("…"), held: new Promise(() => {}) }))
    const page = await ask(task, "stopped")
    await page.getByRole("button", { name: "Stop" }).click()
    await page.locator("h1 .status", { hasText: "cancelled" }).waitFor()
    await page.getByText("It was stopped.").waitFor()
  })

  it("says what is missing before it asks, and what is not there", async () => {
    reader = await browser.open()
    const { page } = reader
    await readAs(reader, service, "/chat")
    assert.deepStrictEqual(await seriousOn(page), [])
    await page.getByRole("button", { name: "Ask" }).click()
    await page.getByText("Say what it should do first.").waitFor()
    await page.goto(`${service.url}/runs/00000000-0000-4000-8000-000000000000`)
    await page.getByText("There is nothing here").waitFor()
    const { runId } = await clientOf(service).runs.start("anything", { user: "local", org: "acme", model: "local" })
    await page.goto(`${service.url}/runs/${runId}`)
    await page.locator("h1 .status", { hasText: /completed|failed/ }).waitFor()
  })
})
