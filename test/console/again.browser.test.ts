import type { Page } from "playwright-core"
import { assert, describe, it } from "vitest"
import { whyNot } from "./chromium.ts"
import { clientOf, startsReading } from "./reading.ts"

describe.skipIf(whyNot() !== undefined)("what the console loads again", () => {
  const on = startsReading()
  const { open } = on

  /** Answers an address as the test says, from the next question on. */
  const answering = async (page: Page, address: string) => {
    const now: { answer: "right" | "wrong" | "none" } = { answer: "right" }
    const held = Promise.withResolvers<void>()
    await page.route(address, async (route) => {
      if (now.answer === "none") await held.promise
      if (now.answer === "wrong") return route.fulfill({ status: 400, json: { message: "Broken.", code: "x/y" } })
      return route.continue()
    })
    return { now, letGo: held.resolve }
  }

  const note = (page: Page) => page.locator(".note.warn", { hasText: "Broken." })

  it("stays as it was when that fails, with what is typed in it, and says so until it has come", async () => {
    const page = await open("/chat")
    const { now } = await answering(page, "**/api/admin/status")
    await page.clock.install()
    await page.goto(`${on.service.url}/read-models`)
    const field = page.locator("main input").first()
    await field.fill("17")
    await page.locator(".read-models tbody tr").first().waitFor()
    now.answer = "wrong"
    await page.clock.runFor(5_000)
    await note(page).waitFor()
    assert.strictEqual(await field.inputValue(), "17")
    assert.isAbove(await page.locator(".read-models tbody tr").count(), 0)
    now.answer = "right"
    await note(page).getByRole("button", { name: "Try again" }).click()
    await note(page).waitFor({ state: "detached" })
    assert.strictEqual(await field.inputValue(), "17")
    // each look at the read models is a point of their history: none was lost
    const points = page.locator(".read-models tbody tr").first().locator("polyline")
    assert.lengthOf((await points.getAttribute("points"))!.split(" "), 2)
  })

  it("leaves a question open that is being answered", async () => {
    const page = await open("/usage")
    const { now } = await answering(page, "**/api/usage?*")
    const listens = page.waitForResponse("**/api/events/stream*")
    await page.reload()
    await listens
    await page.getByRole("button", { name: "Change bounds…" }).click()
    const dialog = page.locator("dialog[open]")
    await dialog.locator("input:not([readonly])").first().waitFor()
    await dialog.getByLabel("Snippets").fill("300")
    now.answer = "wrong"
    await clientOf(on.service).snippets.create({ name: "z", source: "z = 1\n", entrypoint: "z", language: "python" })
    await note(page).waitFor()
    assert.strictEqual(await dialog.getByLabel("Snippets").inputValue(), "300")
  })

  it("is tried again by itself when the connection is back", async () => {
    const page = await open("/workspaces")
    const { now } = await answering(page, "**/api/workspaces?*")
    const listens = page.waitForResponse("**/api/events/stream*")
    await page.reload()
    await listens
    const rows = page.locator(".workspaces .row")
    await rows.first().waitFor()
    now.answer = "wrong"
    await clientOf(on.service).workspaces.open({ org: "acme", user: "lin" })
    await note(page).waitFor()
    await rows.first().waitFor()
    now.answer = "right"
    await on.reader.context.setOffline(true)
    await page.getByText("Live updates have stopped").waitFor()
    await on.reader.context.setOffline(false)
    await rows.filter({ hasText: "lin" }).waitFor()
    await note(page).waitFor({ state: "detached" })
  })

  it("has the kept key tried again where the service was away when the tab was loaded again", async () => {
    const page = await open("/workspaces")
    await page.locator(".workspaces .row").first().waitFor()
    let isAway = true
    await page.route("**/api/access", (route) =>
      isAway ? route.fulfill({ status: 503, json: { message: "It is away.", code: "x/y" } }) : route.continue()
    )
    await page.reload()
    await page.getByText("It is away.").waitFor()
    assert.strictEqual(await page.locator("#key").count(), 0)
    await page.getByRole("button", { name: "Try now" }).click()
    isAway = false
    await page.locator(".workspaces .row").first().waitFor()
    // and it is the reader's to leave
    isAway = true
    await page.reload()
    await page.getByText("It is away.").waitFor()
    await page.getByText("Sign out").click()
    await page.locator("#key").waitFor()
    isAway = false
    await page.reload()
    await page.locator("#key").waitFor()
  })

  it("keeps the focus on what asks for it again while it is asked for", async () => {
    const page = await open("/chat")
    const { now, letGo } = await answering(page, "**/api/admin/status")
    now.answer = "wrong"
    await page.clock.install()
    await page.goto(`${on.service.url}/read-models`)
    const again = page.getByRole("button", { name: "Try again" })
    await again.focus()
    now.answer = "none"
    const asked = page.waitForRequest("**/api/admin/status")
    await page.clock.runFor(5_000)
    await asked
    assert.isTrue(await again.evaluate((button) => button === document.activeElement))
    now.answer = "right"
    letGo()
    await page.locator(".read-models tbody tr").first().waitFor()
    await again.waitFor({ state: "detached" })
  })
})
