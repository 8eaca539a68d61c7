import type { Page, Route } from "playwright-core"
import { assert, describe, it } from "vitest"
import { whyNot } from "./chromium.ts"
import { clientOf, startsReading } from "./reading.ts"

/** A question for a page of a list, which is answered when the test says so. */
interface Question {
  readonly url: URL
  /** The number of the question, from 1. */
  readonly number: number
  readonly answer: () => Promise<void>
  readonly refuse: () => Promise<void>
}

/**
 * Holds a list's questions. `answerOf` makes of what the service says what the list has: it is asked when the question
 * comes, and told later.
 */
const holding = async (page: Page, address: string, answerOf: (answer: never, url: URL, number: number) => object) => {
  const questions: Array<Question> = []
  let isHeld = false
  await page.route(address, async (route: Route) => {
    const url = new URL(route.request().url())
    const number = questions.length + 1
    const asked = new URL(url)
    // a page's place is made up, and none of the service's
    for (const name of ["cursor", "before", "stream"]) asked.searchParams.delete(name)
    const answered = route.fetch({ url: asked.href }).then(async (response) => response.json())
    const answer = async () => {
      // who has given up on it is told nothing
      await route.fulfill({ json: answerOf((await answered) as never, url, number) }).catch(() => {})
    }
    const refuse = () => route.fulfill({ status: 400, json: { message: "Refused.", code: "validation/invalid_field" } })
    questions.push({ url, number, answer, refuse })
    if (!isHeld) await answer()
  })
  return {
    questions,
    hold: () => {
      isHeld = true
    },
    letGo: () => {
      isHeld = false
    }
  }
}

const nextFrame = (page: Page) => page.evaluate(() => new Promise(requestAnimationFrame))

/** The question that comes next, once it is there. */
const nextOf = async (page: Page, questions: ReadonlyArray<Question>, before: number): Promise<Question> => {
  while (questions.length <= before) await nextFrame(page)
  return questions[before]!
}

/** What would have been done after a pause. */
interface Held {
  readonly due: ReadonlyArray<() => void>
}

interface Keys {
  readonly keys: ReadonlyArray<object>
}

/** Two pages of a hundred keys, each called by the question that it answers. */
const twoPages = ({ keys }: Keys, url: URL, number: number) => {
  const further = url.searchParams.has("cursor")
  const row = (_: unknown, n: number) => ({ ...keys[0], id: `${number} ${n}`, name: `answer ${number}, ${n}.` })
  return { keys: Array.from({ length: 100 }, row), organization_id: "o", next_cursor: further ? null : "next" }
}

