import type { Locator, Page } from "playwright-core"
import { assert, describe, it } from "vitest"
import { whyNot } from "./chromium.ts"
import { clientOf, startsReading } from "./reading.ts"

declare global {
  interface Window {
    /** What the browser told last that the pointer is over. */
    over: Node
  }
}

/** Where the pointer comes to rest: what is there, and how it lies. */
const aimAt = async (page: Page, target: Locator) => {
  await target.scrollIntoViewIfNeeded()
  const box = (await target.boundingBox())!
  await page.mouse.move(box.x + 20, box.y + box.height / 2)
  return await target.boundingBox()
}

/** Away from all that a page lists. */
const aimAway = (page: Page) => page.mouse.move(5, 5)

describe.skipIf(whyNot() !== undefined)("what comes while a page of the console is looked at", () => {
  const on = startsReading({ filled: false })
  const { open } = on
  /** So many milliseconds later for the page: until then none pass, however long it takes what is looked at. */
  const later = async (page: Page, milliseconds: number) => {
    await page.clock.setFixedTime((await page.evaluate(() => Date.now())) + milliseconds)
    await page.clock.fastForward(milliseconds)
  }
  /** A page whose pointer is not left where it is, however long that takes. */
  const opened = async (path: string) => {
    const page = await open(path)
    await page.clock.setFixedTime(Date.now())
    return page
  }
  const happens = (name: string) => clientOf(on.service).keys.create({ email: `${name}@example.org`, keyName: name })

  const isLive = (page: Page) => page.locator(".live.live").waitFor()

  it("moves no event that the pointer is at: it is counted above, and comes when the pointer has left", async () => {
    await happens("first")
    const page = await opened("/events?type=KeyCreated")
    await isLive(page)
    const rows = page.locator(".events .row")
    const row = rows.first()
    const before = await aimAt(page, row)
    const position = await row.locator("code").first().textContent()
    await happens("second")
    await page.getByRole("button", { name: "Show 1 new" }).waitFor()
    await happens("third")
    await page.getByRole("button", { name: "Show 2 new" }).waitFor()
    assert.deepStrictEqual(await row.boundingBox(), before)
    assert.strictEqual(await row.locator("code").first().textContent(), position)
    // pressed where it stands, it is the one that was meant
    await page.mouse.down()
    await page.mouse.up()
    await page.waitForURL(`**/events/${position}`)
    await page.goBack()
    await isLive(page)
    await aimAt(page, row)
    await happens("fourth")
    await page.getByRole("button", { name: "Show 1 new" }).waitFor()
    const count = await rows.count()
    await aimAway(page)
    await page.getByRole("button", { name: "Show 1 new" }).waitFor({ state: "detached" })
    assert.strictEqual(await rows.count(), count + 1)
  })

  it("nor what asks for the next page, which is asked for where it was pressed", async () => {
    const page = await opened("/events?type=KeyCreated")
    await page.route("**/api/events/newest*type=KeyCreated*", async (route) => {
      const url = new URL(route.request().url())
      const isFurther = url.searchParams.has("before")
      url.searchParams.delete("before")
      const answer = (await (await route.fetch({ url: url.href })).json()) as { events: ReadonlyArray<object> }
      const events = isFurther ? [{ ...answer.events[0], event_id: "earlier", position: "1" }] : answer.events.slice(-2)
      await route.fulfill({ json: { ...answer, events, next_before: isFurther ? null : "2" } })
    })
    await page.reload()
    await isLive(page)
    const more = page.getByRole("button", { name: "Show earlier" })
    const before = await aimAt(page, more)
    await happens("fifth")
    await page.getByRole("button", { name: "Show 1 new" }).waitFor()
    assert.deepStrictEqual(await more.boundingBox(), before)
    await page.mouse.down()
    await page.mouse.up()
    await page.getByText("End of list.").waitFor()
    // asked for, it comes all the same
    await page.getByRole("button", { name: "Show 1 new" }).focus()
    await page.keyboard.press("Enter")
    await page.locator(".events .row").nth(3).waitFor()
    assert.strictEqual(
      await page.evaluate(() => document.activeElement?.getAttribute("aria-label")),
      "Events, newest first"
    )
  })

  it("moves no row of the newest activity that the pointer is at", async () => {
    const page = await opened("/overview")
    const list = page.getByRole("list", { name: "Newest activity" })
    const row = list.locator("li").first()
    await row.waitFor()
    const before = await aimAt(page, row)
    const text = await row.locator(".what").textContent()
    const { codeBlockId } = await clientOf(on.service).snippets.create({
      name: "seen",
      source: "s = 1\n",
      entrypoint: "s",
      language: "python"
    })
    assert.isNotEmpty(codeBlockId)
    await page.getByRole("button", { name: /^Show \d+ new$/ }).waitFor()
    assert.deepStrictEqual(await row.boundingBox(), before)
    assert.strictEqual(await row.locator(".what").textContent(), text)
    await aimAway(page)
    await list.getByText("A snippet was stored").first().waitFor()
  })

  it("moves no key that the pointer is at, nor does a person above it: they are told beside the headings", async () => {
    await happens("aimed-at")
    const page = await opened("/people")
    const listens = page.waitForResponse("**/api/events/stream*")
    await page.reload()
    await listens
    const revoke = page.locator(".keys .row", { hasText: "aimed-at" }).getByRole("button", { name: "Revoke…" })
    await revoke.waitFor()
    const before = await aimAt(page, revoke)
    await happens("sixth")
    await page.getByText("There are changes.").nth(1).waitFor()
    assert.deepStrictEqual(await revoke.boundingBox(), before)
    assert.strictEqual(await page.locator(".persons .row", { hasText: "sixth@" }).count(), 0)
    await aimAway(page)
    await page.locator(".persons .row", { hasText: "sixth@" }).waitFor()
    await page.locator(".keys .row", { hasText: "sixth@" }).waitFor()
    await page.getByText("There are changes.").first().waitFor({ state: "detached" })
    // what the reader does themselves is seen at once, wherever the pointer is
    await page.locator(".keys .row", { hasText: "sixth@" }).getByRole("button", { name: "Revoke…" }).click()
    await page.locator("dialog[open]").getByRole("button", { name: "Revoke", exact: true }).click()
    await page.locator(".keys .row", { hasText: "sixth@" }).waitFor({ state: "detached" })
    await page.locator(".persons .row", { hasText: "sixth@" }).getByText("0 keys").waitFor()
    // a narrow page has the room for that as well
    await page.setViewportSize({ width: 380, height: 800 })
    const narrow = await aimAt(page, revoke)
    await happens("seventh")
    await page.getByText("There are changes.").nth(1).waitFor()
    assert.deepStrictEqual(await revoke.boundingBox(), narrow)
    assert.isAtMost(Number(await page.evaluate("document.documentElement.scrollWidth")), 380)
  })

  it("is asked for once when the pointer has left, also if that fails", async () => {
    await happens("kept-still")
    const page = await opened("/people")
    const listens = page.waitForResponse("**/api/events/stream*")
    await page.reload()
    await listens
    const revoke = page.locator(".keys .row", { hasText: "kept-still" }).getByRole("button", { name: "Revoke…" })
    await revoke.waitFor()
    await aimAt(page, revoke)
    await happens("unasked")
    await page.getByText("There are changes.").nth(1).waitFor()
    let asked = 0
    const lists = ({ pathname }: URL) => pathname === "/api/users" || pathname === "/api/keys/org/list"
    await page.route(lists, (route) => {
      asked++
      return route.fulfill({ status: 400, json: { message: "Broken.", code: "x/y" } })
    })
    await aimAway(page)
    await page.locator(".note.warn", { hasText: "Broken." }).nth(1).waitFor()
    const before = asked
    // each answer would lead to the next question
    for (let n = 0; n < 20; n++) await page.evaluate(() => fetch("/ready").then((answer) => answer.text()))
    assert.strictEqual(asked, before)
    assert.strictEqual(asked, 2)
  })

  it("moves no link below a snippet's runs and votes: they are told beside the headings", async () => {
    const cairn = clientOf(on.service)
    const snippet = { name: "aimed_at", source: "a = 1\n", entrypoint: "a", language: "python" } as const
    const { codeBlockId } = await cairn.snippets.create(snippet)
    const page = await opened("/search")
    const listens = page.waitForResponse("**/api/events/stream*")
    await page.goto(`${on.service.url}/snippets/${codeBlockId}`)
    await listens
    const link = page.getByText("All events in the log")
    await link.waitFor()
    await page.locator(".waiting").first().waitFor({ state: "detached" })
    const before = await aimAt(page, link)
    await cairn.executions.record({ codeBlockId, triggeringTask: "aim", inputData: {}, outputData: 1 })
    await cairn.snippets.vote({ codeBlockId, task: "aim at a link", succeeded: true })
    await page.getByText("There are changes.").nth(1).waitFor()
    assert.deepStrictEqual(await link.boundingBox(), before)
    await aimAway(page)
    await page.locator(".executions li").first().waitFor()
    await page.getByRole("region", { name: "Votes" }).getByText("aim at a link").waitFor()
    await page.getByText("There are changes.").first().waitFor({ state: "detached" })
  })

  it("nor what is below bounds that somebody else has set, but what its reader sets comes at once", async () => {
    const page = await opened("/search")
    const listens = page.waitForResponse("**/api/events/stream*")
    await page.goto(`${on.service.url}/usage`)
    await listens
    const tab = page.getByRole("link", { name: "By person" })
    await tab.waitFor()
    const before = await aimAt(page, tab)
    await clientOf(on.service).setBounds({ chatsPerDay: 100, snippets: 1_000 })
    const waiting = page.getByText("There are changes.")
    await waiting.waitFor()
    assert.deepStrictEqual(await tab.boundingBox(), before)
    await aimAway(page)
    await page.getByText("1,000").waitFor()
    await waiting.waitFor({ state: "detached" })
    await page.getByRole("button", { name: "Change bounds…" }).click()
    const field = page.locator("dialog[open]").getByLabel("Snippets")
    await page.locator("dialog[open] input[readonly]").first().waitFor({ state: "detached" })
    await field.fill("2000")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByText("2,000").waitFor()
  })

  it("comes by itself where a pointer has lain still for five seconds, until it is moved again", async () => {
    await happens("eighth")
    const page = await opened("/events?type=KeyCreated")
    await isLive(page)
    const row = page.locator(".events .row").first()
    const box = (await aimAt(page, row))!
    const waiting = page.getByRole("button", { name: "Show 1 new" })
    await happens("ninth")
    await waiting.waitFor()
    await later(page, 4_900)
    assert.strictEqual(await waiting.count(), 1)
    await later(page, 100)
    await waiting.waitFor({ state: "detached" })
    const first = async () => await row.locator("code").first().textContent()
    const ninth = await first()
    // nobody has come back: what happens now comes at once
    await happens("tenth")
    await page.waitForFunction((before) => document.querySelector(".events .row code")!.textContent !== before, ninth)
    assert.strictEqual(await waiting.count(), 0)
    await page.mouse.move(box.x + 40, box.y + box.height / 2)
    const tenth = await first()
    await happens("eleventh")
    await waiting.waitFor()
    assert.strictEqual(await first(), tenth)
    // while it is held down it is not left, either
    await page.mouse.down()
    await later(page, 20_000)
    assert.strictEqual(await waiting.count(), 1)
    await page.mouse.move(5, 5)
    await page.mouse.up()
    await waiting.waitFor({ state: "detached" })
  })

  it("a button that was let go where the page does not hear is not held down when the pointer is moved again", async () => {
    await happens("fourteenth")
    const page = await opened("/events?type=KeyCreated")
    await isLive(page)
    const row = page.locator(".events .row").first()
    const box = (await aimAt(page, row))!
    await row.dispatchEvent("pointerdown", { button: 2, buttons: 2, clientX: box.x + 20, clientY: box.y + 5 })
    await page.mouse.move(box.x + 40, box.y + box.height / 2)
    const waiting = page.getByRole("button", { name: "Show 1 new" })
    await happens("fifteenth")
    await waiting.waitFor()
    await later(page, 5_000)
    await waiting.waitFor({ state: "detached", timeout: 20_000 })
  })

  it("what has just come under a pointer that lay still is not what its reader presses", async () => {
    const page = await opened("/events?type=KeyCreated")
    await isLive(page)
    const row = page.locator(".events .row").first()
    const position = async () => (await row.locator("code").first().textContent())!
    await page.evaluate(() => {
      document.addEventListener("pointerover", ({ target }) => {
        window.over = target as Node
      })
    })
    await aimAt(page, row)
    const comes = async (name: string) => {
      const before = await position()
      await later(page, 5_000)
      await happens(name)
      await page.waitForFunction((one) => document.querySelector(".events .row code")!.textContent !== one, before)
      // the browser tells a little later than it shows what came under a pointer that lies still
      await page.waitForFunction(() => document.querySelector(".events .row")!.contains(window.over))
    }
    const press = async () => {
      await page.mouse.down()
      await page.mouse.up()
    }
    const list = page.url()
    await comes("twelfth")
    await press()
    assert.strictEqual(page.url(), list)
    // who presses once more means what is there now
    const twelfth = await position()
    await press()
    await page.waitForURL(`**/events/${twelfth}`)
    await page.goBack()
    await isLive(page)
    await aimAt(page, row)
    await comes("thirteenth")
    await later(page, 700)
    const thirteenth = await position()
    await press()
    await page.waitForURL(`**/events/${thirteenth}`)
  })
})
