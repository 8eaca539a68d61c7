import type { Page } from "playwright-core"
import { assert, describe, it } from "vitest"
import { whyNot } from "./chromium.ts"
import { clientOf, startsReading } from "./reading.ts"

describe.skipIf(whyNot() !== undefined)("the focus of who goes by keys", () => {
  const on = startsReading()
  const { open } = on

  /** What has the focus: its name, or its words. */
  const focused = (page: Page): Promise<string> =>
    page.evaluate(() => {
      const at = document.activeElement!
      if (at === document.body) return "nothing"
      const label = at instanceof HTMLInputElement ? at.labels?.[0]?.textContent : at.textContent
      return (at.getAttribute("aria-label") ?? label ?? "").replaceAll(/\s+/g, " ").trim()
    })

  const waitForFocus = (page: Page, text: string) =>
    page.waitForFunction(
      (text) => {
        const at = document.activeElement!
        const label = at instanceof HTMLInputElement ? at.labels?.[0]?.textContent : at.textContent
        return at !== document.body && (at.getAttribute("aria-label") ?? label ?? "").includes(text)
      },
      text,
      { polling: "raf" }
    )

  const press = async (page: Page, name: string | RegExp) => {
    await page.getByRole("button", { name }).first().focus()
    await page.keyboard.press("Enter")
  }

  it("goes to the fields that a button made way for", async () => {
    const page = await open("/")
    await press(page, "More…")
    await waitForFocus(page, "Agent")
  })

  it("stays at the end of a list that has no further page, and of a text that is shown whole", async () => {
    const page = await open("/people")
    await page.route("**/api/keys/org/list*", async (route) => {
      const url = new URL(route.request().url())
      const isFurther = url.searchParams.has("cursor")
      url.searchParams.delete("cursor")
      const answer = (await (await route.fetch({ url: url.href })).json()) as { keys: ReadonlyArray<object> }
      const keys = Array.from({ length: 100 }, (_, n) => ({ ...answer.keys[0], id: `${isFurther} ${n}` }))
      await route.fulfill({ json: { ...answer, keys, next_cursor: isFurther ? null : "next" } })
    })
    await page.reload()
    await page.locator(".keys .row").nth(99).waitFor({ state: "attached" })
    await press(page, "Show more")
    await waitForFocus(page, "End of list.")
    // the next stop is none of what was before it
    await page.keyboard.press("Shift+Tab")
    assert.match(await focused(page), /^Revoke…/)

    const { codeBlockId } = await clientOf(on.service).snippets.create({
      name: "much_said",
      source: "m = 1\n",
      entrypoint: "m",
      language: "python"
    })
    const given = { codeBlockId, triggeringTask: "much", inputData: "z".repeat(30_000), outputData: 1 }
    await clientOf(on.service).executions.record(given)
    await page.goto(`${on.service.url}/snippets/${codeBlockId}`)
    await page.locator(".executions summary").first().press("Enter")
    await press(page, "Show all")
    await waitForFocus(page, "The whole text is shown.")
  })

  it("goes to what came in the place of a list that had not come", async () => {
    const page = await open("/workspaces")
    await page.route("**/api/workspaces?*", (route) => route.fulfill({ status: 500, json: { message: "Broken." } }))
    await page.reload()
    await page.getByText("That did not work").waitFor()
    await page.unroute("**/api/workspaces?*")
    await press(page, "Try again")
    await page.locator(".workspaces .row").first().waitFor()
    await page.waitForFunction(() => document.activeElement?.querySelector(".workspaces .row") != null)
  })

  it("goes to the row behind one that is taken away, and to its list from its last one", async () => {
    for (const name of ["one", "two"])
      await clientOf(on.service).keys.create({ email: `${name}@example.org`, keyName: `key-${name}` })
    const page = await open("/people")
    const revoke = async (name: string) => {
      await press(page, new RegExp(`^Revoke… key-${name}`))
      await page.keyboard.press("Tab")
      assert.strictEqual(await focused(page), "Revoke")
      await page.keyboard.press("Enter")
      await page.locator(".keys .row", { hasText: `key-${name}` }).waitFor({ state: "detached" })
    }
    await page.locator(".keys .row", { hasText: "key-two" }).waitFor()
    await revoke("one")
    await waitForFocus(page, "key-two")
    await revoke("two")
    await page.waitForFunction(() => document.activeElement?.matches(".keys .row") === true)
    assert.notInclude(await focused(page), "key-two")
  })

  it("goes from the button that makes a key to the key, within the question", async () => {
    const page = await open("/people")
    await press(page, "Create a key…")
    await page.getByLabel("Person's e-mail").fill("kim@example.org")
    await page.getByLabel("Name").fill("kim")
    const create = page.locator("dialog[open]").getByRole("button", { name: "Create", exact: true })
    await create.focus()
    await page.keyboard.press("Enter")
    await waitForFocus(page, "kim of kim@example.org")
    await page.keyboard.press("Tab")
    assert.strictEqual(await focused(page), "Copy the key")
  })

  it("goes to what stops a comparison from what began it, and is on the page when that has ended", async () => {
    const page = await open("/read-models")
    await page.locator(".read-models tbody tr").first().waitFor()
    await press(page, /^Verify /)
    // it may have ended before it is looked at
    await page.getByText("matches the log").first().waitFor()
    await page.waitForFunction(() => document.activeElement !== document.body)
    assert.isTrue(await page.evaluate(() => document.querySelector("main")!.contains(document.activeElement)))
  })

  it("is in the field for a key when its reader has signed out", async () => {
    const page = await open("/workspaces")
    await press(page, "Sign out")
    await waitForFocus(page, "API key")
  })

  it("goes to the content where that is asked for, and moves no page", async () => {
    const page = await open("/people")
    await page.clock.install()
    await page.reload()
    await page.locator(".keys .row").first().waitFor()
    await page.setViewportSize({ width: 800, height: 200 })
    await page.evaluate(() => scrollTo(0, 150))
    await page.waitForFunction(() => scrollY === 150)
    await page.getByRole("link", { name: "Workspaces" }).press("Enter")
    await page.locator(".workspaces .row").first().waitFor()
    // the browser moves it to its content by itself
    const moved = await page.evaluateHandle(() => {
      const places: Array<unknown> = []
      window.scrollTo = (...to: ReadonlyArray<unknown>) => void places.push(to)
      return places
    })
    await page.getByRole("link", { name: "Skip to content" }).focus()
    await page.keyboard.press("Enter")
    await page.waitForURL("**/workspaces#main")
    // longer than it takes until a page that one comes back to is scrolled
    await page.clock.runFor(1_000)
    assert.deepStrictEqual(await moved.jsonValue(), [])
    await waitForFocus(page, "Workspaces")
  })

  it("is in the box of the search, also when its reader comes by the menu", async () => {
    const page = await open("/people")
    await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Search" }).press("Enter")
    await waitForFocus(page, "Task")
  })

  it("is left alone where nothing of it was taken away", async () => {
    const page = await open("/people")
    const { id } = await clientOf(on.service).keys.create({ email: "left@example.org", keyName: "key-left" })
    const listens = page.waitForResponse("**/api/events/stream*")
    await page.reload()
    await listens
    const row = page.locator(".keys .row", { hasText: "key-left" })
    await row.getByRole("button", { name: "Revoke…" }).focus()
    // beside all that could have it
    await page.mouse.click(5, 5)
    assert.strictEqual(await focused(page), "nothing")
    // what had it once is taken away by somebody else
    await clientOf(on.service).keys.revoke(id)
    await row.waitFor({ state: "detached" })
    assert.strictEqual(await focused(page), "nothing")
    await page.getByText("Workspaces").first().click()
    await page.locator(".workspaces .row").first().waitFor()
    assert.strictEqual(await page.evaluate(() => document.activeElement?.id), "main")
  })
})
