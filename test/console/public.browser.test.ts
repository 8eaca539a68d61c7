import { assert, describe, it } from "vitest"
import { seriousInBothThemes } from "./axe.ts"
import { whyNot } from "./chromium.ts"
import { clientOf, startsReading } from "./reading.ts"

const attack =
  '"><img src=x onerror="window.ran=1"><script>window.ran=1</script><svg/onload=window.ran=1>\u202e\u001b[2J'

describe.skipIf(whyNot() !== undefined)("public pages, without a key", () => {
  const on = startsReading()
  const publish = async (name: string, more: object = {}) =>
    (
      await clientOf(on.service).snippets.create({
        name,
        source: `def ${name}():\n    return "${name}"\n`,
        entrypoint: name,
        language: "python",
        description: `Says ${name}.`,
        public: true,
        ...more
      })
    ).codeBlockId

  it("lead from the list to a snippet and back, and find by a task", async () => {
    await publish("heron")
    await publish("egret")
    on.reader = await on.browser.open()
    const { page } = on.reader
    await page.goto(`${on.service.url}/`)
    await page.getByRole("link", { name: "Public snippets" }).click()
    await page.getByRole("link", { name: "egret" }).click()
    await page.getByRole("heading", { name: "egret" }).waitFor()
    assert.include(await page.locator(".code").textContent(), 'return "egret"')
    await page.goBack()
    await page.fill("input[type=search]", "says heron")
    await page.keyboard.press("Enter")
    await page.waitForURL("**/public?q=says+heron")
    assert.strictEqual(await page.locator(".headings h2").first().textContent(), "heron")
    await page.fill("input[type=search]", "quantum chromodynamics lattice")
    await page.getByRole("button", { name: "Search" }).click()
    await page.getByText("Nothing found").waitFor()
  })

  it("run nothing of what strangers wrote", async () => {
    const id = await publish("attack", {
      name: attack.slice(0, 200),
      source: `${attack}\n${"y".repeat(100_000)}\n`,
      description: attack,
      entrypoint: attack
    })
    on.reader = await on.browser.open({ viewport: { width: 380, height: 700 } })
    const { page } = on.reader
    for (const path of [`/public/${id}`, "/public?sort=recent", `/public?q=${encodeURIComponent(attack)}`]) {
      await page.goto(on.service.url + path)
      assert.strictEqual(await page.evaluate("window.ran"), undefined, path)
      assert.strictEqual(await page.locator("main img, script, iframe, [onerror], [onload]").count(), 0, path)
      assert.isAtMost((await page.evaluate("document.documentElement.scrollWidth")) as number, 380, path)
    }
    await page.goto(`${on.service.url}/public/${id}`)
    const told = page.locator('head meta[property="og:title"], head meta[property="og:description"]')
    assert.strictEqual(await told.count(), 2)
    for (const one of await told.all()) assert.match((await one.getAttribute("content"))!, /^"><img src=x onerror=/)
    assert.isAbove(await page.locator('[aria-label="U+202E, right-to-left override"]').count(), 2)
  })

  it("axe finds nothing serious, in both themes", async () => {
    const id = await publish("plover")
    on.reader = await on.browser.open()
    const { page } = on.reader
    for (const path of ["/public", `/public/${id}`, "/public?q=zebra", "/public/none"]) {
      await page.goto(on.service.url + path)
      assert.deepStrictEqual(await seriousInBothThemes(page), [], path)
    }
  })
})
