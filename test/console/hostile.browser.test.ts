import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Service, startService } from "#test/service.ts"
import { harmless, markup, words } from "./attacks.ts"
import { type Browser, startBrowser, whyNot } from "./chromium.ts"
import { clientOf, quiet, readAs } from "./reading.ts"

describe.skipIf(whyNot() !== undefined)("a store in which every text is somebody's attack", () => {
  let service: Service
  let browser: Browser
  let snippet: string
  let workspace: string
  let commit: string

  beforeAll(async () => {
    service = await startService()
    const cairn = clientOf(service).withOptions({ agentId: "<b>agent</b>" })
    const source = `# ${words}\n\`\`\`\n</code></pre>${markup}\nx = '${"y".repeat(1_000_000)}'\n`
    const stored = await cairn.snippets.create({
      name: `csv ${markup}`.slice(0, 200),
      source,
      entrypoint: "x",
      language: "python",
      description: `parse a CSV file ${words}`,
      exampleQueries: [`parse a CSV file ${words}`]
    })
    snippet = stored.codeBlockId
    await cairn.executions.record({
      codeBlockId: snippet,
      triggeringTask: words,
      inputData: { [markup]: words },
      outputData: [words],
      executionState: "errored",
      errorMessage: words
    })
    await cairn.snippets.comment(snippet, words)
    await cairn.keys.create({ email: "a@example.org", keyName: words.slice(0, 180) })
    const name = markup.slice(0, 120)
    workspace = (await cairn.workspaces.open({ org: name, user: name })).workspaceId
    for (const path of ['<img src=x onerror="window.ran=1">.html', "evil\u202etxt.exe", "script.js/index.html"])
      await cairn.workspaces.putFile(workspace, path, `${words}\n${source}`)
    commit = (
      await cairn.workspaces.putFile(workspace, "long.js", `${"x".repeat(1_000_000)}\n${`${words}\n`.repeat(2_000)}`)
    ).commit
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await service?.close()
  })

  it("is shown as it is, and nothing of it runs", async () => {
    const reader = await browser.open()
    const { page } = reader
    await readAs(reader, service, "/")
    const { files } = await clientOf(service).workspaces.tree(workspace)
    assert.strictEqual(files.length, 4)
    const { events } = await clientOf(service).system.newestEvents({ limit: 12 })
    const paths: ReadonlyArray<readonly [string, string]> = [
      [`/search?q=${encodeURIComponent(`parse a CSV file ${words}`)}`, ".found > li"],
      [`/snippets/${snippet}?task=${encodeURIComponent(words)}`, ".executions li"],
      ["/workspaces", ".workspaces"],
      ["/overview", ".activity li"],
      [`/workspaces/${workspace}`, ".commits"],
      // a service with much else to do leaves out what would take it too long
      [`/workspaces/${workspace}/commits/${commit}`, ".diff, .left-out"],
      ...files.map(
        ({ path }) => [`/workspaces/${workspace}/files?path=${encodeURIComponent(path)}`, ".file-view .code"] as const
      ),
      ["/events", ".events .row"],
      [
        `/events?stream=${encodeURIComponent(words)}&type=${encodeURIComponent(markup)}&actor=${encodeURIComponent(words)}`,
        ".failed, .empty"
      ],
      ...events.map(({ position }) => [`/events/${position}`, ".causes li"] as const),
      [`/events/${encodeURIComponent(markup)}`, ".failed"],
      ["/people", ".keys .row"],
      ["/usage?by=workspace", ".usage .tabs"],
      [`/usage?by=${encodeURIComponent(markup)}`, ".usage .tabs"],
      [`/workspaces/${encodeURIComponent(markup)}`, ".failed"],
      [`/snippets/${encodeURIComponent(markup)}`, ".failed"]
    ]
    for (const [path, ready] of paths) {
      await page.goto(service.url + path)
      await page.waitForSelector(ready, { state: "attached" }).catch(async () => {
        throw new Error(`${path}: ${await page.locator("main").textContent()}`.slice(0, 1_000))
      })
      await harmless(reader, path)
      quiet(reader)
    }
    await reader.close()
  })

  it("says where something would be unseen, and keeps it for who copies it", async () => {
    const reader = await browser.open()
    const { page } = reader
    await readAs(reader, service, `/workspaces/${workspace}/files`)
    assert.match((await page.locator(".tree").textContent()) ?? "", /evilU\+202Etxt\.exe/)
    await page.goto(`${service.url}/search?q=parse+a+CSV+file`)
    const description = page.locator(".found .description").first()
    await description.waitFor()
    assert.match((await description.textContent()) ?? "", /␛\[2J␛\]0;x␇U\+202E\/\//)
    assert.isAbove(await description.locator('[aria-label="U+202E, right-to-left override"]').count(), 0)
    quiet(reader)
    await reader.close()
  })

  it("does not hold a page up with lines of a megabyte", async () => {
    const reader = await browser.open()
    const { page } = reader
    await readAs(reader, service, `/workspaces/${workspace}/files?path=long.js`)
    await page.getByText("998,000 more characters").first().waitFor()
    assert.strictEqual(await page.locator(".code .line").count(), 2_001)
    const lines = `+${"x".repeat(1_000_000)}\n${`+${words}\n`.repeat(2_000)}`
    const diff = `diff --git a/long.js b/long.js\nnew file mode 100644\n--- /dev/null\n+++ b/long.js\n@@ -0,0 +1,2001 @@\n${lines}`
    await page.route("**/api/workspaces/*/commits/*", async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), diff } })
    })
    await page.goto(`${service.url}/workspaces/${workspace}/commits/${commit}`)
    await page.getByText("Show all 2,001 lines").click()
    await page.locator(".diff .added").nth(2_000).waitFor()
    quiet(reader)
    await reader.close()
  })
})
