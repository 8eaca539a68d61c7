import type { Page } from "playwright-core"
import { assert, describe, it } from "vitest"
import { ownerKey } from "#test/service.ts"
import { whyNot } from "./chromium.ts"
import { startsReading } from "./reading.ts"

describe.skipIf(whyNot() !== undefined)("a backup in the console", () => {
  const on = startsReading({ filled: false })
  const { open } = on

  const make = (page: Page) => page.getByRole("button", { name: "Make a backup" })
  const there = (page: Page) => page.getByText("files match the manifest")
  const goTo = (page: Page, name: string) =>
    page.getByRole("navigation", { name: "Console" }).getByRole("link", { name }).click()

  /** Digests wait, and addresses of blobs are counted, from now on. */
  const holding = async (page: Page) => {
    await page.evaluate(() => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const counts = { digests: 0, urls: 0, revoked: 0 }
      Object.assign(window, { counts, letGo: resolve })
      const digest = crypto.subtle.digest.bind(crypto.subtle)
      crypto.subtle.digest = async (...given) => {
        counts.digests++
        await promise
        return digest(...given)
      }
      const [create, revoke] = [URL.createObjectURL, URL.revokeObjectURL]
      URL.createObjectURL = (of) => {
        counts.urls++
        return create.call(URL, of)
      }
      URL.revokeObjectURL = (url) => {
        counts.revoked++
        revoke.call(URL, url)
      }
    })
    const counts = () =>
      page.evaluate(() => (window as unknown as { counts: { digests: number; urls: number; revoked: number } }).counts)
    return {
      counts,
      begun: () =>
        page.waitForFunction(() => (window as unknown as { counts: { digests: number } }).counts.digests > 0),
      letGo: () => page.evaluate("window.letGo()")
    }
  }

  it("that is stopped while it is checked is none, and another can be made", async () => {
    const page = await open("/backups")
    const check = await holding(page)
    await make(page).click()
    await check.begun()
    await page.getByRole("button", { name: "Stop" }).click()
    await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" })
    await check.letGo()
    await make(page).click()
    await there(page).waitFor()
    const { digests, urls } = await check.counts()
    // of the one that was stopped, no further file was looked at
    const files = Number(/All (\d+) files/.exec((await page.locator(".steps-done").textContent())!)![1])
    assert.strictEqual(digests, files + 1)
    assert.strictEqual(urls, 1)
  })

  it("is still there, or goes on, when its reader comes back to the page", async () => {
    const page = await open("/backups")
    const check = await holding(page)
    await make(page).click()
    await check.begun()
    await goTo(page, "Search")
    await page.getByRole("heading", { name: "Search" }).or(page.locator("input[type=search]")).first().waitFor()
    await goTo(page, "Backups")
    await page.getByRole("button", { name: "Stop" }).waitFor()
    await check.letGo()
    await there(page).waitFor()
    await page.getByText("not downloaded yet").waitFor()
    await page.getByRole("link", { name: /^Download cairn-backup-/ }).click()
    await page.getByText("downloaded", { exact: true }).waitFor()
    await goTo(page, "Search")
    await page.locator("input[type=search]").waitFor()
    await goTo(page, "Backups")
    await there(page).waitFor()
    await page.getByText("downloaded", { exact: true }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: /^Download cairn-backup-/ }).click()
    ])
    assert.strictEqual(await download.failure(), null)
  })

  it("goes with the session", async () => {
    const page = await open("/backups")
    const check = await holding(page)
    await check.letGo()
    await make(page).click()
    await there(page).waitFor()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.fill("#key", ownerKey)
    await page.keyboard.press("Enter")
    await goTo(page, "Backups")
    await make(page).waitFor()
    assert.strictEqual(await there(page).count(), 0)
    const { urls, revoked } = await check.counts()
    assert.deepStrictEqual([urls, revoked], [1, 1])
  })
})
