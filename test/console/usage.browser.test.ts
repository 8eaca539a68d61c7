import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { filesIn } from "#src/console/backups/archive.ts"
import { verified } from "#src/console/backups/verified.ts"
import { askedIn, monthsBefore } from "#src/console/usage/asked.ts"
import { seriousOn } from "./axe.ts"
import { whyNot } from "./chromium.ts"
import { clientOf, startsReading } from "./reading.ts"

const now = Date.parse("2026-03-31T12:00:00Z")

describe("what of usage is asked for", () => {
  it("is this month by day, unless the address says otherwise", () => {
    const asked = (query: string) => askedIn(new URLSearchParams(query), now)
    assert.deepStrictEqual(asked(""), { by: "day", since: "2026-03-01", until: "2026-03-31" })
    assert.deepStrictEqual(asked("by=user&since=2026-02-10&until=2026-02-11"), {
      by: "user",
      since: "2026-02-10",
      until: "2026-02-11"
    })
    assert.deepStrictEqual(asked("by=x&since=2026-04-01&until=yesterday"), asked(""))
  })

  it("is a month, also where the one before is shorter", () =>
    assert.deepStrictEqual(monthsBefore(now, 3), [
      { since: "2026-03-01", until: "2026-03-31" },
      { since: "2026-02-01", until: "2026-02-28" },
      { since: "2026-01-01", until: "2026-01-31" }
    ]))
})

