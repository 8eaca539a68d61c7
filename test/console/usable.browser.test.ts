import { assert, describe, it } from "vitest"
import { seriousOn } from "./axe.ts"
import { whyNot } from "./chromium.ts"
import { clientOf, readAs, startsReading } from "./reading.ts"

describe.skipIf(whyNot() !== undefined)("the console, whoever reads it", () => {
  const on = startsReading()
  const { open, keyFor } = on

  describe("to whom may less", () => {
    it("shows what is theirs: a member has no workspaces of others", async () => {
      const page = await open("/workspaces", await keyFor("member"))
      await page.getByText("No workspace yet").waitFor()
      await page.goto(`${on.service.url}/workspaces/${on.ids.workspace}`)
      await page.locator(".failed").waitFor()
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
    })
  })

  describe("can be used", () => {
    const pages = () =>
      [
        ["/", ".empty"],
        ["/overview", ".chart"],
        ["/read-models", ".read-models tbody"],
        ["/people", ".keys .row"],
        ["/events", ".events .row"],
        ["/events/9", ".causes li"],
        ["/usage?by=workspace", "tbody tr"],
        ["/backups", "form"],
        ["/search?q=csv", ".found .hl-keyword"],
        [`/snippets/${on.ids.snippet}`, ".executions .row, .executions li"],
        ["/workspaces", ".workspaces"],
        [`/workspaces/${on.ids.workspace}`, ".commits"],
        [`/workspaces/${on.ids.workspace}/files?path=weather%2Frain.py`, ".file-view"],
        ["/chat", "#task"],
        ["/snippets/none", ".failed"]
      ] as const

    for (const scheme of ["light", "dark"] as const)
      it(`axe finds nothing serious, ${scheme}`, async () => {
        on.reader = await on.browser.open({ colorScheme: scheme })
        const { page } = on.reader
        await page.goto(on.service.url)
        await page.waitForSelector("#key")
        assert.deepStrictEqual(await seriousOn(page), [], "sign in")
        await readAs(on.reader, on.service, "/")
        const { commits } = await clientOf(on.service).workspaces.commits(on.ids.workspace)
        const modified = commits.find(({ changes }) => changes.some(({ status }) => status === "modified"))!
        for (const [path, ready] of [
          ...pages(),
          [`/workspaces/${on.ids.workspace}/commits/${modified.sha}`, ".diff"] as const
        ]) {
          await page.goto(on.service.url + path)
          await page.waitForSelector(ready)
          assert.deepStrictEqual(await seriousOn(page), [], path)
        }
      })

    it("on a screen that is 380 pixels wide, without scrolling sideways", async () => {
      on.reader = await on.browser.open({ viewport: { width: 380, height: 700 } })
      await readAs(on.reader, on.service, "/")
      for (const [path, ready] of pages()) {
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

    it("with the keyboard alone", async () => {
      const page = await open("/")
      await page.goto(`${on.service.url}/workspaces`)
      await page.waitForSelector(".workspaces")
      await page.keyboard.press("Tab")
      assert.strictEqual(await page.evaluate("document.activeElement.textContent"), "Skip to the page")
      for (let tabs = 0; tabs < 30; tabs++) {
        await page.keyboard.press("Tab")
        if ((await page.evaluate("document.activeElement.matches('.row')")) === true) break
      }
      await page.keyboard.press("Enter")
      await page.waitForSelector(".commits")
      assert.strictEqual(await page.evaluate("document.activeElement.id"), "main")
    })
  })
})
