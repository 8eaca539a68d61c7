import { randomUUID } from "node:crypto"
import { assert, describe, it, vi } from "vitest"
import { eventSchemas } from "#domain/events.ts"
import { askedIn, isAsked, placeIn } from "#src/console/events/asked.ts"
import { causesOf } from "#src/console/events/caused.ts"
import { eventTypes } from "#src/console/events/types.ts"
import type { RecordedEvent } from "../../clients/typescript/src/index.ts"
import { isLong } from "../long.ts"
import { whyNot } from "./chromium.ts"
import { clientOf, startsReading } from "./reading.ts"

const event = (eventId: string, causationId: string | null = null): RecordedEvent => ({
  position: eventId,
  stream: "s",
  revision: 0,
  eventId,
  type: "VoteCast",
  schemaVersion: 1,
  data: {},
  actor: { keyId: "k", userId: "u", organizationId: "o" },
  commandId: "c",
  correlationId: "c",
  causationId,
  requestId: null,
  traceId: null,
  recordedAt: "2026-11-21T09:30:00.000Z"
})

describe("which events are shown", () => {
  it("are of the log's own types", () => assert.deepStrictEqual(eventTypes, Object.keys(eventSchemas).sort()))

  it("is what an address says, and what comes is held against it", () => {
    const asked = askedIn(new URLSearchParams("type=VoteCast&actor=u&order=oldest"))
    assert.deepStrictEqual(asked, { type: "VoteCast", stream: "", actor: "u", asOf: "", oldest: true })
    assert.isTrue(isAsked(asked, event("1")))
    assert.isTrue(isAsked({ ...asked, actor: "k" }, event("1")))
    assert.isFalse(isAsked({ ...asked, actor: "x" }, event("1")))
    assert.isFalse(isAsked({ ...asked, stream: "t" }, event("1")))
    assert.isFalse(isAsked({ ...asked, type: "KeyUsed" }, event("1")))
  })

  it("begins at a position or a time, as people write them", () => {
    assert.deepStrictEqual(["12", "abcd-7", "2026-01-31T12:00:00Z", "yesterday"].map(placeIn), [
      "12",
      "abcd-7",
      "2026-01-31T12:00:00.000Z",
      "yesterday"
    ])
    assert.strictEqual(placeIn(" 2026-01-31 12:00 "), new Date("2026-01-31T12:00").toISOString())
    assert.strictEqual(placeIn("2026-01-31"), new Date("2026-01-31T00:00").toISOString())
  })
})

it("what followed from a request is a tree, whatever its events say of each other", () => {
  const [root, first, second, below] = [event("1"), event("2", "1"), event("3", "1"), event("4", "2")]
  const lost = event("5", "elsewhere")
  const own = event("6", "6")
  const shape = (of: ReturnType<typeof causesOf>): unknown =>
    of.map(({ event, effects }) => [event.eventId, shape(effects)])
  assert.deepStrictEqual(shape(causesOf([root, first, second, below, lost, own])), [
    [
      "1",
      [
        ["2", [["4", []]]],
        ["3", []]
      ]
    ],
    ["5", []],
    ["6", []]
  ])
  const [one, other] = [event("7", "8"), event("8", "7")]
  assert.deepStrictEqual(shape(causesOf([one, other])), [])
})

