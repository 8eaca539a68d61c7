import { assert, describe, it, vi } from "vitest"
import { organization } from "#test/service/tenants.ts"
import { ownerKey } from "#test/service.ts"
import { Cairn } from "../../clients/typescript/src/index.ts"
import { seriousInBothThemes } from "./axe.ts"
import { whyNot } from "./chromium.ts"
import { clientOf, readAs, startsReading } from "./reading.ts"

describe.skipIf(whyNot() !== undefined)("what a search of the console finds", () => {
  const on = startsReading({ filled: false })

  const create = async (cairn: Cairn, name: string, more: object = {}) =>
    (
      await cairn.snippets.create({
        name,
        source: `def ${name}(path):\n    return open(path).read()\n`,
        entrypoint: name,
        language: "python",
        description: `Weighs the otters of ${name}.`,
        ...more
      })
    ).codeBlockId

  const names = () => on.reader.page.locator(".found h2").allTextContents()
  /** Waits until these are found, in whichever order. */
  const finds = async (...wanted: ReadonlyArray<string>) => {
    const { page } = on.reader
    await page.locator(".found > li").nth(wanted.length).waitFor({ state: "detached" })
    for (const name of wanted) await page.locator(".found h2").getByText(name, { exact: true }).waitFor()
    assert.sameMembers([...(await names())], [...wanted])
  }

  it("is narrowed by votes, by agent, by customer, and by whose it is, at addresses that can be loaded again", async () => {
    const cairn = clientOf(on.service)
    const task = "weigh the otters"
    const liked = await create(cairn, "liked")
    await create(cairn, "unknown")
    const disliked = await create(cairn, "disliked")
    await create(cairn.withOptions({ agentId: "mole" }), "by_mole")
    await create(cairn.withOptions({ workspaceId: "customer-1" }), "of_customer")
    const strangers = await organization(on.service, "PRO")
    await create(new Cairn({ apiKey: strangers.key, baseUrl: on.service.url }), "of_strangers", { public: true })
    await cairn.snippets.vote({ codeBlockId: liked, task, succeeded: true })
    for (let n = 0; n < 4; n++)
      await cairn.snippets.vote({ codeBlockId: disliked, task: `${task} ${n}`, succeeded: false })

    const page = await on.open("/search?q=weigh+the+otters")
    await finds("liked", "unknown", "by_mole")
    await page.getByLabel("Votes").selectOption("any")
    await finds("liked", "unknown", "by_mole", "disliked")
    await page.getByLabel("Votes").selectOption("for")
    await finds("liked")
    await page.reload()
    await finds("liked")
    await page.getByLabel("Votes").selectOption("fair")
    await finds("liked", "unknown", "by_mole")
    await page.getByLabel("Public snippets of others").check()
    await finds("liked", "unknown", "by_mole", "of_strangers")
    await page.getByLabel("Public snippets of others").uncheck()
    await page.getByRole("button", { name: "More…" }).click()
    await page.getByRole("textbox", { name: "Agent" }).fill("badger")
    await page.keyboard.press("Enter")
    await page.waitForURL("**agent=badger**")
    await finds("liked", "unknown")
    await page.getByRole("textbox", { name: "Agent" }).fill("mole")
    await page.keyboard.press("Enter")
    await finds("liked", "unknown", "by_mole")
    // what is typed into the next field stays when an answer comes
    const held = Promise.withResolvers<void>()
    await page.route("**/api/retrieve/search", async (route) => {
      await held.promise
      await route.continue()
    })
    await page.getByRole("textbox", { name: "Agent" }).fill("")
    await page.getByRole("textbox", { name: "Customer" }).fill("customer-1")
    await page.locator("[aria-busy=true]").waitFor()
    held.resolve()
    await page.locator("[aria-busy=false]").waitFor()
    await page.unroute("**/api/retrieve/search")
    assert.strictEqual(await page.getByRole("textbox", { name: "Customer" }).inputValue(), "customer-1")
    await page.getByRole("textbox", { name: "Customer" }).press("Enter")
    await finds("liked", "unknown", "by_mole", "of_customer")
    await page.reload()
    await finds("liked", "unknown", "by_mole", "of_customer")
    assert.strictEqual(await page.getByRole("textbox", { name: "Customer" }).inputValue(), "customer-1")
  })

  it("is told with all of the service's reasons: words and where they stand, nearness, votes, completeness", async () => {
    const cairn = clientOf(on.service)
    const id = await create(cairn, "badger_counts", { description: "Counts badgers by their burrows." })
    for (const near of ["count the badgers of a county", "count badgers by burrow"])
      await cairn.snippets.vote({ codeBlockId: id, task: near, succeeded: true })
    const task = "count badgers in each burrow"
    const page = await on.open(`/search?q=${encodeURIComponent(task)}`)
    const why = page
      .locator(".found > li", { hasText: "badger_counts" })
      .getByRole("list", { name: "Why it was found" })
    await why.getByText("Votes +2 −0").waitFor()
    const { matches } = await cairn.search({ task, explain: true })
    const match = matches.find(({ codeBlock }) => codeBlock.id === id)!
    const of = match.explanation!
    const told = (await why.textContent())!
    const percent = (share: number) => `${Math.round(share * 100)} %`
    assert.include(told, `Words ${percent(of.wordShare)}`)
    assert.include(told, `Meaning ${percent(of.cosine)}`)
    assert.include(told, `Completeness ${percent(of.completeness.value)}`)
    assert.isAbove(of.words.length, 1)
    const best = of.words[0]!
    const places = of.words.filter(({ word }) => word === best.word).map(({ place }) => place)
    assert.strictEqual(await why.locator(".chip").first().textContent(), `${best.word}${places.join(", ")}`)
    assert.isAbove(of.verdict.effect, 0.005)
    assert.match(told, /Votes \+2 −0 raised it/)
    assert.isAbove(of.learned!.effect, 0.005)
    assert.match(told, /\+\d −0 for tasks near this one: count .* raised it/)
    assert.deepStrictEqual(await seriousInBothThemes(page), [])
  })

  it("gets a vote for each task, which is counted once", async () => {
    const cairn = clientOf(on.service)
    const id = await create(cairn, "vole_digs", { description: "Digs tunnels for voles." })
    const told = async (task: string) =>
      (await cairn.search({ task })).matches.find(({ codeBlock }) => codeBlock.id === id)?.thumbsUp
    const [task, other] = ["dig tunnels for voles", "dig a tunnel as voles do"] as const
    await cairn.snippets.vote({ codeBlockId: id, task: "tunnels", succeeded: true })
    const page = await on.open(`/search?q=${encodeURIComponent(task)}`)
    const card = page.locator(".found > li", { hasText: "vole_digs" })
    const helped = card.getByRole("button", { name: /^vole_digs helped/ })
    /** Waits for an answer of the service with so many votes for it, and gives how many the button has. */
    const shown = async (votes: number) => {
      await card.getByText(`Votes +${votes} −0`).waitFor()
      return (await helped.textContent())?.trim()
    }
    assert.strictEqual(await shown(1), "▲ 1")
    await helped.click()
    await card.getByText("Voted for it").waitFor()
    assert.strictEqual(await shown(1), "▲ 2")
    await vi.waitFor(async () => assert.strictEqual(await told(task), 2), { timeout: 30_000 })
    // another answer for the same task
    await page.getByLabel("Votes").selectOption("any")
    assert.strictEqual(await shown(2), "▲ 2")
    assert.strictEqual(await helped.getAttribute("aria-pressed"), "true")
    await page.fill("input[type=search]", other)
    await page.waitForURL(({ searchParams }) => searchParams.get("q") === other)
    await page.locator("[aria-busy=false]").waitFor()
    assert.strictEqual(await shown(2), "▲ 2")
    assert.strictEqual(await helped.getAttribute("aria-pressed"), "false")
    assert.strictEqual(await card.getByText("Voted for it").count(), 0)
    await card
      .getByRole("button", { name: /^vole_digs did not help/ })
      .and(page.locator(":not([aria-disabled])"))
      .waitFor()
    await helped.click()
    await card.getByText("Voted for it").waitFor()
    assert.strictEqual(await shown(2), "▲ 3")
    await vi.waitFor(async () => assert.strictEqual(await told(other), 3), { timeout: 30_000 })
    await page.getByLabel("Votes").selectOption("fair")
    assert.strictEqual(await shown(3), "▲ 3")
  })

  it("has one vote of its reader for a task, wherever they press", async () => {
    const task = "count the newts of a pond"
    await create(clientOf(on.service), "newts", { description: "Counts the newts of a pond." })
    const page = await on.open(`/search?q=${encodeURIComponent(task)}`)
    const sent: Array<string> = []
    page.on("request", (request) => request.url().endsWith("/api/store/cache-usage") && sent.push(request.url()))
    const helped = page.getByRole("button", { name: /^newts helped/ })
    const isPressed = (is: boolean) => helped.and(page.locator(`[aria-pressed=${is}]`)).waitFor()
    await helped.click()
    await page.getByText("Voted for it").waitFor()
    await page.getByRole("link", { name: "Open newts" }).click()
    await page.waitForURL("**/snippets/*?task=*")
    await helped.waitFor()
    await isPressed(true)
    await helped.click()
    await page.goBack()
    await page.waitForURL("**/search?q=*")
    await isPressed(true)
    assert.lengthOf(sent, 1)
    // whoever signs in next has votes of their own
    await page.getByText("Sign out").click()
    await page.fill("#key", await on.keyFor("member"))
    await page.keyboard.press("Enter")
    await page.getByRole("searchbox").first().fill(task)
    await isPressed(false)
  })

  it("gets a vote once whose answer was lost, also when it is pressed again", async () => {
    const cairn = clientOf(on.service)
    const task = "count the toads of a pond"
    const id = await create(cairn, "toads", { description: "Counts the toads of a pond." })
    const page = await on.open(`/search?q=${encodeURIComponent(task)}`)
    const card = page.locator(".found > li", { hasText: "toads" })
    const asked: Array<string | null> = []
    let isLost = true
    await page.route("**/api/store/cache-usage", async (route) => {
      asked.push(await route.request().headerValue("idempotency-key"))
      const response = await route.fetch()
      if (isLost) return route.fulfill({ status: 502, json: { message: "Lost on the way.", code: "x/y" } })
      return route.fulfill({ response })
    })
    const helped = card.getByRole("button", { name: /^toads helped/ })
    await helped.click()
    await card.getByText("Lost on the way.").waitFor()
    // it may have been counted, so nothing else can be said of it before that is known
    assert.strictEqual(await helped.getAttribute("aria-pressed"), "false")
    const against = card.getByRole("button", { name: /^toads did not help/ })
    assert.strictEqual(await against.getAttribute("aria-disabled"), "true")
    isLost = false
    await helped.click()
    await card.getByText("Voted for it").waitFor()
    assert.isAtLeast(asked.length, 2)
    assert.strictEqual(new Set(asked).size, 1)
    const told = async () => (await cairn.search({ task })).matches.find(({ codeBlock }) => codeBlock.id === id)
    await vi.waitFor(async () => assert.strictEqual((await told())?.thumbsUp, 1), { timeout: 30_000 })
  })

  it("is voted on and opened for the task that it was found for, while the answer for another is on its way", async () => {
    await create(clientOf(on.service), "adder", { description: "Finds the adders of a heath." })
    const page = await on.open("/search?q=adders+of+a+heath")
    const card = page.locator(".found > li", { hasText: "adder" })
    const helped = card.getByRole("button", { name: /^adder helped/ })
    await helped.waitFor()
    const held = Promise.withResolvers<void>()
    await page.route("**/api/retrieve/search", async (route) => {
      await held.promise
      await route.continue()
    })
    await page.fill("input[type=search]", "adders by day")
    await page.waitForURL("**q=adders+by+day**")
    await page.locator("[aria-busy=true]").waitFor()
    const open = card.getByRole("link", { name: "Open adder" })
    assert.match((await open.getAttribute("href"))!, /task=adders\+of\+a\+heath$/)
    const [sent] = await Promise.all([page.waitForRequest("**/api/store/cache-usage"), helped.click()])
    assert.strictEqual((sent.postDataJSON() as { readonly task: string }).task, "adders of a heath")
    held.resolve()
    await page.locator("[aria-busy=false]").waitFor()
    assert.strictEqual(await helped.getAttribute("aria-pressed"), "false")
    assert.match((await open.getAttribute("href"))!, /task=adders\+by\+day$/)
  })

  it("has languages that turn nothing around, and make no page wider, whatever they are called", async () => {
    await create(clientOf(on.service), "otter")
    on.reader = await on.browser.open({ viewport: { width: 360, height: 700 } })
    const { page } = on.reader
    const long = `\u202e${"x".repeat(80)}`
    await page.route("**/api/retrieve/search", async (route) => {
      const response = await route.fetch()
      const answer = (await response.json()) as { matches: ReadonlyArray<{ code_block: object }> }
      const one = answer.matches[0]!
      const matches = [one, { ...one, language: long, code_block: { ...one.code_block, id: "other" } }]
      await route.fulfill({ response, json: { ...answer, matches } })
    })
    await readAs(on.reader, on.service, "/search?q=otter")
    const facets = page.getByRole("navigation", { name: "Languages" })
    await facets.getByText("x".repeat(80)).waitFor()
    assert.notInclude((await facets.textContent())!, "\u202e")
    assert.isAtMost(Number(await page.evaluate("document.documentElement.scrollWidth")), 360)
  })

  it("is narrowed also by what is chosen while the last letters are waited for", async () => {
    await create(clientOf(on.service), "marten")
    const page = await on.open("/search?q=otter")
    await page.locator(".found > li").first().waitFor()
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    await page.fill("input[type=search]", "otters")
    await page.clock.runFor(100)
    assert.include(page.url(), "q=otter")
    assert.notInclude(page.url(), "q=otters")
    await page.getByLabel("Kind").selectOption("file")
    await page.getByLabel("Public snippets of others").check()
    await page.waitForURL("**kind=file**")
    await page.clock.runFor(300)
    await page.waitForURL("**q=otters**")
    const { searchParams } = new URL(page.url())
    assert.deepStrictEqual(Object.fromEntries(searchParams), { q: "otters", kind: "file", public: "true" })
    assert.strictEqual(await page.getByLabel("Kind").inputValue(), "file")
  })

  it("says that it was copied as long after the second time as after the first", async () => {
    const cairn = clientOf(on.service)
    await create(cairn, "shrew", { description: "Tells of a shrew." })
    const page = await on.open("/search?q=tells+of+a+shrew")
    await on.reader.context.grantPermissions(["clipboard-read", "clipboard-write"])
    const copy = page
      .locator(".found > li", { hasText: "shrew" })
      .locator("button", { has: page.locator("[aria-live]") })
    await copy.waitFor()
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    await copy.click()
    await copy.getByText("Copied").waitFor()
    await page.clock.runFor(1_500)
    await page.evaluate(() => navigator.clipboard.writeText("something else"))
    await copy.click()
    await vi.waitFor(async () =>
      assert.include(await page.evaluate(() => navigator.clipboard.readText()), "def shrew(path)")
    )
    await page.clock.runFor(1_000)
    assert.strictEqual((await copy.textContent())?.trim(), "Copied")
    await page.clock.runFor(1_000)
    assert.strictEqual((await copy.textContent())?.trim(), "Copy")
  })

  it("is copied, and opened with the task that it was found for", async () => {
    const cairn = clientOf(on.service)
    const source = 'def weasel():\n    return "\u200bhidden"\n'
    await create(cairn, "weasel", { source, description: "Tells of a weasel." })
    const page = await on.open("/search?q=tells+of+a+weasel")
    await on.reader.context.grantPermissions(["clipboard-read", "clipboard-write"])
    const card = page.locator(".found > li", { hasText: "weasel" })
    await card.getByRole("button", { name: "Copy the source of weasel" }).click()
    await card.getByText("Copied").waitFor()
    assert.strictEqual(await page.evaluate(() => navigator.clipboard.readText()), source)
    await card.getByRole("link", { name: "Open weasel" }).click()
    await page.waitForURL("**/snippets/*?task=tells+of+a+weasel")
    await page.getByRole("button", { name: "Copy source" }).click()
    await page.getByRole("button", { name: "Copied" }).waitFor()
    assert.strictEqual(await page.evaluate(() => navigator.clipboard.readText()), source)
    assert.notInclude(page.url(), ownerKey)
  })
})
