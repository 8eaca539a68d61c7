import { assert, describe, it } from "vitest"
import { ownerKey } from "#test/service.ts"
import { seriousOn } from "./axe.ts"
import { whyNot } from "./chromium.ts"
import { clientOf, readAs, startsReading } from "./reading.ts"

describe.skipIf(whyNot() !== undefined)("the console", () => {
  const on = startsReading()
  const { open } = on
  describe("asks for a key", () => {
    it("and says what is wrong with one that is none", async () => {
      on.reader = await on.browser.open()
      const { page } = on.reader
      await page.goto(`${on.service.url}/workspaces`)
      await page.click("button.primary")
      await page.getByText("Paste a key first.").waitFor()
      await page.fill("#key", ownerKey.replace(/.$/, "!"))
      await page.click("button.primary")
      await page.locator("#key-said").getByText(/key/i).waitFor()
      assert.strictEqual(new URL(page.url()).pathname, "/workspaces")
    })

    it("which stands in no address and no cookie, and is forgotten with the page unless its holder wants otherwise", async () => {
      on.reader = await on.browser.open()
      const { page, context } = on.reader
      await page.goto(on.service.url)
      await page.fill("#key", ownerKey)
      await page.keyboard.press("Enter")
      await page.waitForSelector("header.head")
      assert.notInclude(page.url(), "cairn_live")
      assert.deepStrictEqual(await context.cookies(), [])
      assert.notInclude(
        await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])"),
        "cairn_live"
      )
      await page.reload()
      await page.waitForSelector("#key")
    })

    it("and keeps it in the tab where that was asked for, until it is signed out", async () => {
      const page = await open("/workspaces")
      await page.reload()
      await page.waitForSelector(".workspaces")
      await page.getByText("Sign out").click()
      await page.waitForSelector("#key")
      await page.reload()
      await page.waitForSelector("#key")
      assert.strictEqual(await page.evaluate("sessionStorage.length"), 0)
    })

    it("again, when the key is revoked in the middle, and goes on at the same place", async () => {
      const { key, id } = await clientOf(on.service).keys.create({ email: "gone@example.org", keyName: "gone" })
      const page = await open("/search", key)
      await clientOf(on.service).keys.revoke(id)
      await page.fill("input[type=search]", "csv")
      await page.getByText(/no longer valid/).waitFor()
      await page.fill("#key", ownerKey)
      await page.keyboard.press("Enter")
      await page.waitForSelector(".found")
      assert.strictEqual(new URL(page.url()).search, "?q=csv")
    })
  })

  describe("finds snippets", () => {
    it("as they are asked for, with colours and why, at an address that can be loaded again", async () => {
      const page = await open("/")
      await page.locator("input[type=search]:focus").waitFor()
      await page.keyboard.type("read the rows of a CSV file")
      await page.waitForSelector(".found .code .hl-keyword")
      const first = page.locator(".found > li").first()
      assert.strictEqual(await first.locator("h2").textContent(), "csv_rows")
      assert.match((await first.locator(".why").textContent()) ?? "", /Words \d+ %.*Meaning \d+ %/s)
      await page.reload()
      await page.waitForSelector(".found")
      assert.strictEqual(await page.inputValue("input[type=search]"), "read the rows of a CSV file")
    })

    it("also by who types slowly: the box is not left when what stands in it is asked for", async () => {
      const page = await open("/")
      await page.getByText("Find code that has worked").waitFor()
      await page.locator("input[type=search]:focus").waitFor()
      await page.keyboard.type("read")
      await page.waitForURL("**/search?q=read")
      await page.locator(".found > li").first().waitFor()
      await page.keyboard.type(" the rows")
      await page.waitForURL("**/search?q=read+the+rows")
      assert.strictEqual(await page.inputValue("input[type=search]"), "read the rows")
    })

    it("and says which words it took for others", async () => {
      const page = await open("/search?q=retrry+a+request")
      await page.getByText(/Read as similar ones: retrry as /).waitFor()
      assert.isAbove(await page.locator(".found > li").count(), 0)
    })

    it("and says when what was stored last may be missing, also of nothing; and asks again", async () => {
      const page = await open("/")
      const behind = page.getByRole("status").filter({ hasText: "The newest snippets may be missing" })
      await page.route("**/api/retrieve/search", async (route) => {
        const response = await route.fetch()
        await route.fulfill({ response, json: { ...((await response.json()) as object), stale: true } })
      })
      await page.fill("input[type=search]", "read the rows of a CSV file")
      await page.locator(".found > li").first().waitFor()
      await behind.waitFor()
      await page.goto(`${on.service.url}/search?q=csv&kind=repo`)
      await page.getByText("Nothing found").waitFor()
      await behind.waitFor()
      assert.deepStrictEqual(await seriousOn(page), [])
      await page.unroute("**/api/retrieve/search")
      await behind.getByRole("button", { name: "Search again" }).click()
      await behind.waitFor({ state: "detached" })
      await page.getByText("Nothing found").waitFor()
    })

    it("narrowed by language, kind and votes", async () => {
      const page = await open("/search?q=csv+json")
      await page.getByRole("navigation", { name: "Languages" }).getByText("go").click()
      await page.locator(".found > li").nth(1).waitFor({ state: "detached" })
      assert.strictEqual(await page.locator(".found > li").count(), 1)
      assert.include(page.url(), "language=go")
      await page.selectOption("select >> nth=0", "repo")
      await page.getByText("Nothing found").waitFor()
      assert.include(page.url(), "kind=repo")
    })

    it("and takes a vote, once", async () => {
      const page = await open("/search?q=retry+a+request")
      const card = page.locator(".found > li", { hasText: "retry" }).first()
      await card.getByRole("button", { name: /did not help/ }).click()
      await card.getByText("Voted against it").waitFor()
      assert.strictEqual(await card.getByRole("button", { name: /^retry helped/ }).isDisabled(), true)
      const [match] = (await clientOf(on.service).search({ task: "retry a request with growing pauses" })).matches
      assert.strictEqual(match!.thumbsDown, 1)
    })

    it("and says when the service does not answer, and asks again", async () => {
      const page = await open("/search")
      await page.route("**/api/retrieve/search", (route) =>
        route.fulfill({ status: 500, json: { message: "Broken.", code: "internal/error" } })
      )
      await page.fill("input[type=search]", "csv")
      await page.getByText("That did not work").waitFor()
      await page.unroute("**/api/retrieve/search")
      await page.getByText("Try again").click()
      await page.waitForSelector(".found")
    })

    it("opens one, with its tasks, logs and runs, and back again", async () => {
      const page = await open("/search?q=read+the+rows+of+a+CSV+file")
      await page.locator(".found h2 a").first().click()
      await page.waitForSelector(".sheet")
      assert.strictEqual(await page.locator("h1").textContent(), "csv_rows")
      assert.include(await page.locator("aside").textContent(), "parse a CSV file into rows")
      await page.locator(".executions summary", { hasText: "errored" }).click()
      await page.getByText("No such file: june.csv").first().waitFor()
      assert.strictEqual(await page.title(), "csv_rows · Cairn")
      await page.goBack()
      await page.waitForSelector(".found")
    })

    it("tells who voted on one, when and for what, and all that happened to it; to who may read the log", async ({
      task: { result }
    }) => {
      const cairn = clientOf(on.service)
      const [match] = (await cairn.search({ task: "read the rows of a CSV file" })).matches
      const id = match!.codeBlock.id
      // a second try finds the first one's vote, and a first one none
      const earlier = match!.thumbsDown
      assert.isAtMost(earlier, result?.retryCount ?? 0)
      const task = `tell <b>markup</b> from text, ${earlier + 1}`
      await cairn.snippets.vote({ codeBlockId: id, task, succeeded: false })
      const page = await open(`/snippets/${id}`)
      const votes = page.getByRole("region", { name: "Votes" })
      await votes.getByText(task).waitFor()
      const against = votes.getByRole("row", { name: task })
      assert.match((await against.textContent()) ?? "", /^−1a person/)
      await against
        .locator("td")
        .nth(2)
        .getByText(/^owner@/)
        .waitFor()
      assert.match(
        (await page.getByRole("img", { name: /^Votes: / }).getAttribute("aria-label")) ?? "",
        new RegExp(`^Votes: [3-9] for it, ${earlier + 1} against it`)
      )
      await page.getByText("No model was asked to grade this snippet.").waitFor()
      const happened = page.getByRole("group", { name: "Events of the snippet, newest first" })
      await happened.getByText("A vote against a snippet").nth(earlier).waitFor()
      // what is still on its way above would move the link while it is pressed
      await page.locator(".waiting").first().waitFor({ state: "detached" })
      await page.getByText("All events in the log").click()
      await page.getByText(`Stream snippet-${id}`).waitFor()
      await page.goBack()
      await against.getByRole("link").click()
      await page.getByRole("heading", { name: "A vote against a snippet" }).waitFor()
      // a member is not told who voted
      await on.reader.close()
      const theirs = await open(`/snippets/${id}`, await on.keyFor("member"))
      await theirs.locator(".executions li").first().waitFor()
      assert.strictEqual(await theirs.getByRole("heading", { name: "Votes over time" }).count(), 0)
    })

    it("tells what one was found for and what is known of its functions; what others ask for not to everybody", async () => {
      const cairn = clientOf(on.service)
      const task = "a table <i>with</i> its columns"
      const stored = await cairn.upload({
        task,
        fileWritten: { path: "columns_of.py", content: "def columns_of(table):\n    return list(table)\n" },
        succeeded: true,
        perFunctionReputation: true
      })
      assert.isTrue(stored.success)
      const [match] = (await cairn.search({ task })).matches
      const id = match!.codeBlock.id
      await cairn.snippets.comment(id, "Columns come in their order.")
      const page = await open(`/snippets/${id}`)
      const searches = page.getByRole("region", { name: "Tasks it was found for" })
      await searches.getByText(task).waitFor()
      await page.getByRole("region", { name: "Functions" }).getByText("columns_of(table)").waitFor()
      await page.getByRole("region", { name: "Input" }).getByText('"table"').first().waitFor()
      await page.locator(".comments li", { hasText: "Columns come" }).getByText("owner@cairn.local").waitFor()
      await searches.getByRole("row", { name: /table/ }).getByRole("link").click()
      await page.getByRole("heading", { name: "A search was answered" }).waitFor()
      await page.goBack()
      await page.route("**/retrievals", (route) =>
        route.fulfill({ status: 500, json: { message: "Broken.", code: "internal/error" } })
      )
      await page.reload()
      await page.locator(".found-for").getByText("That did not work").waitFor()
      await page.unroute("**/retrievals")
      await page.locator(".found-for").getByText("Try again").click()
      await searches.getByText(task).waitFor()
      await page.goto(`${on.service.url}/snippets/${on.ids.snippet}`)
      await page.getByText("No functions are tracked").waitFor()
      await on.reader.close()
      const theirs = await open(`/snippets/${id}`, await on.keyFor("member"))
      await theirs.getByRole("region", { name: "Functions" }).waitFor()
      assert.strictEqual(await theirs.getByRole("heading", { name: "Tasks it was found for" }).count(), 0)
    })

    it("deletes one, after it has said what goes", async () => {
      const { codeBlockId } = await clientOf(on.service).snippets.create({
        name: "doomed",
        source: "x = 1\n",
        entrypoint: "doomed",
        language: "python"
      })
      const page = await open(`/snippets/${codeBlockId}`)
      await page.getByText("Delete…").click()
      await page.getByText("erased for good").waitFor()
      await page.getByText("Cancel", { exact: true }).click()
      await page.getByText("Delete…").click()
      await page.getByText("Delete snippet").click()
      await page.waitForURL("**/search")
      await page.goto(`${on.service.url}/snippets/${codeBlockId}`)
      await page.getByText("There is nothing here").waitFor()
    })
  })

  it("leaves a page at its top whose reader went back and at once on to it", async () => {
    on.reader = await on.browser.open({ viewport: { width: 700, height: 300 } })
    await readAs(on.reader, on.service, "/events")
    const { page } = on.reader
    await page.locator(".events .row").nth(5).waitFor()
    await page.evaluate(() => window.scrollTo(0, 250))
    const menu = page.getByRole("navigation", { name: "Console" })
    await menu.getByRole("link", { name: "Search" }).evaluate((link) => (link as HTMLElement).click())
    await page.getByText("Find code that has worked").waitFor()
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    await page.evaluate(() => window.history.back())
    await page.waitForURL("**/events")
    await menu.getByRole("link", { name: "Usage" }).evaluate((link) => (link as HTMLElement).click())
    await page.waitForURL("**/usage")
    await page.clock.runFor(100)
    await page.locator(".figures").waitFor()
    assert.isAbove((await page.evaluate("document.documentElement.scrollHeight")) as number, 600)
    await page.clock.runFor(1_000)
    assert.strictEqual(await page.evaluate("window.scrollY"), 0)
  })

  describe("shows workspaces", () => {
    it("by their last change, with their history by day", async () => {
      const page = await open("/workspaces")
      await page.locator(".row", { hasText: "ada" }).click()
      await page.waitForSelector(".commits .row")
      assert.strictEqual(await page.locator(".commits .row").count(), 7)
      assert.strictEqual(await page.locator("h1").textContent(), "ada in acme")
    })

    it("and what a commit changed, on one side and on two", async () => {
      const page = await open(`/workspaces/${on.ids.workspace}`)
      await page.locator(".commits .row", { hasText: "1 modified" }).click()
      await page.waitForSelector(".diff .unified")
      assert.strictEqual(await page.locator(".diff .added").count(), 7)
      assert.strictEqual(await page.locator(".diff .removed").count(), 2)
      await page.getByText("Split").click()
      await page.waitForSelector(".diff .split")
      await page.getByText("Unified").click()
      await page.goBack()
      await page.locator(".commits .row", { hasText: "icon.png" }).click()
      await page.getByText("Binary file").waitFor()
    })

    it("and files as a tree, at the last commit and at an earlier one", async () => {
      const page = await open(`/workspaces/${on.ids.workspace}/files`)
      await page.getByRole("navigation", { name: "Files" }).getByText("rain.py").click()
      await page.waitForSelector(".file-view .hl-keyword")
      assert.include(await page.locator(".code").textContent(), "wettest")
      const [download] = await Promise.all([page.waitForEvent("download"), page.getByText("Download").click()])
      assert.strictEqual(download.suggestedFilename(), "rain.py")
      const { commits } = await clientOf(on.service).workspaces.commits(on.ids.workspace)
      const first = commits.find(({ message }) => message.startsWith("Put README.md"))!
      await page.goto(`${on.service.url}/workspaces/${on.ids.workspace}/files?at=${first.sha}`)
      await page.getByText("One file, 52 B.").waitFor()
      await page.goto(`${on.service.url}/workspaces/${on.ids.workspace}/files?path=no.txt`)
      await page.getByText("There is nothing here").waitFor()
    })

    it("and brings files back, after a look at what that changes", async () => {
      const { workspaceId } = await clientOf(on.service).workspaces.open({ org: "acme", user: "restored" })
      const { commit } = await clientOf(on.service).workspaces.putFile(workspaceId, "a.txt", "one\n")
      await clientOf(on.service).workspaces.putFile(workspaceId, "a.txt", "two\n")
      const { commit: both } = await clientOf(on.service).workspaces.putFile(workspaceId, "b.txt", "new\n")
      const page = await open(`/workspaces/${workspaceId}/commits/${commit}`)
      await page.getByText("Restore…").click()
      await page.waitForSelector("dialog[open] .changes li")
      assert.deepStrictEqual(
        (await page.locator("dialog[open] .changes li").allInnerTexts()).map((text) => text.replace(/\s+/g, " ")),
        ["modified a.txt", "deleted b.txt"]
      )
      await page.getByRole("button", { name: "Restore", exact: true }).click()
      await page.waitForURL((url) => !url.pathname.endsWith(commit))
      const { files } = await clientOf(on.service).workspaces.tree(workspaceId)
      assert.deepStrictEqual(
        files.map(({ path }) => path),
        ["a.txt"]
      )
      // two commits beside each other, whichever came first
      const statuses = () => page.locator(".files-changed .status").allTextContents()
      await page.goto(`${on.service.url}/workspaces/${workspaceId}/compare`)
      await page.getByRole("combobox", { name: "From" }).selectOption(both)
      await page.waitForSelector(".files-changed")
      assert.deepStrictEqual(await statuses(), ["modified", "deleted"])
      await page.getByRole("combobox", { name: "to" }).selectOption(commit)
      await page.waitForURL("**at=**")
      await page.getByRole("combobox", { name: "From" }).selectOption(commit)
      await page.getByText("No files changed.").waitFor()
      await page.reload()
      await page.getByText("No files changed.").waitFor()
      // of a file, who changed it last
      await page.getByRole("link", { name: "Files", exact: true }).click()
      await page.getByRole("link", { name: /^a\.txt/ }).click()
      await page.getByText(/^Last changed .* by restored: Restore/).waitFor()
      await page.goto(`${on.service.url}/workspaces/${workspaceId}/files?path=a.txt&at=${both}`)
      await page.getByText(/^Last changed .* by restored: Put a\.txt/).waitFor()
      // and all of it gone
      await page.getByRole("link", { name: "History" }).click()
      await page.getByRole("button", { name: "Erase…" }).click()
      await page.locator("dialog[open]").getByText("erased for good").waitFor()
      await page.getByRole("button", { name: "Erase workspace" }).click()
      await page.waitForURL("**/workspaces")
      await page.locator(".workspaces .row").first().waitFor()
      assert.strictEqual(await page.locator(".workspaces .row", { hasText: "restored" }).count(), 0)
    })

    it("and are where they were when their reader comes back, however long that takes", async () => {
      const page = await open("/events")
      await page.clock.install()
      await page.reload()
      await page.locator(".events .row").nth(20).waitFor()
      await page.setViewportSize({ width: 900, height: 300 })
      await page.evaluate(() => scrollTo(0, 400))
      await page.waitForFunction(() => scrollY === 400)
      // without the focus, which would move the page
      await page.getByRole("link", { name: "People" }).dispatchEvent("click")
      await page.locator(".keys .row").first().waitFor()
      const held = Promise.withResolvers<void>()
      await page.route("**/api/events/newest*limit=100*", async (route) => {
        await held.promise
        await route.continue()
      })
      await page.goBack()
      await page.locator("main .waiting").first().waitFor()
      // later than a page that is there at once
      await page.clock.runFor(1_000)
      held.resolve()
      await page.locator(".events .row").nth(20).waitFor()
      await page.waitForFunction(() => scrollY === 400)
    })

    it("and what is not there", async () => {
      const page = await open("/workspaces/00000000-0000-4000-8000-000000000000")
      await page.getByText("There is nothing here").waitFor()
      await page.goto(`${on.service.url}/workspaces/${on.ids.workspace}/commits/${"0".repeat(40)}`)
      await page.getByText("There is nothing here").waitFor()
    })
  })
})
