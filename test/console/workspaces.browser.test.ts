import { exec } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"
import { ownerKey } from "#test/service.ts"
import { bytesIn } from "../../src/console/workspaces/bytes.ts"
import { seriousInBothThemes } from "./axe.ts"
import { whyNot } from "./chromium.ts"
import { clientOf, readAs, startsReading } from "./reading.ts"

describe.skipIf(whyNot() !== undefined)("workspaces in the console", () => {
  const on = startsReading()
  const { open } = on

  it("are listed with what their commits brought, and say where nobody knows it", async () => {
    const { workspaces } = await clientOf(on.service).workspaces.list()
    const { repositoryBytes } = workspaces.find(({ workspaceId }) => workspaceId === on.ids.workspace)!
    assert.isAbove(repositoryBytes!, 0)
    const page = await open("/workspaces")
    const row = page.locator(".workspaces .row", { hasText: "ada" })
    await row.getByText(bytesIn(repositoryBytes!)).waitFor()
    await page.locator(".workspaces .row", { hasText: "grace" }).getByText("0 B").waitFor()
    await page.route("**/api/workspaces?*", async (route) => {
      const response = await route.fetch()
      const answer = (await response.json()) as { workspaces: ReadonlyArray<object> }
      const older = answer.workspaces.map((one) => ({ ...one, repository_bytes: null }))
      await route.fulfill({ response, json: { ...answer, workspaces: older } })
    })
    await page.reload()
    await row.getByText("size unknown").waitFor()
    assert.deepStrictEqual(await seriousInBothThemes(page), [])
  })

  it("say who made the last commit, also where that is nobody any more", async () => {
    const { workspaces } = await clientOf(on.service).workspaces.list()
    const { keyId, email } = workspaces.find(({ workspaceId }) => workspaceId === on.ids.workspace)!.updatedBy!
    const page = await open("/workspaces")
    const by = page.locator(".workspaces .row", { hasText: "ada" }).getByTitle(`key ${keyId}`)
    assert.strictEqual(await by.textContent(), `by ${email}`)
    assert.deepStrictEqual(await seriousInBothThemes(page), [])
    const said: ReadonlyArray<readonly [by: object | undefined, shown: string]> = [
      [{ key_id: keyId, user_id: "u", organization_id: "o", email: "erased" }, "by an erased person"],
      [
        { key_id: "external", user_id: "external", organization_id: "external", email: "external" },
        "by somebody in another organization"
      ],
      [{ key_id: null, user_id: null, organization_id: null, email: null }, "by the service"],
      [undefined, ""]
    ]
    let next: object | undefined
    await page.route("**/api/workspaces?*", async (route) => {
      const response = await route.fetch()
      const answer = (await response.json()) as { workspaces: ReadonlyArray<object> }
      const others = answer.workspaces.map((one) => ({ ...one, updated_by: next }))
      await route.fulfill({ response, json: { ...answer, workspaces: others } })
    })
    for (const [actor, shown] of said) {
      next = actor
      await page.reload()
      const row = page.locator(".workspaces .row", { hasText: "ada" })
      await row.getByText("with history").waitFor()
      assert.strictEqual(await row.locator(".by").textContent(), shown)
    }
  })

  it("are listed so on a screen that is 380 pixels wide, too", async () => {
    on.reader = await on.browser.open({ viewport: { width: 380, height: 700 } })
    const { page } = on.reader
    await readAs(on.reader, on.service, "/workspaces")
    await page.getByText("with history").first().waitFor()
    await page.getByText("by owner@cairn.local").first().waitFor()
    assert.deepStrictEqual(await seriousInBothThemes(page), [])
    assert.isAtMost((await page.evaluate("document.documentElement.scrollWidth")) as number, 380)
  })

  it("are known by their ids, however many have changed since", async () => {
    const page = await open("/workspaces")
    await page.route("**/api/workspaces?*", (route) => route.fulfill({ json: { workspaces: [], next_cursor: null } }))
    await page.goto(`${on.service.url}/workspaces/${on.ids.workspace}`)
    await page.getByRole("heading", { name: "ada in acme" }).waitFor()
    await page.getByRole("link", { name: "Chat here" }).waitFor()
  })

  it("change as they do: the list, and the history of the one that changed", async () => {
    const cairn = clientOf(on.service)
    const page = await open("/workspaces")
    await page.locator(".workspaces .row", { hasText: "ada" }).waitFor()
    const listens = page.waitForResponse("**/api/events/stream*")
    await page.reload()
    await listens
    const { workspaceId } = await cairn.workspaces.open({ org: "acme", user: "newcomer" })
    const row = page.locator(".workspaces .row", { hasText: "newcomer" })
    await row.getByText("0 files").waitFor()
    await row.click()
    await page.locator(".commits .row").first().waitFor()
    await cairn.workspaces.putFile(workspaceId, "a.txt", "a\n")
    await page.locator(".commits .row", { hasText: "Put a.txt" }).waitFor()
    // what happens elsewhere is no reason to ask again
    const asked: Array<string> = []
    page.on("request", (request) => void asked.push(request.url()))
    await cairn.workspaces.putFile(on.ids.workspace, "elsewhere.txt", "e\n")
    await cairn.workspaces.putFile(workspaceId, "b.txt", "b\n")
    await page.locator(".commits .row", { hasText: "Put b.txt" }).waitFor()
    assert.strictEqual(asked.filter((url) => url.includes("/commits?")).length, 1)
    await cairn.workspaces.delete(workspaceId)
  })

  it("show what was renamed as that, alike or edited, and binary files by their names", async () => {
    const cairn = clientOf(on.service)
    const { workspaceId } = await cairn.workspaces.open({ org: "acme", user: "renames" })
    const lines = Array.from({ length: 12 }, (_, n) => `line ${n}`)
    const text = (of: ReadonlyArray<string>) => `${of.join("\n")}\n`
    const put = (path: string, content: string) => cairn.workspaces.putFile(workspaceId, path, content)
    await put("docs/edited.txt", text(lines))
    await put("docs/alike.txt", text(lines.toReversed()))
    const { commit: base } = await put("icon.bin", "\0\0icon")
    for (const path of ["docs/edited.txt", "docs/alike.txt", "icon.bin"])
      await cairn.workspaces.deleteFile(workspaceId, path)
    await put("edited.md", text(lines.with(5, "another line")))
    await put("alike.md", text(lines.toReversed()))
    await put("pictures/icon.bin", "\0\0icon")
    const page = await open(`/workspaces/${workspaceId}/compare?base=${base}`)
    const files = page.locator("details.file")
    await files.nth(2).waitFor()
    const told = (await files.locator("summary").allInnerTexts()).map((one) => one.replace(/\s+/g, " ").trim())
    assert.deepStrictEqual(told, [
      "renamed docs/alike.txt → alike.md +0 −0",
      "renamed docs/edited.txt → edited.md +1 −1",
      "renamed icon.bin → pictures/icon.bin +0 −0"
    ])
    await files.nth(0).getByText("Only the name changed.").waitFor()
    assert.strictEqual(await files.nth(1).locator(".removed code").textContent(), "line 5")
    assert.strictEqual(await files.nth(1).locator(".added code").textContent(), "another line")
    // three lines on each side of what changed
    assert.strictEqual(await files.nth(1).locator(".unified tbody tr").count(), 8)
    assert.deepStrictEqual(await seriousInBothThemes(page), [])
    await page.getByRole("button", { name: "Split" }).click()
    await files.nth(1).locator(".split tbody tr").nth(6).waitFor()
    assert.strictEqual(await files.nth(1).locator(".split tbody tr").count(), 7)
    // the history counts by names of contents: one that was edited, too, is another one
    await cairn.workspaces.restore(workspaceId, base)
    await page.getByRole("link", { name: "History" }).click()
    await page.locator(".commits .row").first().getByText("1 created, 2 renamed, 1 deleted").waitFor()
    await cairn.workspaces.delete(workspaceId)
  })

  it("have any two commits compared: earlier ones are offered, and one can be named", async () => {
    const cairn = clientOf(on.service)
    const { workspaceId } = await cairn.workspaces.open({ org: "acme", user: "compared" })
    const put = async (path: string) => (await cairn.workspaces.putFile(workspaceId, path, `${path}\n`)).commit
    const [one, two, three] = [await put("one"), await put("two"), await put("three")]
    const page = await open("/workspaces")
    await page.route("**/commits?*", async (route) => {
      const url = new URL(route.request().url())
      url.searchParams.set("limit", "2")
      await route.fulfill({ response: await route.fetch({ url: url.href }) })
    })
    await page.goto(`${on.service.url}/workspaces/${workspaceId}/compare`)
    const from = page.getByRole("combobox", { name: "From" })
    const to = page.getByRole("combobox", { name: "to" })
    const offered = () =>
      from.locator("option").evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value))
    await page.waitForFunction((sha) => document.querySelector(`option[value="${sha}"]`), two)
    assert.deepStrictEqual(await offered(), ["", three, two, "another"])
    await page.getByRole("button", { name: "Show earlier" }).click()
    await page.waitForFunction((sha) => document.querySelector(`option[value="${sha}"]`), one)
    await from.selectOption(one)
    const paths = () => page.locator("details.file summary .path").allTextContents()
    await page.locator("details.file").nth(1).waitFor()
    assert.deepStrictEqual(await paths(), ["three", "two"])
    await to.selectOption("another commit…")
    const named = page.getByRole("textbox", { name: "to the commit" })
    await named.fill("the second")
    await named.press("Enter")
    assert.notInclude(page.url(), "at=")
    await named.fill(` ${two.toUpperCase()} `)
    await named.press("Enter")
    await page.waitForURL(`**base=${one}&at=${two}`)
    await page.locator("details.file").nth(1).waitFor({ state: "detached" })
    await page.locator("details.file").waitFor()
    assert.deepStrictEqual(await paths(), ["two"])
    assert.deepStrictEqual(await seriousInBothThemes(page), [])
    // what is being typed stays as it is when something else comes
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
    await page.route("**/compare?*", async (route) => {
      await held
      await route.continue()
    })
    await from.selectOption(two)
    await page.waitForURL(`**base=${two}&at=${two}`)
    await named.fill("abc")
    letGo()
    await page.getByText("No files changed.").waitFor()
    assert.strictEqual(await named.inputValue(), "abc")
    await cairn.workspaces.delete(workspaceId)
  })

  it("have only their own commits compared, whatever an address says", async () => {
    const cairn = clientOf(on.service)
    const { workspaceId } = await cairn.workspaces.open({ org: "acme", user: "empty" })
    const another = await cairn.workspaces.open({ org: "acme", user: "another" })
    const { commit: foreign } = await cairn.workspaces.putFile(another.workspaceId, "theirs", "a secret\n")
    const page = await open("/workspaces")
    const failed = page.locator(".failed")
    for (const base of [
      foreign,
      "another",
      "\u202e<img src=x onerror=alert(1)>",
      "../../../etc/passwd",
      "0".repeat(40)
    ]) {
      await page.goto(`${on.service.url}/workspaces/${workspaceId}/compare?base=${encodeURIComponent(base)}`)
      await failed.waitFor()
      assert.strictEqual(await page.locator("details.file").count(), 0)
      assert.notInclude((await page.locator("form.filters").textContent())!, "\u202e")
      assert.strictEqual(await page.locator("form.filters img").count(), 0)
    }
    // with its first one alone, that is compared with itself
    const from = page.getByRole("combobox", { name: "From" })
    await page.goto(`${on.service.url}/workspaces/${workspaceId}/compare`)
    const [first] = (await cairn.workspaces.commits(workspaceId)).commits
    await page.waitForFunction((sha) => document.querySelector(`option[value="${sha}"]`), first!.sha)
    assert.strictEqual(await from.locator("option").count(), 3)
    assert.strictEqual(await page.getByRole("button", { name: "Show earlier" }).count(), 0)
    await from.selectOption(first!.sha)
    await page.getByText("No files changed.").waitFor()
    for (const id of [workspaceId, another.workspaceId]) await cairn.workspaces.delete(id)
  })

  it("are cloned by the command that is copied, which has no key in it", async () => {
    const page = await open(`/workspaces/${on.ids.workspace}`)
    await on.reader.context.grantPermissions(["clipboard-read", "clipboard-write"])
    await page.getByRole("button", { name: "Copy clone command" }).click()
    await page.getByRole("button", { name: "Copied" }).waitFor()
    const command = await page.evaluate(() => navigator.clipboard.readText())
    assert.notInclude(command, ownerKey)
    const folder = mkdtempSync(join(tmpdir(), "cairn-clone-"))
    try {
      await promisify(exec)(command, { cwd: folder, env: { ...process.env, CAIRN_API_KEY: ownerKey } })
      assert.match(readFileSync(join(folder, "workspace/weather/rain.py"), "utf8"), /wettest/)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it("have no file under another one's name, however long its own content takes", async () => {
    const page = await open(`/workspaces/${on.ids.workspace}/files?path=README.md`)
    const shown = page.locator(".file-view")
    await shown.getByText("Rain by day, out of").waitFor()
    const held = Promise.withResolvers<void>()
    await page.route("**/files/weather/rain.py*", async (route) => {
      await held.promise
      await route.continue()
    })
    await page.getByRole("link", { name: /^README/ }).waitFor()
    await Promise.all([
      page.waitForRequest("**/files/weather/rain.py*"),
      page.getByRole("link", { name: /^rain\.py/ }).click()
    ])
    assert.strictEqual(await shown.count(), 0)
    held.resolve()
    await shown.getByText("def wettest").waitFor()
    // nor a difference under the names of other commits
    const { commits } = await clientOf(on.service).workspaces.commits(on.ids.workspace)
    const [last, , first] = commits.map(({ sha }) => sha)
    await page.goto(`${on.service.url}/workspaces/${on.ids.workspace}/compare?base=${first}`)
    await page.locator("details.file").first().waitFor()
    const late = Promise.withResolvers<void>()
    await page.route("**/compare?*", async (route) => {
      await late.promise
      await route.continue()
    })
    await Promise.all([
      page.waitForRequest("**/compare?*"),
      page.getByRole("combobox", { name: "From" }).selectOption(last!)
    ])
    assert.strictEqual(await page.locator("details.file").count(), 0)
    late.resolve()
    await page.getByText("No files changed.").waitFor()
  })

  it("have long files, loaded when they are downloaded, and say which text is not UTF-8", async () => {
    const cairn = clientOf(on.service)
    const { workspaceId } = await cairn.workspaces.open({ org: "acme", user: "long" })
    const text = "a line of a log\n".repeat(200_000)
    await cairn.workspaces.putFile(workspaceId, "long.log", text)
    const page = await open("/workspaces")
    const asked: Array<string> = []
    page.on("request", (request) => request.url().includes("/files/") && asked.push(request.url()))
    await page.route("**/files/latin.txt*", (route) =>
      route.fulfill({ body: Buffer.from("caf\u00e9\n", "latin1"), contentType: "application/octet-stream" })
    )
    await page.goto(`${on.service.url}/workspaces/${workspaceId}/files?path=long.log`)
    await page.getByText("This file is too long to show.").waitFor()
    await page.getByText(/^Last changed/).waitFor()
    assert.lengthOf(asked, 0)
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download" }).click()
    ])
    assert.strictEqual(download.suggestedFilename(), "long.log")
    assert.strictEqual(readFileSync(await download.path(), "utf8"), text)
    await cairn.workspaces.putFile(workspaceId, "latin.txt", "later\n")
    await page.goto(`${on.service.url}/workspaces/${workspaceId}/files?path=latin.txt`)
    await page.getByText("not UTF-8").waitFor()
    await page.getByRole("link", { name: "Download" }).waitFor()
    await cairn.workspaces.delete(workspaceId)
  })

  it("have files that are seen raw, as a text whatever they are, and are said to have none", async () => {
    const cairn = clientOf(on.service)
    const { workspaceId } = await cairn.workspaces.open({ org: "acme", user: "raw" })
    const page = await open(`/workspaces/${workspaceId}/files`)
    await page.getByText("The workspace has none at this commit.").waitFor()
    const content = "<h1>no page</h1><script>document.title = 'ran'</script>\n"
    await cairn.workspaces.putFile(workspaceId, "page.html", content)
    await page.goto(`${on.service.url}/workspaces/${workspaceId}/files?path=page.html`)
    const [raw] = await Promise.all([
      on.reader.context.waitForEvent("page"),
      page.getByRole("link", { name: "Raw" }).click()
    ])
    await raw.waitForLoadState()
    assert.strictEqual(await raw.locator("body").textContent(), content)
    assert.strictEqual(await raw.locator("h1").count(), 0)
    assert.notInclude(raw.url(), ownerKey)
    await cairn.workspaces.delete(workspaceId)
  })
})