describe.skipIf(whyNot() !== undefined)("the log in the console", () => {
  const on = startsReading()
  const { open, keyFor } = on
  const rows = ".events .row"

  it("is shown from its end, and grows as things happen", async () => {
    const page = await open("/events")
    await page.locator(rows).first().waitFor()
    await page.locator(".live.live").waitFor()
    const before = await page.locator(rows).count()
    await clientOf(on.service).snippets.create({ name: "live", source: "l = 1\n", entrypoint: "l", language: "python" })
    await page.locator(rows, { hasText: "A snippet was stored live" }).waitFor()
    assert.isAbove(await page.locator(rows).count(), before)

    // so many that nobody reads them all, while the page stays open
    const { json } = await on.service.call("GET", "/api/events/newest?limit=1")
    const told = Array.from({ length: 2_100 }, (_, n) => ({ ...json.events[0], event_id: `${n}`, position: `${n}` }))
    let body = told.map((one) => `id: ${one.position}\nevent: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`).join("")
    await page.route("**/api/events/stream*", async (route) => {
      await route.fulfill({ contentType: "text/event-stream", body })
      body = ""
    })
    const asked = { page: 0 }
    await page.route("**/api/events/newest*limit=100*", (route) =>
      route.fulfill({ json: { ...json, events: asked.page++ === 0 ? [] : told.slice(-100), next_before: null } })
    )
    await page.reload()
    await page.locator(`${rows} > code`).getByText("2099", { exact: true }).waitFor()
    const shown = `${rows} > code`
    await vi.waitFor(async () => assert.strictEqual(await page.locator(shown).count(), 100), { timeout: 60_000 })
    assert.strictEqual(await page.locator(shown).first().textContent(), "2099")
  })

  it("is narrowed by type, by who it was and by stream, at addresses that can be loaded again", async () => {
    const page = await open("/events")
    await page.locator(rows).first().waitFor()
    await page.getByLabel("Type").selectOption("VoteCast")
    await page.waitForURL("**type=VoteCast**")
    await page.locator(rows, { hasText: "A snippet was stored" }).first().waitFor({ state: "detached" })
    const count = await page.locator(rows).count()
    assert.isAbove(count, 3)
    // what comes and was not asked for stays out
    await clientOf(on.service).snippets.create({
      name: "other",
      source: "o = 1\n",
      entrypoint: "o",
      language: "python"
    })
    await page.reload()
    await page.locator(rows).first().waitFor()
    assert.strictEqual(await page.locator(rows).count(), count)
    await page.getByLabel("Type").selectOption("")
    await page.getByLabel("By").selectOption({ label: "owner@cairn.local" })
    await page.waitForURL("**actor=**")
    await page.locator(rows).first().waitFor()
    await page.locator(rows, { hasText: "the service" }).first().waitFor({ state: "detached" })
    await page.getByLabel("Stream").fill("nothing")
    await page.keyboard.press("Tab")
    await page.getByText("No matching events").waitFor()
  })

  it("is asked once for the type at which arrow keys stay, in one step of the tab's history", async () => {
    const page = await open("/events")
    await page.locator(rows).first().waitFor()
    const asked: Array<string> = []
    page.on("request", (request) => request.url().includes("limit=100") && asked.push(request.url()))
    const before = await page.evaluate(() => history.length)
    const type = page.getByLabel("Type")
    await type.focus()
    for (let n = 0; n < 12; n++) await page.keyboard.press("ArrowDown")
    const chosen = await type.inputValue()
    await page.waitForURL(`**type=${chosen}`)
    await page.waitForFunction(() => document.querySelector("main .waiting") === null)
    assert.isAtMost(asked.length, 2)
    // another choice is a variant of it
    await page.keyboard.press("ArrowUp")
    await page.waitForURL((url) => !url.search.endsWith(`type=${chosen}`))
    assert.strictEqual(await page.evaluate(() => history.length), before + 1)
    assert.isTrue(await type.evaluate((field) => field === document.activeElement))
  })

  it("is jumped into at a position and at a time", async () => {
    const all = []
    for await (const one of clientOf(on.service).system.events({ limit: 1000 })) all.push(one)
    const page = await open("/events")
    await page.getByRole("textbox", { name: "At" }).fill(all[9]!.position)
    await page.keyboard.press("Enter")
    await page.waitForURL(`**as_of=${all[9]!.position}`)
    await page
      .locator(`.events li:first-child .row > code`)
      .first()
      .getByText(String(all[9]!.position), { exact: true })
      .waitFor()
    assert.strictEqual(await page.locator(".live").count(), 0)
    await page.getByRole("textbox", { name: "At" }).fill("2020-01-01")
    await page.keyboard.press("Enter")
    await page.getByText("No matching events").waitFor()
    await page.getByText("Go to newest").click()
    await page.locator(rows).first().waitFor()
    await page.getByRole("textbox", { name: "At" }).fill("some day")
    await page.keyboard.press("Enter")
    await page.getByText("is neither a position nor a time").waitFor()
  })

  it("tells one event whole: envelope, data, text, what caused it and what it caused", async () => {
    const [vote] = (await clientOf(on.service).system.newestEvents({ type: "LogsRecorded", limit: 1 })).events
    const page = await open(`/events/${vote!.position}`)
    await page.locator(".causes li").nth(2).waitFor()
    const sheet = (await page.locator(".envelope").textContent()) ?? ""
    for (const part of [vote!.eventId, vote!.commandId, vote!.correlationId, vote!.stream, "as it was written"])
      assert.include(sheet, part)
    assert.include((await page.locator(".typed").textContent()) ?? "", "wrote 39 lines")
    assert.strictEqual(await page.locator(".causes [aria-current]").textContent(), "Logs recorded")
    await page.locator(".causes a", { hasText: "A snippet was stored" }).click()
    await page.getByRole("heading", { name: "A snippet was stored" }).waitFor()
    await page.locator(".envelope a").click()
    await page.waitForURL("**order=oldest**")
    await page.locator(rows).first().getByText("A snippet was stored").waitFor()
  })

  it("says that a text was erased, and by which event", async () => {
    const cairn = clientOf(on.service)
    const { codeBlockId } = await cairn.snippets.create({
      name: "doomed",
      source: "secret = 1\n",
      entrypoint: "d",
      language: "python"
    })
    const [stored] = (await cairn.system.newestEvents({ type: "SnippetUploaded", limit: 1 })).events
    await cairn.snippets.delete(codeBlockId)
    const page = await open(`/events/${stored!.position}`)
    await page.locator(".status", { hasText: "erased" }).waitFor()
    assert.notInclude((await page.locator("main").textContent()) ?? "", "secret")
    await page.locator(".event-sheet p a").click()
    await page.getByRole("heading", { name: "A snippet was deleted" }).waitFor()
  })

  it("goes on behind a page with fewer events than were asked for, up to the log's end", async () => {
    const page = await open("/events")
    await page.locator(rows).first().waitFor()
    // as the service ends a page of large events
    const few = 20
    await page.route(
      ({ pathname }) => pathname === "/api/events",
      async (route) => {
        const url = new URL(route.request().url())
        if (url.searchParams.get("limit") === "100") url.searchParams.set("limit", `${few}`)
        await route.fulfill({ response: await route.fetch({ url: url.href }) })
      }
    )
    await page.goto(`${on.service.url}/events?order=oldest`)
    await page
      .locator(rows)
      .nth(few - 1)
      .waitFor()
    const later = page.getByRole("button", { name: "Show later" })
    const end = page.getByText("End of list.")
    for (let shown = few; ; shown += few) {
      await later.or(end).first().waitFor()
      if (await end.isVisible()) break
      await later.press("Enter")
      await page.locator(rows).nth(shown).or(end).first().waitFor({ state: "attached" })
    }
    const all = []
    for await (const { position } of clientOf(on.service).system.events({ limit: 1000 })) all.push(position)
    assert.isAbove(all.length, 2 * few)
    assert.deepStrictEqual(await page.locator(`${rows} > code`).allTextContents(), all)
  })

  it("pages through what is long", async () => {
    const page = await open("/events?order=oldest")
    await page.locator(rows).first().getByText("The organization was created").waitFor()
    await page.goto(`${on.service.url}/events`)
    await page.locator(rows).first().waitFor()
    const count = isLong ? 100_000 : 20_000
    // a second try finds what the first one left
    const many = `usage-${randomUUID()}`
    await on.service.sql(
      `INSERT INTO events (position, tenant, stream, revision, event_id, type, schema_version, data, has_text, command_id, correlation_id, recorded_at)
       SELECT h.head + n, t.tenant, '${many}', n - 1, gen_random_uuid(), 'KeyUsed', 1, '{"key":"00000000-0000-4000-8000-000000000000"}', false, gen_random_uuid(), gen_random_uuid(), h.at
       FROM generate_series(1, ${count}) n, (SELECT max(position) AS head, max(recorded_at) AS at FROM events) h,
         (SELECT tenant FROM events WHERE type = 'OrganizationRegistered' ORDER BY position LIMIT 1) t`
    )
    const head = await on.service.head()
    // not from where it grows: a process that had not heard of them yet tells all of them as new
    await page.goto(`${on.service.url}/events?type=KeyUsed&as_of=${head}`)
    await page.locator(rows).nth(99).waitFor()
    // a page costs what it shows, and not what was shown before
    const asked = new Set<string>()
    page.on("request", (request) => void asked.add(request.url()))
    await page.evaluate(() => {
      const made = { rows: 0, away: 0 }
      Object.assign(window, { made })
      const rowsIn = (nodes: NodeList) =>
        [...nodes].reduce(
          (sum, node) =>
            sum + (node instanceof Element ? node.querySelectorAll(".row").length + Number(node.matches(".row")) : 0),
          0
        )
      new MutationObserver((changes) => {
        for (const { addedNodes, removedNodes } of changes) {
          made.rows += rowsIn(addedNodes)
          made.away += rowsIn(removedNodes)
        }
      }).observe(document.body, { childList: true, subtree: true })
    })
    // far rows give way to their room (`lists.browser.test.ts`), which these are too few for, also in two lines each
    const more = 7
    for (let n = 1; n <= more; n++) {
      // by its key: rows that come into sight are higher than was guessed, and move it away from a pointer
      await page.getByRole("button", { name: "Show earlier", disabled: false }).press("Enter")
      const last = page.locator(rows).nth(n * 100 + 99)
      const refusal = page.getByRole("alert")
      // the service may be catching up with the rows beside it
      await last.or(refusal).first().waitFor({ state: "attached", timeout: 240_000 })
      assert.deepStrictEqual(await refusal.allTextContents(), [])
    }
    assert.deepStrictEqual(await page.evaluate(() => (window as unknown as { readonly made: object }).made), {
      rows: 100 * more,
      away: 0
    })
    // one that was tried again has the same address; the list anew would have another
    const pages = [...asked].filter((url) => url.includes("/api/events/newest") && url.includes("limit=100"))
    assert.strictEqual(pages.length, more)
    const shown = await page.locator(`${rows} > code`).allTextContents()
    assert.strictEqual(new Set(shown).size, shown.length)
    // in the middle of them, and at a type of which the last lies behind all of them
    const begun = Date.now()
    await page.goto(`${on.service.url}/events?as_of=${head - count / 2}`)
    await page
      .locator(`.events li:first-child .row > code`)
      .first()
      .getByText(String(head - count / 2), { exact: true })
      .waitFor()
    await page.goto(`${on.service.url}/events?type=WorkspaceOpened`)
    await page.locator(rows, { hasText: "A workspace was opened" }).first().waitFor()
    await page.goto(`${on.service.url}/events?stream=${many}&order=oldest`)
    await page.locator(rows).nth(99).waitFor()
    assert.isBelow(Date.now() - begun, 60_000)
  })

  it("is not there for who may not see it", async () => {
    const page = await open("/events", await keyFor("member"))
    await page.getByText("This key has no access").waitFor()
    assert.strictEqual(await page.getByRole("navigation", { name: "Console" }).getByText("Events").count(), 0)
    await page.goto(`${on.service.url}/events/1`)
    await page.getByText("This key has no access").waitFor()
  })

  it("says what is not there, and when the service does not answer", async () => {
    const page = await open("/events/999999999")
    await page.getByText("There is nothing here").waitFor()
    await page.goto(`${on.service.url}/events/x`)
    await page.locator(".failed").waitFor()
    await page.route("**/api/events/newest*", (route) => route.fulfill({ status: 500, json: { message: "Broken." } }))
    await page.goto(`${on.service.url}/events`)
    await page.getByText("That did not work").waitFor()
  })
})
