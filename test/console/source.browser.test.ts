import { assert, describe, it } from "vitest"
import { ownerKey } from "#test/service.ts"
import { whyNot } from "./chromium.ts"
import { cuttable } from "./cuttable.ts"
import { clientOf, readAs, startsReading } from "./reading.ts"

describe.skipIf(whyNot() !== undefined)("what happens, in the console", () => {
  const on = startsReading({ filled: false })

  const vote = async (name: string) => {
    const cairn = clientOf(on.service)
    const { codeBlockId } = await cairn.snippets.create({
      name,
      source: `${name} = 1\n`,
      entrypoint: name,
      language: "python"
    })
    return cairn.snippets.comment(codeBlockId, `of ${name}`)
  }

  it("is shown as it comes, and after a cut all that came meanwhile, once, which is said", async () => {
    const between = await cuttable(on.service.url)
    try {
      await vote("first")
      on.reader = await on.browser.open()
      const { page } = on.reader
      await readAs(on.reader, between, "/overview")
      const list = page.getByRole("list", { name: "Newest activity" })
      await list.getByText("A comment was added").waitFor()
      await page.locator(".live", { hasText: "Live" }).waitFor()
      await vote("second")
      await list.getByText("A comment was added").nth(1).waitFor()
      between.cut()
      await page.locator(".live", { hasText: "Disconnected" }).waitFor()
      await page.getByText("the connection was lost", { exact: false }).or(page.locator(".note.warn")).first().waitFor()
      await vote("third")
      await vote("fourth")
      assert.strictEqual(await list.getByText("A comment was added").count(), 2)
      between.mend()
      await page.locator(".live", { hasText: "Live" }).waitFor()
      await list.getByText("A comment was added").nth(3).waitFor()
      assert.strictEqual(await page.locator(".note.warn").count(), 0)
      assert.strictEqual(await list.getByText("A comment was added").count(), 4)
      between.cut()
      await page.getByRole("button", { name: "Try now" }).waitFor()
      between.mend()
      await page.getByRole("button", { name: "Try now" }).click()
      await page.locator(".live", { hasText: "Live" }).waitFor()
    } finally {
      await between.close()
    }
  })

  it("is one connection, whichever page looks, and none where nobody does", async () => {
    on.reader = await on.browser.open()
    const { page } = on.reader
    const opened: Array<string> = []
    page.on("request", (request) => request.url().includes("/api/events/stream") && opened.push(request.url()))
    await readAs(on.reader, on.service, "/chat")
    assert.lengthOf(opened, 0)
    await page.getByRole("link", { name: "Overview" }).click()
    await page.locator(".live", { hasText: "Live" }).waitFor()
    await page.getByRole("link", { name: "Search" }).click()
    await page.getByRole("link", { name: "Overview" }).click()
    await page.locator(".live", { hasText: "Live" }).waitFor()
    assert.lengthOf(opened, 1)
    const gone = page.waitForEvent("requestfailed", (request) => request.url() === opened[0])
    await page.getByRole("link", { name: "Chat" }).click()
    await gone
  })

  it("is loaded again where something came before it could be followed", async () => {
    await vote("heard")
    on.reader = await on.browser.open()
    const { page } = on.reader
    let isAway = true
    await page.route("**/api/events/newest?*limit=50*", (route) =>
      isAway ? route.fulfill({ status: 503, json: { message: "Away.", code: "x/y" } }) : route.continue()
    )
    await readAs(on.reader, on.service, "/events?type=CommentAdded")
    const rows = page.locator(".events .row")
    await rows.first().waitFor()
    await page.locator(".note.warn", { hasText: "Away." }).waitFor()
    const before = await rows.count()
    await vote("unheard")
    await page.getByRole("button", { name: "Try now" }).click()
    await page.mouse.move(5, 5)
    isAway = false
    await page.locator(".live", { hasText: "Live" }).waitFor()
    await rows.nth(before).waitFor()
  })

  it("ends with the key: whoever may not read the log is not told of it", async () => {
    const cairn = clientOf(on.service)
    const { key, id } = await cairn.keys.create({ email: "gone@example.org", keyName: "gone", role: "admin" })
    on.reader = await on.browser.open()
    const { page } = on.reader
    await readAs(on.reader, on.service, "/overview", key)
    await page.locator(".live", { hasText: "Live" }).waitFor()
    await cairn.keys.revoke(id)
    await page.getByText(/no longer valid/).waitFor()
    await page.fill("#key", (await cairn.keys.create({ email: "m@example.org", keyName: "m", role: "member" })).key)
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Overview" }).waitFor()
    assert.strictEqual(await page.locator(".activity").count(), 0)
    await page.getByText("Sign out").click()
    await page.fill("#key", ownerKey)
    await page.keyboard.press("Enter")
    await page.getByRole("link", { name: "Overview" }).click()
    await page.locator(".activity").waitFor()
  })
})
