import { afterAll, afterEach, assert, beforeAll } from "vitest"
import { ownerKey, type Service, startService } from "#test/service.ts"
import { Cairn } from "../../clients/typescript/src/index.ts"
import { type Browser, type Reader, startBrowser } from "./chromium.ts"
import { fill } from "./filled.ts"

export const clientOf = ({ url }: Service, apiKey = ownerKey) => new Cairn({ apiKey, baseUrl: url })

/** Signs a reader in, and goes to an address. */
export const readAs = async (
  { page }: Reader,
  { url }: { url: string },
  path: string,
  key = ownerKey
): Promise<void> => {
  await page.goto(url + path)
  await page.fill("#key", key)
  await page.check("input[type=checkbox]")
  await page.click("button.primary")
  // what comes live waits while the pointer is at a list, as it may be where that button was
  await page.mouse.move(5, 5)
  await page.waitForSelector("header.head")
}

/** Nothing ran that should not, and nothing failed unseen. */
export const quiet = ({ complaints }: Reader): void => assert.deepStrictEqual(complaints, [])

/**
 * What a group of tests has: a service, filled unless told, a browser, and one reader a test, of whom nothing is
 * complained.
 */
export interface Reading {
  readonly service: Service
  readonly browser: Browser
  readonly ids: Awaited<ReturnType<typeof fill>>
  /** The test's own. */
  reader: Reader
  /** Lets another reader sign in, at an address. */
  readonly open: (path: string, key?: string) => Promise<Reader["page"]>
  readonly keyFor: (role: "admin" | "member" | "reader") => Promise<string>
}

/** Starts a service and a browser for a group of tests, and ends them with it. */
export const startsReading = ({ filled = true }: { readonly filled?: boolean } = {}): Reading => {
  const at: { service?: Service; browser?: Browser; ids?: Reading["ids"]; reader?: Reader | undefined } = {}
  beforeAll(async () => {
    at.service = await startService()
    if (filled) at.ids = await fill(clientOf(at.service))
    at.browser = await startBrowser()
  })
  afterAll(async () => {
    await at.browser?.close()
    await at.service?.close()
  })
  afterEach(async () => {
    const { reader } = at
    at.reader = undefined
    if (reader === undefined) return
    quiet(reader)
    await reader.close()
  })
  return {
    get service() {
      return at.service!
    },
    get browser() {
      return at.browser!
    },
    get ids() {
      return at.ids!
    },
    get reader() {
      return at.reader!
    },
    set reader(reader) {
      at.reader = reader
    },
    open: async (path, key = ownerKey) => {
      at.reader = await at.browser!.open()
      await readAs(at.reader, at.service!, path, key)
      return at.reader.page
    },
    keyFor: async (role) =>
      (await clientOf(at.service!).keys.create({ email: `${role}@example.org`, keyName: role, role })).key
  }
}
