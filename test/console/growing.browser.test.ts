import { assert, describe, it } from "vitest"
import { whyNot } from "./chromium.ts"
import { clientOf, startsReading } from "./reading.ts"

describe.skipIf(whyNot() !== undefined)("a log that grows while it is read", () => {
  const on = startsReading({ filled: false })
  const { open } = on
  const shown = ".events .row > code"

  /** Events, of which the log's own are at other places. */
  const events = async (count: number) => {
    const { json } = await on.service.call("GET", "/api/events/newest?limit=1")
    const told = Array.from({ length: count }, (_, n) => ({ ...json.events[0], event_id: `e${n}`, position: `${n}` }))
    return { told, answer: (some: typeof told) => ({ json: { ...json, events: some, next_before: null } }) }
  }

  it("has what came above what was there, whose rows stay as they are, with the focus in one of them", async () => {
    const page = await open("/events")
    const { told, answer } = await events(120)
    await page.route("**/api/events/newest*limit=100*", (route) => route.fulfill(answer(told)))
    await page.reload()
    await page.locator(shown).nth(119).waitFor({ state: "attached" })
    await page.locator(".live.live").waitFor()
    const before = await page.locator(".events .row").evaluateAll((rows) => {
      for (const [n, row] of rows.entries()) (row as HTMLElement).dataset["before"] = `${n}`
      ;(rows[60] as HTMLElement).focus()
      return rows.length
    })
    assert.strictEqual(before, 120)
    await clientOf(on.service).snippets.create({ name: "live", source: "l = 1\n", entrypoint: "l", language: "python" })
    await page.locator(".events .row", { hasText: "A snippet was stored live" }).waitFor()
    const marks = await page
      .locator(".events .row")
      .evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset["before"]))
    const came = marks.length - before
    assert.isTrue(came > 0 && came < 50, `${came}`)
    assert.deepStrictEqual(marks, [
      ...Array.from({ length: came }, () => undefined),
      ...Array.from({ length: before }, (_, n) => `${n}`)
    ])
    assert.strictEqual(await page.locator(":focus").getAttribute("data-before"), "60")
  })

  it("says of each row who it was, also where their names come later", async () => {
    const page = await open("/events")
    await page.locator(shown).first().waitFor()
    const { promise: isTime, resolve: letCome } = Promise.withResolvers<void>()
    await page.route(
      ({ pathname }) => pathname === "/api/users",
      async (route) => {
        await isTime
        await route.continue()
      }
    )
    await page.reload()
    await page.locator(shown).first().waitFor()
    const by = page.locator(".events .by")
    const nobodyYet = await by.allTextContents()
    assert.isFalse(nobodyYet.some((one) => one.includes("@")))
    letCome()
    await by.getByText("@").first().waitFor()
  })

  it("has nothing above its first page that is older, where more came while that was on its way than it has", async () => {
    const page = await open("/events")
    const { told, answer } = await events(300)
    let body = told.map((one) => `id: ${one.position}\nevent: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`).join("")
    const { promise: isHeard, resolve: heard } = Promise.withResolvers<void>()
    await page.route("**/api/events/stream*", async (route) => {
      // asked a second time it has told all that it was told
      if (body === "") heard()
      await route.fulfill({ contentType: "text/event-stream", body })
      body = ""
    })
    await page.route("**/api/events/newest*limit=100*", async (route) => {
      await isHeard
      await route.fulfill(answer(told.slice(-100)))
    })
    await page.reload()
    await page.locator(shown).nth(99).waitFor({ state: "attached" })
    assert.deepStrictEqual(
      await page.locator(shown).allTextContents(),
      Array.from({ length: 100 }, (_, n) => `${299 - n}`)
    )
  })
})
