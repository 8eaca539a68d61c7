import { assert, describe, it } from "vitest"
import { whyNot } from "./chromium.ts"
import { readAs, startsReading } from "./reading.ts"

describe.skipIf(whyNot() !== undefined)("a time in the console", () => {
  const on = startsReading()

  it("is one of the reader's zone, with the exact instant on hover, also in a day's heading", async () => {
    const at = "2026-01-31T23:30:00.123Z"
    const told = async (timezoneId: string) => {
      on.reader = await on.browser.open({ timezoneId })
      const { page } = on.reader
      await page.route("**/api/workspaces/*/commits?*", async (route) => {
        const response = await route.fetch()
        const answer = (await response.json()) as { commits: ReadonlyArray<object> }
        const [first] = answer.commits
        await route.fulfill({ response, json: { commits: [{ ...first, committed_at: at }], next_before: null } })
      })
      await page.clock.setFixedTime("2027-01-01T12:00:00Z")
      await readAs(on.reader, on.service, `/workspaces/${on.ids.workspace}`)
      const time = page.locator(".commits time")
      await time.waitFor()
      const said = {
        text: await time.textContent(),
        hover: await time.getAttribute("title"),
        machine: await time.getAttribute("datetime"),
        day: await page.locator(".day h2").textContent()
      }
      return said
    }
    const berlin = await told("Europe/Berlin")
    assert.deepInclude(berlin, { text: "Feb 1, 2026", machine: at, day: "Sunday, February 1, 2026" })
    assert.match(berlin.hover!, /^Sunday, February 1, 2026.* 12:30:00.AM GMT\+1 \(2026-01-31T23:30:00\.123Z\)$/)
    await on.reader.close()
    const newYork = await told("America/New_York")
    assert.deepInclude(newYork, { text: "Jan 31, 2026", machine: at, day: "Saturday, January 31, 2026" })
    assert.match(newYork.hover!, /^Saturday, January 31, 2026.* 6:30:00.PM EST \(2026-01-31T23:30:00\.123Z\)$/)
  })
})
