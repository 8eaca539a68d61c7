import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { type Service, startService } from "#test/service.ts"
import { type Browser, startBrowser, whyNot } from "./chromium.ts"

describe.skipIf(whyNot() !== undefined)("a test of the console fails", () => {
  let service: Service
  let browser: Browser
  beforeAll(async () => {
    service = await startService()
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await service?.close()
  })

  /** Each of these breaks the policy. */
  const violations: { readonly [directive: string]: string } = {
    "img-src": `const image = document.createElement("img"); image.src = "https://elsewhere.invalid/x.png"; document.body.append(image)`,
    "connect-src": `fetch("https://elsewhere.invalid/").catch(() => {})`,
    "style-src-attr": `document.body.setAttribute("style", "color: red")`,
    "require-trusted-types-for": `try { document.body.innerHTML = "<b>markup</b>" } catch {}`
  }

  it.each(Object.entries(violations))("where a page breaks its policy: %s", async (directive, does) => {
    const reader = await browser.open()
    await reader.page.goto(service.url)
    await reader.page.waitForSelector("#key")
    assert.deepStrictEqual(reader.complaints, [])
    await reader.page.evaluate(`(() => { ${does} })()`).catch(() => {})
    await vi.waitFor(() => assert.isTrue(reader.complaints.some((one) => one.includes(directive))), { timeout: 60_000 })
    await reader.close()
  })

  it("where it throws, rejects, complains or asks", async () => {
    const reader = await browser.open()
    const { page, complaints } = reader
    await page.goto(service.url)
    await page.evaluate(() => {
      setTimeout(() => {
        throw new Error("thrown")
      })
      void Promise.reject(new Error("rejected"))
      console.error("complained")
      setTimeout(() => alert("asked"))
    })
    for (const said of ["thrown", "rejected", "complained", "asked"])
      await vi.waitFor(
        () =>
          assert.isTrue(
            complaints.some((one) => one.includes(said)),
            said
          ),
        { timeout: 60_000 }
      )
    await reader.close()
  })
})
