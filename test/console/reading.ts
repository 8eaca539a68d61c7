import { assert } from "vitest"
import { ownerKey, type Service } from "#test/service.ts"
import { Cairn } from "../../clients/typescript/src/index.ts"
import type { Reader } from "./chromium.ts"

export const clientOf = ({ url }: Service, apiKey = ownerKey) => new Cairn({ apiKey, baseUrl: url })

/** Signs a reader in, and goes to an address. */
export const readAs = async ({ page }: Reader, { url }: Service, path: string, key = ownerKey): Promise<void> => {
  await page.goto(url + path)
  await page.fill("#key", key)
  await page.check("input[type=checkbox]")
  await page.click("button.primary")
  await page.waitForSelector("header.head")
}

/** Nothing ran that should not, and nothing failed unseen. */
export const quiet = ({ complaints }: Reader): void => assert.deepStrictEqual(complaints, [])
