import { assert, describe, it } from "vitest"
import { seriousInBothThemes } from "./axe.ts"
import { whyNot } from "./chromium.ts"
import { everyPage, otherLooks } from "./everyPage.ts"
import { readAs, startsReading } from "./reading.ts"
import { lostOn, questionOn, unheardOn } from "./walked.ts"

describe.skipIf(whyNot() !== undefined)("the console, whoever reads it", () => {
  const on = startsReading()
  const { open, keyFor } = on

  describe("to whom may less", () => {
    it("shows what is theirs: a member has no workspaces of others", async () => {
      const page = await open("/workspaces", await keyFor("member"))
      await page.getByText("No workspaces yet").waitFor()
      for (const path of ["", "/files?path=weather%2Frain.py"]) {
        await page.goto(`${on.service.url}/workspaces/${on.ids.workspace}${path}`)
        await page.locator(".failed").waitFor()
        await page.getByRole("heading", { name: `Workspace ${on.ids.workspace.slice(0, 8)}` }).waitFor()
        assert.strictEqual(await page.locator("main").getByRole("button").count(), 0)
        assert.strictEqual(await page.getByRole("navigation", { name: "Workspace" }).count(), 0)
      }
    })

    it("has nothing to press for a key that only reads", async () => {
      const page = await open("/search?q=csv", await keyFor("reader"))
      await page
        .locator(".found .votes", { hasText: /\d+ for, \d+ against/ })
        .first()
        .waitFor()
      assert.strictEqual(await page.locator(".vote").count(), 0)
      await page.locator(".found h2 a").first().click()
      await page.waitForSelector(".sheet")
      assert.strictEqual(await page.getByText("Delete…").count(), 0)
      const menu = page.getByRole("navigation", { name: "Console" })
      assert.deepStrictEqual(await menu.getByRole("link").allTextContents(), [
        ...["Overview", "Search", "Workspaces", "Usage"]
      ])
      await page.goto(`${on.service.url}/chat`)
      await page.getByText("This key has no access").waitFor()
      assert.strictEqual(await page.locator("main").getByRole("button").count(), 0)
    })
  })

  describe("can be used", () => {
    const allLooks = async () => [...Object.values(await everyPage(on)), ...(await otherLooks(on))]

    it("axe finds nothing serious, in both themes", async () => {
      on.reader = await on.browser.open()
      const { page } = on.reader
      await page.goto(on.service.url)
      await page.waitForSelector("#key")
      assert.deepStrictEqual(await seriousInBothThemes(page), [], "sign in")
      await readAs(on.reader, on.service, "/")
      for (const [path, ready] of await allLooks()) {
        await page.goto(on.service.url + path)
        await page.waitForSelector(ready)
        assert.deepStrictEqual(await seriousInBothThemes(page), [], path)
        const asks = page.locator("main button:has(+ dialog)").first()
        if ((await asks.count()) === 0) continue
        await asks.click()
        await page.locator("dialog[open]").waitFor()
        assert.deepStrictEqual(await seriousInBothThemes(page), [], `a question of ${path}`)
      }
    })

    it("on a screen that is 380 pixels wide, without scrolling sideways", async () => {
      on.reader = await on.browser.open({ viewport: { width: 380, height: 700 } })
      await readAs(on.reader, on.service, "/")
      for (const [path, ready] of await allLooks()) {
        await on.reader.page.goto(on.service.url + path)
        await on.reader.page.waitForSelector(ready)
        assert.isAtMost((await on.reader.page.evaluate("document.documentElement.scrollWidth")) as number, 380, path)
      }
    })

    it("and on such a screen the whole menu is to be seen", async () => {
      on.reader = await on.browser.open({ viewport: { width: 380, height: 700 } })
      const { page } = on.reader
      await readAs(on.reader, on.service, "/")
      const links = page.getByRole("navigation", { name: "Console" }).getByRole("link")
      const count = await links.count()
      assert.isAbove(count, 3)
      for (let index = 0; index < count; index++) {
        const box = (await links.nth(index).boundingBox())!
        assert.isAtLeast(box.x, 0)
        assert.isAtMost(box.x + box.width, 380, (await links.nth(index).textContent()) ?? "")
      }
    })

    it("with the keyboard alone, and by who hears it", async () => {
      const page = await open("/workspaces")
      await page.waitForSelector(".workspaces")
      assert.deepStrictEqual(await lostOn(page, 16), [], "the head")
      await page.reload()
      await page.waitForSelector(".workspaces")
      await page.keyboard.press("Tab")
      assert.strictEqual(await page.evaluate("document.activeElement.textContent"), "Skip to content")
      await page.keyboard.press("Enter")
      await page.keyboard.press("Tab")
      assert.isTrue(await page.evaluate("document.activeElement.matches('.row')"))
      await page.keyboard.press("Enter")
      await page.waitForSelector(".commits")
      assert.strictEqual(await page.evaluate("document.activeElement.id"), "main")

      const titles = new Set<string>()
      const all = await allLooks()
      for (const [path, ready] of all) {
        await page.goto(on.service.url + path)
        await page.waitForSelector(ready)
        await page.waitForSelector(".waiting, .live.connecting", { state: "detached" })
        assert.deepStrictEqual(await unheardOn(page), [], path)
        await page.locator("#main").focus()
        assert.deepStrictEqual(await lostOn(page, 20), [], path)
        assert.deepStrictEqual(await questionOn(page), [], path)
        titles.add(await page.title())
      }
      assert.strictEqual(titles.size, all.length, [...titles].join(", "))
    })
  })
})
