import { assert } from "vitest"
import type { Reader } from "./chromium.ts"

/** What would run, if anything of it became markup or code. */
export const markup =
  '"><img src=x onerror="window.ran=1"><script>window.ran=1</script></title></textarea><svg/onload=window.ran=1>{{ran=1}}[x](javascript:ran=1)'
/** What would move a cursor, turn a line around, or hide in it. */
export const unseen = "\u001b[2J\u001b]0;x\u0007\u202e// \u2066only\u2069 \u200b\ufeff\u00ad"
export const words = `${markup} ${unseen}`

/** Nothing of an attack runs, is markup, or leads anywhere. */
export const harmless = async ({ page }: Reader, where: string): Promise<void> => {
  assert.strictEqual(await page.evaluate("window.ran"), undefined, where)
  const sinks = "#console img, #console script, #console iframe, #console [onerror], #console [onload]"
  assert.strictEqual(await page.locator(sinks).count(), 0, where)
  assert.strictEqual(await page.locator('#console a[href^="javascript"]').count(), 0, where)
  const shown = (await page.locator("#console").textContent()) ?? ""
  assert.notMatch(shown, /[\u001b\u0007\u202e\u2066\u200b\ufeff]/, where)
}
