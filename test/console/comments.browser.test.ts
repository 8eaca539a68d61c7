import { assert, describe, it } from "vitest"
import { ownerKey } from "#test/service.ts"
import { seriousInBothThemes } from "./axe.ts"
import { whyNot } from "./chromium.ts"
import { clientOf, readAs, startsReading } from "./reading.ts"

describe.skipIf(whyNot() !== undefined)("comments in the console", () => {
  const on = startsReading({ filled: false })
  const { open, keyFor } = on
  const snippet = async (name: string) => {
    const cairn = clientOf(on.service)
    const { codeBlockId } = await cairn.snippets.create({
      name,
      source: `def ${name}(): pass\n`,
      entrypoint: name,
      language: "python"
    })
    return { id: codeBlockId, say: (text: string) => cairn.snippets.comment(codeBlockId, text) }
  }

  it("are there for every role that reads the snippet, the latest first, and earlier ones when they are asked for", async () => {
    const { id, say } = await snippet("spoken_of")
    for (let n = 1; n <= 21; n++) await say(`Remark ${n}, of which\nthere are two lines.`)
    for (const key of [ownerKey, await keyFor("member"), await keyFor("reader")]) {
      const page = await open(`/snippets/${id}`, key)
      const comments = page.locator(".comments li")
      await comments.nth(19).waitFor()
      assert.match((await comments.first().textContent()) ?? "", /owner@cairn\.local, just now\s*Remark 21,/)
      assert.strictEqual(await comments.count(), 20)
      await page.getByRole("button", { name: "Show earlier" }).click()
      await comments.getByText("Remark 1,").waitFor()
      assert.strictEqual(await comments.count(), 21)
      assert.deepStrictEqual(await seriousInBothThemes(page), [])
      // where else something was said is for those who may look there
      assert.strictEqual(await page.getByText("see all comments in the log").count(), key === ownerKey ? 1 : 0)
      await on.reader.close()
    }
    on.reader = await on.browser.open({ viewport: { width: 380, height: 700 } })
    const { page } = on.reader
    await readAs(on.reader, on.service, `/snippets/${id}`)
    await page.locator(".comments li").nth(19).waitFor()
    assert.deepStrictEqual(await seriousInBothThemes(page), [])
    assert.isAtMost((await page.evaluate("document.documentElement.scrollWidth")) as number, 380)
  })

  it("are said to be none, to be on their way, or why they can't be had", async () => {
    const { id } = await snippet("of_nobody")
    const page = await open(`/snippets/${id}`)
    const section = page.getByRole("region", { name: "Comments" })
    await section.getByText("No comments yet.").waitFor()
    const held = Promise.withResolvers<void>()
    await page.route("**/comments*", async (route) => {
      await held.promise
      await route.fulfill({ status: 500, json: { message: "Broken.", code: "internal/error" } })
    })
    await page.reload()
    await section.getByText("Loading…").waitFor({ state: "attached" })
    held.resolve()
    await section.getByText("That did not work").waitFor()
    await page.unroute("**/comments*")
    await section.getByRole("button", { name: "Try again" }).click()
    await section.getByText("No comments yet.").waitFor()
  })
})
