import { assert, describe, it } from "vitest"
import { harmless } from "./attacks.ts"
import { whyNot } from "./chromium.ts"
import { clientOf, readAs, startsReading } from "./reading.ts"

describe.skipIf(whyNot() !== undefined)("files that are made to hold a page up", () => {
  const on = startsReading({ filled: false })
  const files: { readonly [path: string]: string } = {
    // a grammar takes the square of its length for each of these: minutes
    "line.java": "a".repeat(190_000),
    "lines.cs": "a\n".repeat(95_000),
    // of 10 characters each
    "slow.py": "x = 12345\n".repeat(2_000),
    "empty.txt": "\n".repeat(1_000_000),
    "unseen.txt": `${"\u202e\u200b".repeat(150)}\n`.repeat(700)
  }

  it("are shown in part, and the page goes on", async () => {
    const cairn = clientOf(on.service)
    const { workspaceId } = await cairn.workspaces.open({ org: "acme", user: "ada" })
    for (const [path, content] of Object.entries(files)) await cairn.workspaces.putFile(workspaceId, path, content)
    const deep = `${"d/".repeat(120)}file.txt`
    const { commit } = await cairn.workspaces.putFile(workspaceId, deep, "x\n")
    on.reader = await on.browser.open()
    const { page } = on.reader
    await readAs(on.reader, on.service, `/workspaces/${workspaceId}/files`)
    const open = async (path: string) => {
      await page.goto(`${on.service.url}/workspaces/${workspaceId}/files?path=${encodeURIComponent(path)}`)
      await page.locator(".file-view .line").first().waitFor()
      // it answers when nothing holds it up any more
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)))
      await harmless(on.reader, path)
    }
    await open("line.java")
    assert.strictEqual(await page.locator(".file-view [class^=hl-]").count(), 0)
    // by a clock that goes on by itself each time it is looked at: two portions are within its patience
    await page.addInitScript(() => {
      let now = 0
      performance.now = () => (now += 250)
    })
    await open("slow.py")
    await page.locator(".file-view .line:nth-child(1) .hl-number").first().waitFor()
    const plain = page.locator(".file-view .line:not(:has([class^=hl-]))")
    assert.strictEqual((await page.locator(".file-view .line").count()) - (await plain.count()), 1_200)
    await open("lines.cs")
    assert.strictEqual(await page.locator(".file-view .line").count(), 2_500)
    await open("empty.txt")
    await page.getByRole("button", { name: "Show 2,500 more of 1,000,000 lines" }).click()
    await page.locator(".file-view .line").nth(4_999).waitFor()
    assert.strictEqual(await page.locator(".file-view .line").count(), 5_000)
    await open("unseen.txt")
    assert.strictEqual(await page.locator(".file-view .unseen").count(), 0)
    assert.include(await page.locator(".file-view .line").first().textContent(), "\ufffd\ufffd")
    await open(deep)
    await page.goto(`${on.service.url}/workspaces/${workspaceId}/commits/${commit}`)
    await page.locator(".diff").waitFor()
  })

  it("and so is a difference of hundreds of thousands of lines", async () => {
    const cairn = clientOf(on.service)
    const { workspaceId } = await cairn.workspaces.open({ org: "acme", user: "grace" })
    const { commit } = await cairn.workspaces.putFile(workspaceId, "long.txt", "x\n")
    on.reader = await on.browser.open()
    const { page } = on.reader
    const diff = `diff --git a/long.txt b/long.txt\n--- a/long.txt\n+++ b/long.txt\n@@ -0,0 +1,300000 @@\n${"+x\n".repeat(300_000)}`
    await page.route("**/api/workspaces/*/commits/*", async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), diff } })
    })
    await readAs(on.reader, on.service, `/workspaces/${workspaceId}/commits/${commit}`)
    await page.locator("details.file summary").click()
    await page.locator(".diff .added").nth(399).waitFor()
    assert.strictEqual(await page.locator(".diff .added").count(), 400)
    await page.getByRole("button", { name: "Show 2,000 more of 300,000 lines" }).click()
    await page.locator(".diff .added").nth(2_399).waitFor()
    await page.getByRole("button", { name: "Split" }).click()
    await page.locator(".diff .split .added").nth(2_399).waitFor()
    assert.strictEqual(await page.locator(".diff .added").count(), 2_400)
  })

  it("and so are long lists and texts, each with what is left out", async () => {
    const cairn = clientOf(on.service)
    const { workspaceId } = await cairn.workspaces.open({ org: "acme", user: "alan" })
    const { commit } = await cairn.workspaces.putFile(workspaceId, "long.txt", "x".repeat(2 ** 21 + 1))
    const source = `x = 1\n${"# y\n".repeat(15_000)}`
    const { codeBlockId } = await cairn.snippets.create({ name: "long", source, entrypoint: "x", language: "python" })
    const uploaded = (await cairn.system.newestEvents({ type: "SnippetUploaded", limit: 1 })).events[0]!
    await cairn.executions.record({ codeBlockId, triggeringTask: "long", inputData: "z".repeat(30_000), outputData: 1 })
    on.reader = await on.browser.open()
    const { page } = on.reader

    await readAs(on.reader, on.service, `/workspaces/${workspaceId}/files?path=long.txt`)
    await page.getByText("This file is too long to show. Download it instead.").waitFor()
    await page.route(`**/api/workspaces/${workspaceId}/tree*`, async (route) => {
      const response = await route.fetch()
      const answer = await response.json()
      const [file] = answer.files
      const then = route.request().url().includes("at=") ? { sha: "0".repeat(40) } : {}
      const files = Array.from({ length: 600 }, (_, n) => ({ ...file, ...then, path: `${n}.txt` }))
      await route.fulfill({ response, json: { ...answer, files } })
    })
    await page.goto(`${on.service.url}/workspaces/${workspaceId}/files`)
    const all = page.getByRole("button", { name: "Show all 600 files" })
    await all.waitFor()
    assert.strictEqual(await page.locator(".tree a").count(), 500)
    await all.click()
    await page.locator(".tree a").nth(599).waitFor()
    await page.goto(`${on.service.url}/workspaces/${workspaceId}/files?at=${commit}`)
    await page.getByRole("button", { name: "Restore…" }).click()
    await page.locator("dialog[open]").getByText("and 588 more").waitFor()
    assert.strictEqual(await page.locator("dialog[open] .changes .path").count(), 12)

    await page.route("**/api/events?*", async (route) => {
      const response = await route.fetch()
      const answer = await response.json()
      const [event] = answer.events
      const events = Array.from({ length: 501 }, (_, n) => ({ ...event, event_id: `${n}`, position: `${n + 1}` }))
      await route.fulfill({ response, json: { ...answer, events } })
    })
    await page.goto(`${on.service.url}/events/${uploaded.position}`)
    await page.getByText(/40,0\d\d of 60,006 characters are not shown/).waitFor()
    await page.getByText("Only the first 500 are shown.").waitFor()
    assert.strictEqual(await page.locator(".causes li").count(), 500)

    await page.goto(`${on.service.url}/snippets/${codeBlockId}`)
    await page.locator(".executions summary").first().click()
    const given = page.locator(".executions pre").first()
    await given.waitFor()
    assert.isAtMost((await given.textContent())!.length, 20_000)
  })
})
