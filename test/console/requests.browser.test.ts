import { assert, describe, it } from "vitest"
import { seriousInBothThemes, seriousOn } from "./axe.ts"
import { whyNot } from "./chromium.ts"
import { readAs, startsReading } from "./reading.ts"

describe.skipIf(whyNot() !== undefined)("requests over time, in the console", () => {
  const on = startsReading({ filled: false })

  const section = () => on.reader.page.locator("section.requests")
  const chart = (title: string) => section().locator(".chart", { hasText: title })

  it("are shown as the service counts them, with errors apart", async () => {
    const page = await on.open("/overview")
    await chart("Requests, last hour").waitFor()
    const shown = Number((await chart("Requests, last hour").locator("b").textContent())?.replaceAll(",", ""))
    assert.isAbove(shown, 0)
    assert.strictEqual(await chart("Requests, last hour").locator("g").count(), 60)
    assert.strictEqual(await chart("Requests, 24 hours").locator("g").count(), 48)
    await section()
      .getByText(/Counted since .* by process .*:\d+/)
      .waitFor()
    assert.deepStrictEqual(await seriousOn(page), [])
  })

  it("are told in words and numbers too, on a narrow screen, in both themes", async () => {
    on.reader = await on.browser.open({ viewport: { width: 380, height: 700 } })
    const { page } = on.reader
    const until = Date.parse("2026-11-21T09:30:40.000Z")
    const at = (back: number) => new Date(Date.parse("2026-11-21T09:30:00.000Z") - back * 60_000).toISOString()
    await page.route("**/api/admin/requests", (route) =>
      route.fulfill({
        json: {
          process: "<img src=x onerror='window.ran=1'>:7",
          since: at(1_000),
          until: new Date(until).toISOString(),
          minutes: [
            { at: at(900), answered: 1_000, refused: 4, failed: 1, left: 0 },
            { at: at(1), answered: 20, refused: 0, failed: 2, left: 3 }
          ]
        }
      })
    )
    await readAs(on.reader, on.service, "/overview")
    await section().getByText("1,020 answered, 4 refused, 3 failed, 3 abandoned by the caller").waitFor()
    const totals = ["Requests, last hour", "Requests, 24 hours", "Refused or failed, 24 hours"].map((title) =>
      chart(title).locator("b").textContent()
    )
    assert.deepStrictEqual(await Promise.all(totals), ["25", "1,030", "7"])
    await section()
      .getByRole("img", { name: /Refused or failed, 24 hours: 4 refused, 3 failed/ })
      .waitFor()
    assert.strictEqual(await chart("Requests, last hour").locator(".bad").count(), 1)
    await section().getByText("<img src=x").waitFor()
    assert.strictEqual(await page.evaluate("window.ran"), undefined)
    assert.deepStrictEqual(await seriousInBothThemes(page), [])
    assert.isAtMost((await page.evaluate("document.documentElement.scrollWidth")) as number, 380)
  })

  it("say when they can't be had, and are there again", async () => {
    const page = await on.open("/search")
    await page.route("**/api/admin/requests", (route) =>
      route.fulfill({ status: 500, json: { message: "Broken.", code: "internal/error" } })
    )
    await page.goto(`${on.service.url}/overview`)
    await section().getByText("Broken.").waitFor()
    await page.unroute("**/api/admin/requests")
    await section().getByRole("button", { name: "Try again" }).click()
    await chart("Requests, last hour").waitFor()
  })

  it("are the operator's", async () => {
    const page = await on.open("/overview", await on.keyFor("member"))
    await page.locator(".health").waitFor()
    assert.strictEqual(await section().count(), 0)
  })
})
