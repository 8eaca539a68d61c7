import { afterAll, afterEach, assert, beforeAll, describe, it } from "vitest"
import { ownerKey, type Service, startService } from "#test/service.ts"
import { seriousOn } from "./axe.ts"
import { type Browser, type Reader, startBrowser, whyNot } from "./chromium.ts"
import { fill } from "./filled.ts"
import { clientOf, quiet, readAs } from "./reading.ts"

describe.skipIf(whyNot() !== undefined)("the console, whoever reads it", () => {
  let service: Service
  let browser: Browser
  let reader: Reader
  let ids: Awaited<ReturnType<typeof fill>>

  beforeAll(async () => {
    service = await startService()
    ids = await fill(clientOf(service))
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await service?.close()
  })
  afterEach(async () => {
    quiet(reader)
    await reader.context.close()
  })

  const open = async (path: string, key = ownerKey) => {
    reader = await browser.open()
    await readAs(reader, service, path, key)
    return reader.page
  }
  const keyFor = async (role: "member" | "reader") =>
    (await clientOf(service).keys.create({ email: `${role}@example.org`, keyName: role, role })).key

  describe("to whom may less", () => {
    it("shows what is theirs: a member has no workspaces of others", async () => {
      const page = await open("/workspaces", await keyFor("member"))
      await page.getByText("No workspace yet").waitFor()
      await page.goto(`${service.url}/workspaces/${ids.workspace}`)
      await page.locator(".failed").waitFor()
    })

    it("has nothing to press for a key that only reads", async () => {
      const page = await open("/search?q=csv", await keyFor("reader"))
      await page.locator(".found .vote").first().click()
      await page.locator(".found .vote").first().waitFor({ state: "detached" })
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
        ["/search?q=csv", ".found .hl-keyword"],
        [`/snippets/${ids.snippet}`, ".executions .row, .executions li"],
        ["/workspaces", ".workspaces"],
        [`/workspaces/${ids.workspace}`, ".commits"],
        [`/workspaces/${ids.workspace}/files?path=weather%2Frain.py`, ".file-view"],
        ["/chat", "#task"],
        ["/snippets/none", ".failed"]
      ] as const

    for (const scheme of ["light", "dark"] as const)
      it(`axe finds nothing serious, ${scheme}`, async () => {
        reader = await browser.open({ colorScheme: scheme })
        const { page } = reader
        await page.goto(service.url)
        await page.waitForSelector("#key")
        assert.deepStrictEqual(await seriousOn(page), [], "sign in")
        await readAs(reader, service, "/")
        const { commits } = await clientOf(service).workspaces.commits(ids.workspace)
        const modified = commits.find(({ changes }) => changes.some(({ status }) => status === "modified"))!
        for (const [path, ready] of [
          ...pages(),
          [`/workspaces/${ids.workspace}/commits/${modified.sha}`, ".diff"] as const
        ]) {
          await page.goto(service.url + path)
          await page.waitForSelector(ready)
          assert.deepStrictEqual(await seriousOn(page), [], path)
        }
      })

    it("on a screen that is 380 pixels wide, without scrolling sideways", async () => {
      reader = await browser.open({ viewport: { width: 380, height: 700 } })
      await readAs(reader, service, "/")
      for (const [path, ready] of pages()) {
        await reader.page.goto(service.url + path)
        await reader.page.waitForSelector(ready)
        assert.isAtMost((await reader.page.evaluate("document.documentElement.scrollWidth")) as number, 380, path)
      }
    })

    it("with the keyboard alone", async () => {
      const page = await open("/")
      await page.goto(`${service.url}/workspaces`)
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
