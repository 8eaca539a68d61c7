import { assert, describe, it } from "vitest"
import { whyNot } from "./chromium.ts"
import { clientOf, startsReading } from "./reading.ts"

describe.skipIf(whyNot() !== undefined)("a long text in the console", () => {
  const on = startsReading({ filled: false })
  const { open } = on

  /** What is in the clipboard once all below an element was selected, and copied by keys. */
  const copied = async (page: Awaited<ReturnType<typeof open>>, selector: string) => {
    await page.evaluate((selector) => {
      window.getSelection()!.selectAllChildren(document.querySelector(selector)!)
    }, selector)
    await page.keyboard.press("Control+c")
    return page.evaluate(() => navigator.clipboard.readText())
  }

  it("is copied as it was written, where it is selected: in stretches that end within a line, and in lines", async () => {
    const cairn = clientOf(on.service)
    const { codeBlockId } = await cairn.snippets.create({
      name: "spoken_of",
      source: "x = 1\n",
      entrypoint: "spoken_of",
      language: "python"
    })
    const texts = {
      "a line": Array.from({ length: 9_999 }, (_, n) => String.fromCharCode(97 + (n % 26))).join(""),
      "words in a line": "several words ".repeat(700).trim(),
      lines: Array.from({ length: 600 }, (_, n) => `line ${n}${n % 7 === 0 ? "\n" : ""}`).join("\n"),
      "right to left": "\u0634\u062c\u0631\u0629".repeat(1_500)
    }
    for (const text of Object.values(texts)) await cairn.snippets.comment(codeBlockId, text)
    const page = await open(`/snippets/${codeBlockId}`)
    await on.reader.context.grantPermissions(["clipboard-read", "clipboard-write"])
    await page.locator(".comments li").nth(3).waitFor()
    for (const [index, [name, text]] of Object.entries(texts).toReversed().entries())
      assert.strictEqual(await copied(page, `.comments li:nth-child(${index + 1}) p:last-child`), text, name)
  })
})
