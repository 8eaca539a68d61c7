import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { assert, describe, it, vi } from "vitest"
import { ownerKey } from "#test/service.ts"
import { Cairn } from "../../clients/typescript/src/index.ts"
import { seriousInBothThemes, seriousOn } from "./axe.ts"
import { whyNot } from "./chromium.ts"
import { clientOf, readAs, startsReading } from "./reading.ts"

/** Does what the three steps say that stand on a new service's first page, as who copies them would. */
const doesWhatItSays = async (url: string, steps: { readonly [way: string]: ReadonlyArray<string> }) => {
  const withKey = (way: string) => steps[way]!.join("\n").replaceAll("cairn_live_…", ownerKey)
  const { stdout } = await promisify(execFile)("sh", ["-ec", withKey("curl")])
  assert.include(stdout, '"success":true')
  assert.match(stdout, /"matches":\[\{.*csv_rows/s)
  // the import is the one line that a script here would not find
  const [line, ...script] = withKey("TypeScript").split("\n")
  assert.strictEqual(line, 'import { Cairn } from "cairn-client"')
  const said: Array<unknown> = []
  const Program = Object.getPrototypeOf(async () => {}).constructor as new (
    ...given: ReadonlyArray<string>
  ) => (...given: ReadonlyArray<unknown>) => Promise<void>
  await new Program("Cairn", "console", script.join("\n"))(Cairn, { log: (...of: Array<unknown>) => said.push(...of) })
  const [matches] = said as [ReadonlyArray<{ readonly codeBlock: { readonly name: string } }>]
  assert.isTrue(matches.some(({ codeBlock }) => codeBlock.name.includes("rows")))
  // what needs other programs is held against what the client and the service are
  assert.include(steps["Python"]![0], `base_url="${url}"`)
  assert.match(
    steps["Python"]!.join("\n"),
    /client\.upload\(\s+task=.*file_written=.*succeeded=True.*client\.search\(task=/s
  )
  assert.include(steps["MCP"]![0], `${url}/mcp --header "Authorization: Bearer cairn_live_…"`)
}

describe.skipIf(whyNot() !== undefined)("the console's overview", () => {
  const on = startsReading({ filled: false })

  const chart = (title: string) => on.reader.page.locator(".chart", { hasText: title }).locator("b")

  it("of a fresh service shows three steps, in four ways, and what happens as it does", async () => {
    const page = await on.open("/")
    await page.getByRole("link", { name: "Overview" }).click()
    await page.getByText("Three steps to a first result").waitFor()
    assert.strictEqual(await page.locator(".first-steps .step").count(), 3)
    await page.locator(".live", { hasText: "Live" }).waitFor()
    await on.reader.context.grantPermissions(["clipboard-read", "clipboard-write"])
    const steps: { [way: string]: ReadonlyArray<string> } = {}
    for (const way of ["Python", "TypeScript", "MCP", "curl"]) {
      await page.getByRole("button", { name: way, exact: true }).click()
      await page.locator(".ways [aria-pressed=true]", { hasText: way }).waitFor()
      const buttons = page.locator(".first-steps .step button", { hasText: /Copy|Copied/ })
      assert.strictEqual(await buttons.count(), 3)
      const shown = await page.locator(".first-steps pre").allTextContents()
      const copied = () => page.evaluate(() => navigator.clipboard.readText())
      for (const [step, text] of shown.entries()) {
        await buttons.nth(step).click()
        await vi.waitFor(async () => assert.strictEqual(await copied(), text), { timeout: 60_000 })
      }
      steps[way] = shown
    }
    assert.deepStrictEqual(await seriousInBothThemes(page), [])
    await doesWhatItSays(on.service.url, steps)
    await page.getByText("Three steps to a first result").waitFor({ state: "detached" })
    await clientOf(on.service).snippets.create({ name: "x", source: "x = 1\n", entrypoint: "x", language: "python" })
    await page.getByRole("list", { name: "Newest activity" }).getByText("A snippet was stored").nth(2).waitFor()
    await chart("Snippets stored").getByText("3", { exact: true }).waitFor()
  })

  it("of a service that has snippets has no first steps, however quiet it is", async () => {
    const page = await on.open("/chat")
    await page.route("**/api/activity?*", async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...((await response.json()) as object), hours: [] } })
    })
    const counted = page.waitForResponse("**/api/usage?*")
    await page.goto(`${on.service.url}/overview`)
    await (await counted).finished()
    await page.locator(".figure", { hasText: "Snippets" }).waitFor()
    await page.getByText("No gradings are pending.").waitFor()
    assert.strictEqual(await page.locator(".first-steps").count(), 0)
  })

  it("says how the service is, what was spent, and counts a day, a week or a month, at addresses that load again", async () => {
    const page = await on.open("/overview")
    await page.getByText("Ready", { exact: true }).waitFor()
    await page.locator(".health").getByText("0.1.0").waitFor()
    await page.locator(".figures").getByText("Spent today").waitFor()
    await page.locator(".happened:not(.requests) .chart").first().waitFor()
    assert.strictEqual(await page.locator(".happened:not(.requests) .chart").count(), 6)
    assert.strictEqual(await page.locator(".happened:not(.requests) .chart").first().locator("g").count(), 24)
    await page.getByRole("link", { name: "7 days" }).click()
    await page.locator(".happened:not(.requests) .chart").first().locator("g").nth(23).waitFor({ state: "detached" })
    await page.locator(".happened:not(.requests) .chart").first().locator("g").nth(6).waitFor()
    assert.strictEqual(await page.locator(".happened:not(.requests) .chart").first().locator("g").count(), 7)
    assert.include(page.url(), "range=week")
    await page.reload()
    await page.locator(".happened:not(.requests) .chart").first().waitFor()
    assert.strictEqual(await page.locator(".happened:not(.requests) .chart").first().locator("g").count(), 7)
  })

  it("asks seldom while much happens, not at all while nobody sees it, and shows the last change", async () => {
    const page = await on.open("/chat")
    const asked: Array<string> = []
    page.on("request", (request) => /\/api\/(activity|usage)\?/.test(request.url()) && asked.push(request.url()))
    await page.clock.install()
    await page.goto(`${on.service.url}/overview`)
    await page.locator(".live", { hasText: "Live" }).waitFor()
    await page.locator(".happened:not(.requests) .chart").first().waitFor()
    await page.locator(".figures").getByText("Spent today").waitFor()
    await page.clock.pauseAt(Date.now() + 60_000)
    const list = page.getByRole("list", { name: "Newest activity" })
    /** Lets something be counted, and waits until the page has heard of it. */
    const happens = async (name: string) => {
      const stored = list.getByText("A snippet was stored")
      const before = await stored.count()
      await clientOf(on.service).snippets.create({
        name,
        source: `${name} = 1\n`,
        entrypoint: name,
        language: "python"
      })
      while ((await stored.count()) === before) await page.clock.runFor(10)
    }
    const figure = page.locator(".figure", { hasText: "Snippets" }).locator("dd")
    const first = Number(await figure.textContent())
    await happens("often_1")
    await page.clock.runFor(2_000)
    await figure.getByText(String(first + 1)).waitFor()
    const { length } = asked
    await happens("often_2")
    await page.clock.runFor(2_000)
    await happens("often_3")
    await page.clock.runFor(2_000)
    assert.lengthOf(asked, length)
    await page.clock.runFor(15_000)
    await figure.getByText(String(first + 3)).waitFor()
    assert.lengthOf(asked, length + 2)
    const becomes = (state: string) =>
      page.evaluate((state) => {
        Object.defineProperty(document, "visibilityState", { value: state, configurable: true })
        document.dispatchEvent(new Event("visibilitychange"))
      }, state)
    await becomes("hidden")
    await happens("often_4")
    await page.clock.runFor(60_000)
    assert.lengthOf(asked, length + 2)
    await becomes("visible")
    await page.clock.runFor(3_000)
    await figure.getByText(String(first + 4)).waitFor()
  })

  it("asks nothing by itself for as long as the service takes no more of its requests", async () => {
    const page = await on.open("/chat")
    await page.route("**/api/activity?*", (route) =>
      route.fulfill({ status: 429, headers: { "retry-after": "120" }, json: { message: "Too many.", code: "rate/x" } })
    )
    await page.clock.install()
    await page.goto(`${on.service.url}/overview`)
    await page.getByText("Ready", { exact: true }).waitFor()
    await page.getByText("Too many.").waitFor()
    await page.unroute("**/api/activity?*")
    let asked = 0
    page.on("request", (request) => request.url().endsWith("/ready") && asked++)
    await page.clock.runFor(60_000)
    // what its reader asks for is another matter
    await page.getByText("Try again").click()
    await page.locator(".happened:not(.requests) .chart").first().waitFor()
    assert.strictEqual(asked, 0)
    await Promise.all([page.waitForRequest("**/ready"), page.clock.runFor(80_000)])
  })

  it("goes on with the day, also where nothing happens", async () => {
    const page = await on.open("/chat")
    await page.clock.install({ time: "2031-03-31T23:58:00Z" })
    const since = (day: string) => page.waitForRequest(`**/api/usage?*since=${day}*`)
    await Promise.all([since("2031-03-31"), page.goto(`${on.service.url}/overview`)])
    await page.locator(".figures").getByText("Spent today (UTC)").waitFor()
    const counted = page.waitForRequest("**/api/activity?*")
    await Promise.all([since("2031-04-01"), page.clock.runFor(600_000)])
    await counted
  })

  it("says when something can't be had, and asks again", async () => {
    const page = await on.open("/search")
    await page.route("**/api/activity?*", (route) =>
      route.fulfill({ status: 500, json: { message: "Broken.", code: "internal/error" } })
    )
    await page.route("**/ready", (route) =>
      route.fulfill({
        status: 503,
        json: {
          status: "failing",
          read_models: { keys_v3: "<b>out of order</b>" },
          nearly_full: ["data"],
          left_out: { count: 2, snippets: [] }
        }
      })
    )
    await page.goto(`${on.service.url}/overview`)
    await page.getByText("Something has stopped").waitFor()
    await page.getByText("keys_v3: <b>out of order</b>").waitFor()
    await page.getByText("The disk of the data is nearly full").waitFor()
    await page.locator(".happened:not(.requests)").getByText("That did not work").waitFor()
    await page.unroute("**/api/activity?*")
    await page.locator(".happened:not(.requests)").getByText("Try again").click()
    await page.locator(".chart").first().waitFor()
  })

  it("says how the models do that were asked, as text", async () => {
    const page = await on.open("/overview")
    await page.getByText("No language model was asked since the service started.").waitFor()
    const one = { model: "m", answered_at: null, failed_at: null, fault: null }
    const now = new Date()
    const before = new Date(now.getTime() - 3_600_000).toISOString()
    await page.route("**/api/admin/status", async (route) => {
      const response = await route.fetch()
      const models = [
        { ...one, name: "silent" },
        { ...one, name: "well", answered_at: now.toISOString(), failed_at: before, fault: "was away" },
        { ...one, name: "ill", answered_at: before, failed_at: now.toISOString(), fault: "<b>answered 529</b>" }
      ]
      await route.fulfill({ response, json: { ...((await response.json()) as object), models } })
    })
    await page.reload()
    const models = page.getByRole("list", { name: "Language models" })
    await models.getByText("<b>answered 529</b>").waitFor()
    const lines = await models.getByRole("listitem").allInnerTexts()
    assert.lengthOf(lines, 2)
    assert.isTrue(
      lines.some((line) => /^Model ill\s+failed/.test(line)),
      lines.join()
    )
    assert.isTrue(
      lines.some((line) => /^Model well\s+answered/.test(line) && !line.includes("was away")),
      lines.join()
    )
    assert.deepStrictEqual(await seriousOn(page), [])
  })

  it("shows a member what is theirs: neither counts, nor events, nor what the operator sees", async () => {
    const page = await on.open("/overview", await on.keyFor("member"))
    await page.locator(".figures").getByText("By this key").waitFor()
    await page.getByText("Ready", { exact: true }).waitFor()
    for (const part of [".happened", ".activity", ".health .facts-line"])
      assert.strictEqual(await page.locator(part).count(), 0, part)
    assert.strictEqual(await page.getByRole("link", { name: "Read models" }).count(), 0)
    await page.goto(`${on.service.url}/read-models`)
    await page.getByText("This key has no access").waitFor()
  })
})

