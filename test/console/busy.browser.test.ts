import type { Page } from "playwright-core"
import { assert, describe, it } from "vitest"
import { ownerKey } from "#test/service.ts"
import { seriousOn } from "./axe.ts"
import { whyNot } from "./chromium.ts"
import { clientOf, startsReading } from "./reading.ts"

describe.skipIf(whyNot() !== undefined)("a button of the console that is busy", () => {
  const on = startsReading()
  const { open } = on

  /** Requests to an address wait from now on; gives how many came, and lets them go. */
  const holding = async (page: Page, address: string) => {
    const held = Promise.withResolvers<void>()
    let asked = 0
    await page.route(address, async (route) => {
      asked++
      await held.promise
      await route.continue()
    })
    return { asked: () => asked, letGo: () => held.resolve() }
  }

  /** Presses what has the focus, again while it is busy, and says what has the focus then. */
  const pressed = async (page: Page, busy: ReturnType<Page["locator"]>) => {
    await page.keyboard.press("Enter")
    await busy.and(page.locator("[aria-disabled=true]")).waitFor()
    await page.keyboard.press("Enter")
    await page.keyboard.press("Space")
    assert.isTrue(await busy.evaluate((button) => button === document.activeElement), "the focus is elsewhere")
  }

  it("keeps the focus of the keyboard, and does what it does once", async () => {
    on.reader = await on.browser.open()
    const { page } = on.reader
    await page.goto(on.service.url)
    const access = await holding(page, "**/api/access")
    await page.fill("#key", ownerKey)
    await page.locator("button.primary").focus()
    await pressed(page, page.locator("button.primary"))
    access.letGo()
    await page.waitForSelector("header.head")
    assert.strictEqual(access.asked(), 1)
  })

  it("and so in a question, in a form, also by Enter in a field of it", async () => {
    const { id } = await clientOf(on.service).keys.create({ email: "carl@example.org", keyName: "phone" })
    const page = await open("/people")
    const row = page.locator(".keys .row", { hasText: "phone" })
    await row.getByRole("button", { name: "Revoke…" }).click()
    const revoking = await holding(page, "**/api/keys/org/revoke")
    const revoke = page.locator("dialog[open] button.grave")
    await revoke.focus()
    await pressed(page, revoke)
    assert.deepStrictEqual(await seriousOn(page), [])
    revoking.letGo()
    await row.waitFor({ state: "detached" })
    assert.isFalse((await clientOf(on.service).keys.list()).keys.some((key) => key.id === id))

    await page.getByRole("button", { name: "Create a key…" }).click()
    await page.getByLabel("Person's e-mail").fill("new@example.org")
    await page.getByLabel("Name").fill("desk")
    const making = await holding(page, "**/api/keys/org/create")
    const create = page.locator("dialog[open] button.primary")
    await create.focus()
    await pressed(page, create)
    // nor when Enter is pressed in a field
    await page.getByLabel("Name").press("Enter")
    making.letGo()
    await page.getByText("Copy the key now").waitFor()
    assert.strictEqual(making.asked(), 1)
    await page.getByRole("button", { name: "Done" }).click()

    await page.goto(`${on.service.url}/chat?user=ada&org=acme`)
    await page.getByLabel("Task").fill("parse a CSV file into rows")
    const asking = await holding(page, "**/api/agent-chat")
    await page.keyboard.press("Control+Enter")
    await page.getByText("Asking…").waitFor()
    await page.keyboard.press("Control+Enter")
    asking.letGo()
    await page.waitForURL("**/runs/*")
    assert.strictEqual(asking.asked(), 1)
  })
})