describe.skipIf(whyNot() !== undefined)("usage and backups in the console", () => {
  const on = startsReading()
  const { open, keyFor } = on

  it("is told by day, model, person, key and workspace, beside its bounds, at addresses of their own", async () => {
    const page = await open("/usage")
    await page.locator("tbody tr").first().waitFor()
    assert.match((await page.locator(".figures").textContent()) ?? "", /Chats\s*1.*Stored now\s*5 snippets/s)
    await page.getByText("No bounds are set.").waitFor()
    for (const [tab, of] of [
      ["By model", "local"],
      ["By person", "@"],
      ["By key", " of "],
      ["By workspace", "ada in acme"]
    ] as const) {
      await page.getByRole("link", { name: tab }).click()
      await page.locator("tbody tr", { hasText: of }).waitFor()
      assert.match((await page.locator("tbody tr").first().textContent()) ?? "", /^[^\n]*1/)
    }
    assert.include(page.url(), "by=workspace")
    await page.reload()
    await page.locator("tbody tr", { hasText: "ada in acme" }).waitFor()
    await page.goto(`${on.service.url}/usage?since=2026-01-01&until=2026-01-31`)
    await page.getByText("No chats in this period.").waitFor()
  })

  it("has bounds that are set and seen to be reached", async () => {
    const page = await open("/usage")
    await page.getByRole("button", { name: "Change bounds…" }).click()
    const dialog = page.locator("dialog[open]")
    await dialog.getByLabel("Chats a day").fill("1")
    await dialog.getByLabel("Snippets").fill("50")
    await dialog.getByLabel("US dollars a month").fill("0.005")
    await dialog.getByRole("button", { name: "Save" }).click()
    const chats = page.locator(".bounds .row", { hasText: "Chats a day" })
    await chats.getByText("reached").waitFor()
    assert.match((await page.locator(".bounds .row", { hasText: "Snippets" }).textContent()) ?? "", /5 of 50/)
    // less than a cent
    const dollars = (await page.locator(".bounds .row", { hasText: "Dollars a month" }).textContent()) ?? ""
    assert.include(dollars, "$0.00 of $0.005")
    await page.getByRole("button", { name: "Change bounds…" }).click()
    await dialog.locator("input:enabled").first().waitFor()
    assert.strictEqual(await dialog.getByLabel("Chats a day").inputValue(), "1")
    await dialog.getByLabel("Snippets").fill("-3")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.locator(".problem", { hasText: "snippets" }).waitFor()
    await dialog.getByLabel("Snippets").fill("")
    await dialog.getByLabel("Chats a day").fill("")
    await dialog.getByLabel("US dollars a month").fill("")
    await dialog.getByRole("button", { name: "Save" }).click()
    await page.getByText("No bounds are set.").waitFor()
  })

  it("keeps a bound for which something was typed that is no number, and says so at its field", async () => {
    const cairn = clientOf(on.service)
    await cairn.setBounds({ chatsPerDay: 500, snippets: 400 })
    const page = await open("/usage")
    const change = page.getByRole("button", { name: "Change bounds…" })
    await change.click()
    const dialog = page.locator("dialog[open]")
    const chats = dialog.getByLabel("Chats a day")
    const snippets = dialog.getByLabel("Snippets")
    await dialog.locator("input:not([readonly])").first().waitFor()
    await snippets.fill("300")
    await chats.fill("")
    await chats.pressSequentially("1e")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByText("This is not a number.").waitFor()
    assert.isTrue(await chats.evaluate((field) => field === document.activeElement))
    assert.strictEqual(await chats.getAttribute("aria-invalid"), "true")
    assert.deepStrictEqual(await seriousOn(page), [])
    const own = async () => (await cairn.bounds()).bounds.find(({ keyId }) => keyId === null)
    assert.deepInclude(await own(), { chatsPerDay: 500, snippets: 400 })
    // begun again, nothing of it is left
    await dialog.getByRole("button", { name: "Cancel" }).click()
    await change.click()
    await dialog.locator("input:not([readonly])").first().waitFor()
    assert.strictEqual(await chats.inputValue(), "500")
    assert.strictEqual(await dialog.getByText("This is not a number.").count(), 0)
    await chats.fill("")
    await chats.pressSequentially("1e")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByText("This is not a number.").waitFor()
    await chats.pressSequentially("3")
    await dialog.getByText("This is not a number.").waitFor({ state: "detached" })
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.waitFor({ state: "detached" })
    assert.deepInclude(await own(), { chatsPerDay: 1000, snippets: 400 })
    await cairn.setBounds({})
  })

  it("has no bounds put in the place of those being typed by an answer to an earlier opening", async () => {
    const page = await open("/usage")
    const change = page.getByRole("button", { name: "Change bounds…" })
    await change.waitFor()
    const first = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    let asked = 0
    await page.route("**/api/bounds", async (route) => {
      if (++asked > 1) return route.continue()
      const response = await route.fetch()
      await first.promise
      // who has given up on it is told nothing
      await route.fulfill({ response }).catch(() => {})
      answered.resolve()
    })
    const dialog = page.locator("dialog[open]")
    await change.click()
    await dialog.getByRole("button", { name: "Cancel" }).click()
    await change.click()
    await dialog.locator("input:not([readonly])").first().waitFor()
    await dialog.getByLabel("Snippets").fill("300")
    first.resolve()
    await answered.promise
    // the page has had every chance to take it
    await page.evaluate(() => fetch("/ready").then(() => new Promise(requestAnimationFrame)))
    assert.strictEqual(await dialog.getByLabel("Snippets").inputValue(), "300")
  })

  it("has days that are typed by keys", async () => {
    const page = await open("/usage?until=2026-03-20")
    const from = page.getByLabel("From")
    await from.focus()
    // the same in whichever order days and months are typed
    await page.keyboard.type("02022026")
    await page.waitForURL("**since=2026-02-02*")
    assert.strictEqual(await from.inputValue(), "2026-02-02")
    assert.isTrue(await from.evaluate((field) => field === document.activeElement))
    // one that is left without its year is no other day
    await page.keyboard.press("Delete")
    assert.strictEqual(await from.inputValue(), "")
    await page.keyboard.press("Tab")
    await page.getByLabel("to", { exact: true }).focus()
    assert.strictEqual(await from.inputValue(), "2026-02-02")
    assert.include(page.url(), "since=2026-02-02")
  })

  it("is a member's own alone, who may set no bounds", async () => {
    const page = await open("/usage", await keyFor("member"))
    await page.getByText("For this key.").waitFor()
    await page.getByText("No chats in this period.").waitFor()
    assert.strictEqual(await page.getByRole("button", { name: "Change bounds…" }).count(), 0)
  })

  it("stays open while bounds are saved, and says that it failed", async () => {
    const page = await open("/usage")
    const save = Promise.withResolvers<void>()
    await page.route("**/api/bounds", async (route) => {
      if (route.request().method() === "GET") return route.continue()
      await save.promise
      await route.fulfill({ status: 400, json: { message: "Not now." } })
    })
    await page.getByRole("button", { name: "Change bounds…" }).click()
    const dialog = page.locator("dialog[open]")
    await dialog.locator("input:not([readonly])").first().waitFor()
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByRole("button", { name: "Save", disabled: true }).waitFor()
    await page.keyboard.press("Escape")
    await page.keyboard.press("Escape")
    save.resolve()
    await dialog.getByText("Not now.").waitFor()
  })

  it("says when the service does not answer", async () => {
    const page = await open("/usage")
    await page.route("**/api/usage*", (route) => route.fulfill({ status: 500, json: { message: "Broken." } }))
    await page.reload()
    await page.getByText("That did not work").waitFor()
  })

  it("makes a backup, looks through it, and hands it over", async () => {
    const page = await open("/backups")
    await page.getByText("as sensitive as the service's data folder").waitFor()
    await page.getByRole("button", { name: "Make a backup" }).click()
    await page.getByText("files match the manifest").waitFor()
    await page.getByText("not downloaded yet").waitFor()
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: /^Download cairn-backup-/ }).click()
    ])
    await page.getByText("downloaded", { exact: true }).waitFor()
    const archive = readFileSync(await download.path())
    const said = await verified(new Blob([archive]), () => {})
    assert.isAbove(said.events, 20)
    assert.match((await page.locator(".steps-done").textContent()) ?? "", new RegExp(`${said.events} events`))

    const whole = new Blob([archive])
    const files = await filesIn(whole)
    const broken = async (bytes: Buffer) => {
      try {
        await verified(new Blob([new Uint8Array(bytes)]), () => {})
        return "nothing"
      } catch (error) {
        return (error as Error).message
      }
    }
    const at = archive.indexOf(Buffer.from(await files[1]!.content.arrayBuffer()))
    const other = Buffer.from(archive)
    other[at + 20]! ^= 1
    assert.match(await broken(other), /is not as it was written/)
    assert.match(await broken(archive.subarray(0, archive.length - 5_000)), /cut off/)
    assert.match(await broken(archive.subarray(0, 700)), /cut off/)
    assert.match(await broken(Buffer.alloc(0)), /cut off/)
  })

  it("says why there is none, and is the operator's alone", async () => {
    const page = await open("/backups")
    await page.getByLabel("Encrypt for").fill("nobody")
    await page.getByRole("button", { name: "Make a backup" }).click()
    await page.getByText("The backup failed").waitFor()
    await page.getByText("is no recipient of age").waitFor()
    await page.getByText("Sign out").click()
    await page.fill("#key", await keyFor("admin"))
    await page.getByLabel("Stay signed in").check()
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.waitForSelector("header.head")
    await page.goto(`${on.service.url}/backups`)
    await page.getByText("This key has no access").waitFor()
    assert.strictEqual(await page.getByRole("button", { name: "Make a backup" }).count(), 0)
    assert.strictEqual((await clientOf(on.service).keys.list()).keys.length > 0, true)
  })
})