describe.skipIf(whyNot() !== undefined)("the console's page of read models", () => {
  const on = startsReading({ filled: false })

  it("shows how far each is, and goes on", async () => {
    const page = await on.open("/overview")
    await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Read models" }).click()
    const row = page.getByRole("row", { name: /^activity/ })
    await row.getByText("up to date").waitFor()
    const place = row.locator("code")
    const before = await place.textContent()
    await clientOf(on.service).snippets.create({ name: "y", source: "y = 1\n", entrypoint: "y", language: "python" })
    await page.waitForFunction(
      ([selector, before]) =>
        [...document.querySelectorAll(selector!)].every((element) => element.textContent !== before),
      ["tbody code", before]
    )
    assert.deepStrictEqual(await seriousOn(page), [])
    await page
      .getByRole("row", { name: /snippet index/ })
      .getByText(/\d snippets/)
      .waitFor()
  })

  it("shows how far each was behind over time, for as long as it is looked at", async () => {
    const page = await on.open("/search")
    const looks = { count: 0 }
    await page.route("**/api/admin/status", async (route) => {
      const response = await route.fetch()
      const told = (await response.json()) as { read_models: ReadonlyArray<object> }
      const lag = looks.count++ === 1 ? 1_200 : 0
      const read_models = told.read_models.map((one, index) => ({ ...one, lag: index === 0 ? lag : 0 }))
      await route.fulfill({ response, json: { ...told, read_models } })
    })
    await page.clock.install()
    await page.goto(`${on.service.url}/read-models`)
    const first = page.locator(".read-models tbody tr").first()
    await first.getByRole("img", { name: "never behind" }).waitFor()
    await page.clock.runFor(5_000)
    await first.getByText("1,200 behind").waitFor()
    await page.clock.runFor(5_000)
    await first.getByText("up to date").waitFor()
    await first.getByRole("img", { name: "at most 1,200 behind" }).waitFor()
    const points = (await first.locator("polyline").getAttribute("points"))!.split(" ").map((point) => point.split(","))
    assert.lengthOf(points, 3)
    // the higher, the further behind
    const [before, then, now] = points.map(([, y]) => Number(y))
    assert.isBelow(then!, before!)
    assert.strictEqual(now, before)
    assert.strictEqual(await page.locator("[aria-label='at most 1,200 behind']").count(), 1)
  })

  it("says what stands still, what is behind, and what is away, without running a word of it", async () => {
    on.reader = await on.browser.open({ colorScheme: "dark", viewport: { width: 380, height: 700 } })
    const { page } = on.reader
    await page.route("**/api/admin/status", async (route) => {
      const response = await route.fetch()
      const told = (await response.json()) as { read_models: Array<object> }
      const [first, second, ...rest] = told.read_models
      await route.fulfill({
        response,
        json: {
          ...told,
          missing: ["search"],
          read_models: [
            { ...first, fault: "<img src=x onerror='window.ran=1'>\u202e" },
            { ...second, lag: 1_200 },
            ...rest
          ]
        }
      })
    })
    await readAs(on.reader, on.service, "/read-models")
    await page.getByText("1,200 behind").first().waitFor()
    await page.getByText("<img src=x").waitFor()
    await page.getByText("Unavailable: search").waitFor()
    assert.strictEqual(await page.evaluate("window.ran"), undefined)
    assert.deepStrictEqual(await seriousOn(page), [])
    assert.isAtMost((await page.evaluate("document.documentElement.scrollWidth")) as number, 380)
  })
})
