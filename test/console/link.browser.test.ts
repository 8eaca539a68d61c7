import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { SignInCodes } from "#src/keys/SignInCodes.ts"
import { seriousInBothThemes } from "./axe.ts"
import { whyNot } from "./chromium.ts"
import { startsReading } from "./reading.ts"

describe.skipIf(whyNot() !== undefined)("the link that signs in", () => {
  const on = startsReading({ filled: false })

  const issued = () => on.service.run(Effect.flatMap(SignInCodes, ({ issue }) => issue))
  const follow = async (code: string, options = {}) => {
    on.reader = await on.browser.open(options)
    const { page } = on.reader
    await page.goto(`${on.service.url}/overview#sign-in=${code}`)
    await page.getByText("You opened the sign-in link").waitFor()
    return page
  }
  const signedIn = (page: Awaited<ReturnType<typeof follow>>) => page.waitForSelector("header.head")

  it("opens the console with the keyboard alone; its code is in no address, no history and no request's head", async () => {
    const code = await issued()
    on.reader = await on.browser.open()
    const heads: Array<string> = []
    on.reader.page.on("request", (request) => heads.push(`${request.url()} ${JSON.stringify(request.headers())}`))
    const { page } = on.reader
    await page.goto(`${on.service.url}/overview#sign-in=${code}`)
    await page.getByText("You opened the sign-in link").waitFor()
    assert.strictEqual(page.url(), `${on.service.url}/overview`)
    await page.keyboard.press("Enter")
    await signedIn(page)
    await page.getByRole("heading", { name: "Three steps to a first result" }).waitFor()
    assert.isAbove(heads.length, 5)
    for (const head of heads) assert.notInclude(head, code)
    assert.strictEqual(page.url(), `${on.service.url}/overview`)
    assert.strictEqual(await page.evaluate("sessionStorage.getItem('cairn.key')"), null)
    await page.goBack()
    assert.notInclude(page.url(), "sign-in")
  })

  it("keeps its key in the tab where that is asked for, so that the page loads again", async () => {
    const page = await follow(await issued())
    await page.getByLabel("Stay signed in").check()
    await page.getByRole("button", { name: "Sign in" }).click()
    await signedIn(page)
    await page.reload()
    await signedIn(page)
    await page.goto(`${on.service.url}/people`)
    await page.getByRole("button", { name: "Create a key…" }).click()
    await page.getByText("keys it creates can't outlive it").waitFor()
  })

  it("says that it is over, and asks for a key then", async () => {
    const code = await issued()
    const first = await follow(code)
    await first.getByRole("button", { name: "Sign in" }).click()
    await signedIn(first)
    await on.reader.close()
    const page = await follow(code)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByText("The sign-in link is not valid any more").waitFor()
    await page.getByLabel("API key").waitFor()
  })

  it("is heeded where it is pasted over the address of the sign-in, and can be left for a key", async () => {
    on.reader = await on.browser.open()
    const { page } = on.reader
    await page.goto(`${on.service.url}/overview`)
    await page.getByLabel("API key").waitFor()
    await page.goto(`${on.service.url}/overview#sign-in=${await issued()}`)
    await page.getByText("You opened the sign-in link").waitFor()
    await page.getByRole("button", { name: "Use a key instead" }).click()
    await page.getByLabel("API key").waitFor()
    await page.goto(`${on.service.url}/overview#sign-in=${await issued()}`)
    await page.getByRole("button", { name: "Sign in" }).click()
    await signedIn(page)
  })

  it("is usable on a narrow screen, and by axe, in both themes", async () => {
    const page = await follow("x", { viewport: { width: 380, height: 700 } })
    assert.deepStrictEqual(await seriousInBothThemes(page), [])
    assert.isAtMost((await page.evaluate("document.documentElement.scrollWidth")) as number, 380)
  })
})
