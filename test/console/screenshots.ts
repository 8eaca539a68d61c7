import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Cairn } from "../../clients/typescript/src/index.ts"
import { serve } from "../../src/cli/demo/programs.ts"
import { startBrowser, whyNot } from "./chromium.ts"
import { fill } from "./filled.ts"
import { smaller } from "./smaller.ts"

/**
 * Pictures of the console's pages for docs/console, of a service of its own with some work in it: wide and light,
 * narrow and dark. With an address and a key it takes those of a service that runs and was filled before.
 */
const folder = join(import.meta.dirname, "../../docs/console")
const [address, given] = process.argv.slice(2)

if (whyNot() !== undefined) {
  console.error(whyNot())
  process.exit(1)
}
const data = mkdtempSync(join(tmpdir(), "cairn-screenshots-"))
const running = address === undefined ? await serve(data, { CAIRN_RATE_LIMITS: "off" }) : undefined
const [url, key] = running === undefined ? [address!, given!] : [running.url, running.key]
const browser = await startBrowser()
try {
  const cairn = new Cairn({ apiKey: key, baseUrl: url })
  const ids = await fill(cairn)
  const { commits } = await cairn.workspaces.commits(ids.workspace)
  const modified = commits.find(({ changes }) => changes.some(({ status }) => status === "modified"))!
  const { runs } = await cairn.runs.list(ids.workspace)
  const { codeBlockId: shared } = await cairn.snippets.create({
    name: "moving_average",
    description: "The mean of each window of so many values, one behind the other, in one pass.",
    source:
      "from collections import deque\n\n\ndef moving_average(values, size):\n    window, total = deque(), 0.0\n    for value in values:\n        window.append(value)\n        total += value\n        if len(window) > size:\n            total -= window.popleft()\n        if len(window) == size:\n            yield total / size\n",
    entrypoint: "moving_average",
    language: "python",
    public: true
  })
  await cairn.keys.create({ email: "grace@example.org", keyName: "build server", role: "admin" })
  await cairn.keys.create({ email: "ada@example.org", keyName: "laptop", expiresAt: "2031-01-31T00:00:00Z" })
  await cairn.setBounds({ chatsPerDay: 50, tokensPerMonth: 2_000_000, snippets: 500 })
  const [recorded] = (await cairn.system.newestEvents({ type: "LogsRecorded", limit: 1 })).events
  const { position } = recorded!
  await cairn.system.makeAsOf(position)
  while ((await cairn.system.asOfs()).asOf[0]?.state !== "made");
  const pages = [
    ["overview", "/overview", ".chart"],
    ["start", "/", ".empty"],
    ["search", "/search?q=read+the+rows+of+a+CSV+file", ".found .hl-keyword"],
    ["snippet", `/snippets/${ids.snippet}?task=read+rows`, ".executions li"],
    ["workspaces", "/workspaces", ".workspaces"],
    ["history", `/workspaces/${ids.workspace}`, ".commits"],
    ["commit", `/workspaces/${ids.workspace}/commits/${modified.sha}`, ".diff"],
    ["compare", `/workspaces/${ids.workspace}/compare?base=${modified.sha}`, ".diff"],
    ["files", `/workspaces/${ids.workspace}/files?path=weather%2Frain.py`, ".file-view .hl-keyword"],
    ["chat", "/chat?user=ada&org=acme", "#task"],
    ["events", "/events", ".events .row"],
    ["event", `/events/${recorded!.position}`, ".causes li"],
    ["people", "/people", ".keys .row"],
    ["usage", "/usage", ".usage tbody"],
    ["read-models", "/read-models", ".read-models tbody"],
    ["as-of", `/read-models/as-of/${position}?table=snippets_snippets`, "tbody tr"],
    ["backups", "/backups", "form"],
    ["public", "/public", ".headings li"],
    ["public-snippet", `/public/${shared}`, ".code"],
    ["run", `/runs/${runs[0]!.runId}`, ".turns li:nth-child(3)"],
    ["run-step", `/runs/${runs[0]!.runId}?turn=1`, "section[aria-label='All files'] .tree"]
  ] as const
  mkdirSync(folder, { recursive: true })
  for (const [name, width, colorScheme] of [
    ["wide", 1120, "light"],
    ["narrow", 380, "dark"]
  ] as const) {
    const { page } = await browser.open({ viewport: { width, height: 660 }, colorScheme })
    const take = async (view: string) =>
      writeFileSync(join(folder, `${view}-${name}.png`), smaller(await page.screenshot()))
    await page.goto(url)
    await page.waitForSelector("#key")
    await take("sign-in")
    await page.fill("#key", key)
    await page.check("input[type=checkbox]")
    await page.click("button.primary")
    await page.waitForSelector("header.head")
    for (const [view, path, ready] of pages) {
      await page.goto(url + path)
      await page.waitForSelector(ready)
      // a page that hears what happens is never done loading
      await page.waitForSelector(".waiting, .live.connecting", { state: "detached" })
      await take(view)
    }
  }
} finally {
  await browser.close()
  await running?.stop()
  rmSync(data, { recursive: true, force: true })
}
const bytes = readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
console.log(`docs/console: ${readdirSync(folder).length} pictures, ${Math.round(bytes / 1024)} KiB`)
