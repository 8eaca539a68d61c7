import type { Route } from "playwright-core"
import { assert, describe, it } from "vitest"
import { ownerKey } from "#test/service.ts"
import { seriousOn } from "./axe.ts"
import { whyNot } from "./chromium.ts"
import { clientOf, readAs, startsReading } from "./reading.ts"

const attack = '"><img src=x onerror="window.ran=1"><script>window.ran=1</script>\u202e\u001b[2J'

describe.skipIf(whyNot() !== undefined)("people and keys in the console", () => {
  const on = startsReading({ filled: false })
  const { open, keyFor } = on
  const keys = async () => (await clientOf(on.service).keys.list()).keys

  it("are listed with role, use and end, beside tier, seats and rates", async () => {
    await clientOf(on.service).keys.create({
      email: "bea@example.org",
      keyName: "laptop",
      role: "reader",
      readOnly: true,
      expiresAt: "2030-01-31T00:00:00Z"
    })
    const page = await open("/people")
    const key = page.locator(".keys .row", { hasText: "laptop" })
    await key.waitFor()
    assert.match(
      (await key.textContent()) ?? "",
      /cairn_live_.*bea@example\.org reader.*read-only.*expires.*last used never/s
    )
    assert.match(
      (await page.locator(".persons .row", { hasText: "bea@" }).textContent()) ?? "",
      /1 key.*joined just now/s
    )
    const figures = (await page.locator(".figures").textContent()) ?? ""
    assert.match(figures, /Tier\s*Enterprise.*People\s*\d+ of \d+/s)
    assert.match((await page.locator(".note").first().textContent()) ?? "", /Requests per key are not limited/)
  })

  it("get a key that is shown once", async () => {
    const page = await open("/people")
    await page.getByRole("button", { name: "Create a key…" }).click()
    await page.getByRole("button", { name: "Create", exact: true }).click()
    await page.getByText("Enter the person's e-mail and a name for the key.").waitFor()
    await page.getByLabel("Person's e-mail").fill("new@example.org")
    await page.getByLabel("Name").fill("desk")
    await page.locator("dialog[open] select").first().selectOption("member")
    await page.getByRole("button", { name: "Create", exact: true }).click()
    await page.getByText("Copy the key now").waitFor()
    const secret = (await page.locator(".secret code").textContent())!
    assert.match(secret, /^cairn_live_/)
    assert.strictEqual((await clientOf(on.service, secret).system.access()).userEmail, "new@example.org")
    await page.getByRole("button", { name: "Done" }).click()
    await page.locator(".persons .row", { hasText: "new@example.org" }).waitFor()
    await page.locator(".keys .row", { hasText: "desk" }).waitFor()
    assert.notInclude(await page.content(), secret)
    await page.getByRole("button", { name: "Create a key…" }).click()
    assert.strictEqual(await page.getByLabel("Name").inputValue(), "")
  })

  it("say why one was not made", async () => {
    const page = await open("/people")
    await page.getByRole("button", { name: "Create a key…" }).click()
    await page.getByLabel("Person's e-mail").fill("nobody")
    await page.getByLabel("Name").fill("x")
    await page.getByRole("button", { name: "Create", exact: true }).click()
    await page.getByText("is no e-mail address").waitFor()
  })

  it("lose one that is revoked, after a question", async () => {
    const { id, key } = await clientOf(on.service).keys.create({ email: "carl@example.org", keyName: "phone" })
    const page = await open("/people")
    const row = page.locator(".keys .row", { hasText: "phone" })
    await row.getByRole("button", { name: "Revoke…" }).click()
    await page.locator("dialog[open]").getByText("The key stops working at once").waitFor()
    await page.locator("dialog[open]").getByRole("button", { name: "Cancel" }).click()
    assert.isTrue((await keys()).some((one) => one.id === id))
    await row.getByRole("button", { name: "Revoke…" }).click()
    await page.locator("dialog[open]").getByRole("button", { name: "Revoke", exact: true }).click()
    await row.waitFor({ state: "detached" })
    const refused = await clientOf(on.service, key)
      .system.access()
      .catch((error: unknown) => (error as Error).name)
    assert.strictEqual(refused, "AuthenticationError")
  })

  it("change their role, and are erased with all that names them", async () => {
    await clientOf(on.service).keys.create({ email: "dora@example.org", keyName: "dora" })
    const page = await open("/people")
    const row = page.locator(".persons .row", { hasText: "dora@" })
    const select = row.getByLabel("Role of dora@example.org")
    // arrow keys only choose, and what was chosen can be left
    let written = 0
    page.on("request", (request) => request.url().endsWith("/role") && written++)
    await select.focus()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("ArrowDown")
    await row.getByRole("button", { name: "Cancel" }).click()
    assert.strictEqual(await select.inputValue(), "member")
    assert.strictEqual(await row.getByRole("button", { name: /^Make/ }).count(), 0)
    assert.strictEqual(written, 0)
    await select.selectOption("admin")
    await row.getByRole("button", { name: "Make dora@example.org admin" }).click()
    await page.locator(".keys .row", { hasText: "dora@example.org admin" }).waitFor()
    await row.getByRole("button", { name: "Erase…" }).click()
    await page.locator("dialog[open]").getByText("erased for good").waitFor()
    await page.locator("dialog[open]").getByRole("button", { name: "Erase", exact: true }).click()
    await row.waitFor({ state: "detached" })
    await page.locator(".keys .row", { hasText: "dora" }).waitFor({ state: "detached" })
    assert.isFalse(
      (await clientOf(on.service).users.list()).users.some(({ userEmail }) => userEmail.startsWith("dora"))
    )
  })

  it("get no key without an end where a part of the end was typed, but a message at the field", async () => {
    const page = await open("/people")
    await page.getByRole("button", { name: "Create a key…" }).click()
    const fill = async () => {
      await page.getByLabel("Person's e-mail").fill("hans@example.org")
      await page.getByLabel("Name").fill("hans")
      await page.getByLabel("Valid through").focus()
      await page.keyboard.type("0101")
    }
    const unread = page.getByText("This is not a whole date.")
    await fill()
    await page.getByRole("button", { name: "Create", exact: true }).click()
    await unread.waitFor()
    assert.isFalse((await keys()).some(({ name }) => name === "hans"))
    assert.isTrue(await page.getByLabel("Valid through").evaluate((field) => field === document.activeElement))
    assert.deepStrictEqual(await seriousOn(page), [])
    // begun again, nothing of it is left
    await page.getByRole("button", { name: "Cancel" }).click()
    await page.getByRole("button", { name: "Create a key…" }).click()
    assert.strictEqual(await unread.count(), 0)
    const isPart = () =>
      page.getByLabel("Valid through").evaluate((field) => (field as HTMLInputElement).validity.badInput)
    assert.isFalse(await isPart())
    await fill()
    assert.isTrue(await isPart())
    await page.keyboard.type("2031")
    await page.getByRole("button", { name: "Create", exact: true }).click()
    await page.getByText("Copy the key now").waitFor()
    const made = (await keys()).find(({ name }) => name === "hans")
    // as late as the reader's day ends
    assert.strictEqual(made?.expiresAt, "2031-01-01T22:59:59.000Z")
  })

  describe("have the role that was chosen last", () => {
    /** Somebody in a list, and how the service answers each change of their role. */
    const someone = async (
      name: string,
      role: "admin" | "member" | "reader",
      answer: (nth: number, route: Route) => Promise<void>
    ) => {
      const { userEmail } = await clientOf(on.service).keys.create({
        email: `${name}@example.org`,
        keyName: name,
        role
      })
      const page = await open("/people")
      const written: Array<string> = []
      const at = { now: 0, most: 0 }
      await page.route("**/api/users/*/role", async (route) => {
        at.most = Math.max(at.most, ++at.now)
        await answer(written.push(route.request().postDataJSON().role), route)
        at.now--
      })
      const row = page.locator(".persons .row", { hasText: `${name}@` })
      const now = async () =>
        (await clientOf(on.service).users.list()).users.find((one) => one.userEmail === userEmail)?.role
      const select = row.getByRole("combobox")
      const make = async (role: string) => {
        await select.selectOption(role)
        await row.getByRole("button", { name: /^Make/ }).press("Enter")
      }
      return { page, row, select, make, written, at, now }
    }

    it("by keys, too: one write at a time, and the select keeps the focus", async () => {
      const held = Promise.withResolvers<void>()
      const { page, select, make, written, at, now } = await someone("gina", "admin", async (nth, route) => {
        if (nth === 1) await held.promise
        await route.continue()
      })
      await make("member")
      await make("reader")
      assert.strictEqual(await select.inputValue(), "reader")
      held.resolve()
      await page.locator(".keys .row", { hasText: "gina@example.org reader" }).waitFor()
      assert.deepStrictEqual([written, at.most], [["member", "reader"], 1])
      assert.strictEqual(await now(), "reader")
      assert.strictEqual(await select.inputValue(), "reader")
      assert.isTrue(await select.evaluate((field) => field === document.activeElement))
    })

    it("also where the one before was refused", async () => {
      const held = Promise.withResolvers<void>()
      const { page, row, select, make, written, now } = await someone("ida", "member", async (nth, route) => {
        if (nth > 1) return route.continue()
        await held.promise
        await route.fulfill({ status: 409, json: { message: "Not now.", code: "conflict/owner_stays" } })
      })
      // a list that is loaded again would say what is true, too
      const isTime = Promise.withResolvers<void>()
      await page.route(
        ({ pathname }) => pathname === "/api/users",
        async (route) => {
          await isTime.promise
          await route.continue()
        }
      )
      await make("admin")
      await make("reader")
      held.resolve()
      await page.locator(".keys .row", { hasText: "ida@example.org reader" }).waitFor()
      assert.deepStrictEqual(written, ["admin", "reader"])
      assert.strictEqual(await now(), "reader")
      assert.strictEqual(await select.inputValue(), "reader")
      assert.strictEqual(await row.getByRole("alert").count(), 0)
      isTime.resolve()
    })

    it("or the service's own with what went wrong, where a write failed or its answer was lost", async () => {
      const { page, row, select, make, now } = await someone("jo", "member", async (nth, route) => {
        if (nth === 1)
          return route.fulfill({ status: 409, json: { message: "Not now.", code: "conflict/owner_stays" } })
        await route.fetch()
        await route.fulfill({ status: 422, json: { message: "Lost.", code: "validation/x" } })
      })
      await make("reader")
      await row.getByRole("alert").getByText("Not now.").waitFor()
      assert.strictEqual(await select.inputValue(), "member")
      await make("reader")
      await row.getByRole("alert").getByText("Lost.").waitFor()
      assert.strictEqual(await now(), "reader")
      assert.strictEqual(await select.inputValue(), "reader")
      // the list that is loaded again takes the message from nobody
      await page.locator(".keys .row", { hasText: "jo@example.org reader" }).waitFor()
      assert.isTrue(await row.getByRole("alert").getByText("Lost.").isVisible())
    })
  })

  it("come page by page where there are many", async () => {
    const page = await open("/people")
    await page.locator(".keys .row").first().waitFor()
    // as often as it is asked for: what the test before did may be told now
    let asked = 0
    await page.route("**/api/keys/org/list*", async (route) => {
      // the cursor is no service's
      if (route.request().url().includes("cursor=")) return route.continue()
      const name = `answer ${++asked}.`
      const response = await route.fetch()
      const answer = (await response.json()) as { keys: Array<{ id: string }>; next_cursor: string | null }
      const of = answer.keys[0] ?? { id: "x" }
      const keys = Array.from({ length: 100 }, (_, n) => ({ ...of, id: `${n}`, name }))
      await route.fulfill({ json: { ...answer, keys, next_cursor: "next" } })
    })
    await page.reload()
    await page.locator(".keys .row").nth(99).waitFor()
    await page.getByRole("button", { name: "Show more" }).click()
    const problem = page.locator(".problem", { hasText: "cursor" })
    await problem.waitFor()
    assert.strictEqual(await page.locator(".keys .row").count(), 100)
    // what somebody else does loads the first page again, and takes nothing away that is to be read
    const before = asked
    await clientOf(on.service).keys.create({ email: "fay@example.org", keyName: "meanwhile" })
    await page
      .locator(".keys .row", { hasText: `answer ${before + 1}.` })
      .first()
      .waitFor()
    assert.isTrue(await problem.isVisible())
  })

  it("leave who has gone further where they are, and tell them that there are others now", async () => {
    const page = await open("/people")
    await page.locator(".keys .row").first().waitFor()
    const asked: Array<string> = []
    await page.route("**/api/keys/org/list*", async (route) => {
      const url = new URL(route.request().url())
      const further = url.searchParams.get("cursor") ?? ""
      asked.push(further)
      url.searchParams.delete("cursor")
      const response = await route.fetch({ url: url.href })
      const answer = (await response.json()) as { keys: Array<object> }
      const keys = Array.from({ length: 100 }, (_, n) => ({ ...answer.keys[0], id: `${further} ${n}` }))
      await route.fulfill({ json: { ...answer, keys, next_cursor: further === "" ? "next" : null } })
    })
    const listens = page.waitForResponse("**/api/events/stream*")
    await page.reload()
    const rows = page.locator(".keys .row")
    await rows.nth(99).waitFor({ state: "attached" })
    await listens
    // by keys: under a pointer it would keep all lists above it as they are
    await page.getByRole("button", { name: "Show more" }).press("Enter")
    await rows.nth(199).waitFor({ state: "attached" })
    const { length } = asked
    await clientOf(on.service).keys.create({ email: "eve@example.org", keyName: "one more" })
    // of people there is one page: it is asked for anew, and by the same event
    await page.locator(".persons .row", { hasText: "eve@" }).waitFor()
    await page.getByText("There are changes").waitFor()
    assert.strictEqual(await rows.count(), 200)
    assert.strictEqual(asked.length, length)
    await page.getByRole("button", { name: "Refresh" }).click()
    await rows.nth(199).waitFor({ state: "detached" })
    assert.deepStrictEqual(asked.slice(length), [""])
    assert.strictEqual(await page.getByText("There are changes").count(), 0)
  })

  it("are not there for who may not see them", async () => {
    const page = await open("/people", await keyFor("member"))
    await page.getByText("This key has no access").first().waitFor()
    const menu = page.getByRole("navigation", { name: "Console" })
    assert.strictEqual(await menu.getByText("People").count(), 0)
    assert.strictEqual(await menu.getByText("Backups").count(), 0)
    assert.strictEqual(await page.getByRole("button", { name: "Create a key…" }).count(), 0)
  })

  it("of a lesser admin have no buttons of what is refused: owners' keys and roles stay", async () => {
    const page = await open("/people", await keyFor("admin"))
    const owner = page.locator(".keys .row", { hasText: "owner" }).first()
    await owner.waitFor()
    assert.strictEqual(await owner.getByRole("button").count(), 0)
    await page.getByRole("button", { name: "Create a key…" }).click()
    assert.deepStrictEqual(await page.locator("dialog[open] select").first().locator("option").allTextContents(), [
      "their current role, or member if new",
      "member",
      "reader"
    ])
  })

  it("end the session when the key is revoked in the middle, and say so", async () => {
    const { id, key } = await clientOf(on.service).keys.create({
      email: "eve@example.org",
      keyName: "eve",
      role: "admin"
    })
    const page = await open("/people", key)
    await page.locator(".keys .row", { hasText: "eve" }).getByText("this one").waitFor()
    await clientOf(on.service).keys.revoke(id)
    // whatever asks next, or the live source by itself, hears of it
    await page.getByText(/no longer valid/).waitFor()
    assert.strictEqual(new URL(page.url()).pathname, "/people")
    await page.fill("#key", ownerKey)
    await page.keyboard.press("Enter")
    await page.locator(".keys .row").first().waitFor()
  })

  it("have names that are text, whatever they say", async () => {
    await clientOf(on.service).keys.create({
      email: "<b>@x<img>.org".replace(/[<>]/g, ""),
      keyName: attack.slice(0, 150)
    })
    const page = await open("/people")
    await page.locator(".keys .row", { hasText: "<img src=x" }).waitFor()
    await page.locator(".keys .row", { hasText: "<img src=x" }).getByRole("button", { name: "Revoke…" }).click()
    assert.strictEqual(await page.evaluate("window.ran"), undefined)
    assert.strictEqual(await page.locator("#console img, #console script").count(), 0)
  })

  it("say when the service does not answer", async () => {
    const page = await open("/people")
    await page.route("**/api/users*", (route) =>
      route.fulfill({ status: 500, json: { message: "Broken.", code: "internal/error" } })
    )
    await page.reload()
    await page.getByText("That did not work").waitFor()
    await page.unroute("**/api/users*")
    await page.getByText("Try again").click()
    await page.locator(".persons .row").first().waitFor()
  })

  it("are there for a reader of the narrow kind", async () => {
    on.reader = await on.browser.open({ viewport: { width: 380, height: 700 } })
    await readAs(on.reader, on.service, "/people")
    await on.reader.page.locator(".keys .row").first().waitFor()
    assert.isAtMost((await on.reader.page.evaluate("document.documentElement.scrollWidth")) as number, 380)
  })
})