describe.skipIf(whyNot() !== undefined)("a list of the console", () => {
  const on = startsReading({ filled: false })
  const { open } = on

  /** The list of keys, with its first page, on a page that hears what happens. */
  const keys = async () => {
    const page = await open("/people")
    const held = await holding(page, "**/api/keys/org/list*", twoPages)
    const listens = page.waitForResponse("**/api/events/stream*")
    await page.reload()
    const rows = page.locator(".keys .row")
    await rows.nth(99).waitFor({ state: "attached" })
    await listens
    // pressed by keys: rows that come in sight move it from under a mouse
    return { page, rows, ...held, more: page.getByRole("button", { name: "Show more" }) }
  }
  /** The list of events, with its first page: each stream is called by the question that it answers. */
  const events = async () => {
    const page = await open("/events?as_of=1")
    const rows = page.locator(".events .row")
    await rows.first().waitFor()
    const held = await holding(
      page,
      "**/api/events/newest*",
      (answer: { events: ReadonlyArray<object> }, url, number) => {
        const event = (_: unknown, n: number) => ({
          ...answer.events[0],
          event_id: `${number} ${n}`,
          stream: `answer-${number}`
        })
        return {
          ...answer,
          events: Array.from({ length: 100 }, event),
          next_before: url.searchParams.has("before") ? null : "9"
        }
      }
    )
    await page.goto(`${on.service.url}/events?as_of=2`)
    await rows.nth(99).waitFor({ state: "attached" })
    return { page, rows, ...held, more: page.getByRole("button", { name: "Show earlier" }) }
  }

  const happens = (name: string) => clientOf(on.service).keys.create({ email: `${name}@example.org`, keyName: name })

  it("that is on its way anew has its next page behind the new first one, when that is asked for meanwhile", async () => {
    const { page, rows, questions, hold, letGo, more } = await keys()
    hold()
    const before = questions.length
    await happens("ann")
    const anew = await nextOf(page, questions, before)
    await more.press("Enter")
    letGo()
    await anew.answer()
    await rows.nth(199).waitFor({ state: "attached" })
    assert.match((await rows.first().textContent()) ?? "", new RegExp(`answer ${anew.number}, 0\\.`))
    assert.match((await rows.nth(100).textContent()) ?? "", new RegExp(`answer ${anew.number + 1}, 0\\.`))
    assert.strictEqual(questions.length, before + 2)
  })

  it("that is asked for anew in the moment in which its next page is has that one behind the new first one", async () => {
    for (const isFurtherFirst of [true, false]) {
      const { page, rows, questions, hold, letGo, more } = await keys()
      const before = questions.length
      // the pause after something has happened ends in the moment in which the button is pressed
      await page.evaluate(() => {
        const own = window.setTimeout
        const due: Array<() => void> = []
        const held = (then: () => void, pause: number) => (pause === 1_000 ? due.push(then) : own(then, pause))
        Object.assign(window, { due, setTimeout: held })
      })
      hold()
      await happens(`gil${isFurtherFirst}`)
      while (!(await page.evaluate(() => (window as unknown as Held).due.length > 0))) await nextFrame(page)
      await more.evaluate((button: HTMLElement) => {
        button.click()
        for (const then of (window as unknown as Held).due) then()
      })
      const further = await nextOf(page, questions, before)
      const anew = await nextOf(page, questions, before + 1)
      assert.deepStrictEqual(
        [further, anew].map(({ url }) => url.searchParams.has("cursor")),
        [true, false]
      )
      letGo()
      for (const question of isFurtherFirst ? [further, anew] : [anew, further]) await question.answer()
      await rows.nth(199).waitFor({ state: "attached" })
      await rows.first().getByText(`answer ${anew.number}, 0.`).first().waitFor()
      await rows
        .nth(100)
        .getByText(`answer ${anew.number + 1}, 0.`)
        .first()
        .waitFor()
      assert.strictEqual(questions.length, before + 3)
    }
  })

  it("whose next page is on its way is not asked for anew by what happens: its reader is told", async () => {
    const { page, rows, questions, hold, letGo, more } = await keys()
    hold()
    const before = questions.length
    await more.press("Enter")
    const further = await nextOf(page, questions, before)
    assert.strictEqual(await more.getAttribute("aria-disabled"), "true")
    await happens("bob")
    await page.getByText("There are changes").waitFor()
    letGo()
    await further.answer()
    await rows.nth(199).waitFor({ state: "attached" })
    assert.strictEqual(questions.length, before + 1)
    await page.getByText("There are changes").waitFor()
  })

  it("whose next page did not come is asked for anew where something has happened meanwhile", async () => {
    const { page, rows, questions, hold, letGo, more } = await keys()
    hold()
    const before = questions.length
    await more.press("Enter")
    const further = await nextOf(page, questions, before)
    await happens("cleo")
    await page.getByText("There are changes").waitFor()
    letGo()
    await further.refuse()
    await rows
      .first()
      .getByText(`answer ${before + 2}, 0.`)
      .first()
      .waitFor()
  })

  it("that is on its way when something happens is asked for once more: what was read before that is none", async () => {
    const { page, rows, questions, hold, letGo, more } = await keys()
    await more.press("Enter")
    await rows.nth(199).waitFor({ state: "attached" })
    await happens("dora")
    hold()
    const before = questions.length
    await page.getByRole("button", { name: "Refresh" }).press("Enter")
    const first = await nextOf(page, questions, before)
    await happens("emil")
    // the other list hears of it at the same moment, and has its answer
    await page.locator(".persons .row", { hasText: "emil@" }).waitFor()
    letGo()
    await first.answer()
    await rows
      .first()
      .getByText(`answer ${first.number + 1}, 0.`)
      .first()
      .waitFor()
    assert.strictEqual(await rows.count(), 100)
    assert.strictEqual(questions.length, before + 2)
  })

  it("loses what its reader takes away, who stays where they are", async () => {
    const { page, rows, questions, more } = await keys()
    await more.press("Enter")
    await rows.nth(199).waitFor({ state: "attached" })
    const before = questions.length
    await page.route("**/api/keys/org/revoke", (route) => route.fulfill({ json: { success: true, key_id: "k" } }))
    const row = page.locator(".keys .row", { hasText: `answer ${before}, 7.` })
    await row.getByRole("button", { name: "Revoke…" }).click()
    await page.locator("dialog[open]").getByRole("button", { name: "Revoke", exact: true }).click()
    await row.waitFor({ state: "detached" })
    assert.strictEqual(await rows.count(), 199)
    assert.strictEqual(questions.length, before)
  })

  it("of very many rows has those that are near, and keeps the room of the others, also of those that went", async () => {
    const [pages, atOnce] = [10, 300]
    const page = await open("/people")
    await holding(page, "**/api/keys/org/list*", ({ keys }: Keys, _, number) => ({
      keys: Array.from({ length: atOnce }, (_, n) => ({
        ...keys[0],
        id: `${number} ${n}`,
        name: `page ${number}, ${n}.`,
        // said in the same words all along: longer ones would make a row higher
        last_used_at: "2020-01-01T00:00:00.000Z"
      })),
      organization_id: "o",
      next_cursor: number === pages ? null : "next"
    }))
    await page.reload()
    const rows = page.locator(".keys .row")
    const inSight = (number: number, n: number) => rows.filter({ hasText: `page ${number}, ${n}.` })
    await inSight(1, atOnce - 1).waitFor({ state: "attached" })
    const first = await inSight(1, 0).evaluateHandle((row) => new WeakRef(row))
    const more = page.getByRole("button", { name: "Show more" })
    await more.focus()
    for (let number = 2; number <= pages; number++) {
      await page.keyboard.press("Enter")
      await inSight(number, atOnce - 1).waitFor({ state: "attached" })
    }
    // who presses it again and again by its key alone has in the end what was asked for, and not only its room
    for (let frames = 0; frames < 3; frames++) await page.evaluate(() => new Promise(requestAnimationFrame))
    assert.strictEqual(await inSight(pages, 0).count(), 1)
    // what is read is that it stays near, however far it is
    await page.getByText("End of list.").scrollIntoViewIfNeeded()
    await inSight(1, 0).waitFor({ state: "detached" })
    assert.isBelow(await rows.count(), (pages - 1) * atOnce)
    // and nothing holds on to what went
    const inspector = await page.context().newCDPSession(page)
    await inspector.send("HeapProfiler.collectGarbage")
    assert.isTrue(await first.evaluate((row) => row.deref() === undefined))
    // nor on the list as it was with each page that was turned, but for what rows that are near were made among
    const { result } = await inspector.send("Runtime.evaluate", { expression: "Array.prototype" })
    const { objects } = await inspector.send("Runtime.queryObjects", { prototypeObjectId: result.objectId! })
    const alive = await inspector.send("Runtime.callFunctionOn", {
      objectId: objects.objectId!,
      functionDeclaration: `function () { return this.filter((one) => one.length > ${atOnce} && one[0]?.name === "page 1, 0.").length }`
    })
    assert.isBelow(Number(alive.result.value), pages - 2)
    const lists = page.locator(".keys")
    assert.strictEqual(await lists.count(), (pages * atOnce) / 50)
    const heightOf = (n: number) => lists.nth(n).evaluate((list) => list.getBoundingClientRect().height)
    const height = await heightOf(0)
    assert.isAbove(height, 500)
    await page.evaluate(() => scrollTo(0, 0))
    await inSight(1, 0).waitFor()
    await inSight(pages, atOnce - 1).waitFor({ state: "detached" })
    assert.closeTo(await heightOf(0), height, height / 20)
    // a row that has the focus is kept, wherever its reader looks
    await inSight(1, 0).getByRole("button", { name: "Revoke…" }).focus()
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
    await inSight(pages, atOnce - 1).waitFor()
    await inSight(2, 0).waitFor({ state: "detached" })
    assert.match((await page.locator(":focus").getAttribute("aria-label")) ?? "", /page 1, 0\./)
  })

  it("has no page of another one behind it, nor its fault", async () => {
    const { page, rows, questions, hold, letGo, more } = await events()
    hold()
    const before = questions.length
    await more.press("Enter")
    const late = await nextOf(page, questions, before)
    // another list, of which nothing is there yet: what is seen is the first one's still
    await page.getByLabel("Stream").fill("organization-x")
    await page.keyboard.press("Enter")
    const other = await nextOf(page, questions, before + 1)
    // who goes by a mouse presses what is busy, too
    await more.dispatchEvent("click")
    letGo()
    await other.answer()
    const theirs = rows.getByText(`answer-${other.number}`)
    await theirs.nth(99).waitFor({ state: "attached" })
    assert.deepStrictEqual(
      questions.slice(before).map(({ url }) => [url.searchParams.get("stream"), url.searchParams.get("before")]),
      [
        [null, "9"],
        ["organization-x", null]
      ]
    )
    // a third one that is on its way has none to show yet: the button is that of what is seen
    hold()
    await page.getByLabel("Stream").fill("organization-y")
    await page.keyboard.press("Enter")
    const third = await nextOf(page, questions, before + 2)
    await more.and(page.locator("[aria-disabled=true]")).waitFor()
    letGo()
    await third.answer()
    await rows.getByText(`answer-${third.number}`).nth(99).waitFor({ state: "attached" })
    // it has its own next page, though the first one's is on its way still
    await more.press("Enter")
    await rows.nth(199).waitFor({ state: "attached" })
    const told = page.waitForResponse((response) => response.url() === late.url.href)
    await late.refuse()
    await told
    await nextFrame(page)
    assert.strictEqual(await rows.count(), 200)
    assert.strictEqual(await page.locator(".problem", { hasText: "Refused." }).count(), 0)
  })

  it("that is come back to has no fault of the time before", async () => {
    const { page, rows, questions, hold, letGo, more } = await events()
    hold()
    const before = questions.length
    await more.press("Enter")
    const further = await nextOf(page, questions, before)
    letGo()
    await further.refuse()
    const problem = page.locator(".problem", { hasText: "Refused." })
    await problem.waitFor()
    for (const [after, stream] of ["organization-x", ""].entries()) {
      await page.getByLabel("Stream").fill(stream)
      await page.keyboard.press("Enter")
      await rows
        .getByText(`answer-${before + 2 + after}`)
        .nth(99)
        .waitFor({ state: "attached" })
      assert.strictEqual(await problem.count(), 0)
    }
  })
})
