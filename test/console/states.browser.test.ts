import type { Page } from "playwright-core"
import { assert, describe, it } from "vitest"
import type { PageName } from "#src/console/paths.ts"
import { pages } from "#src/console/paths.ts"
import { whyNot } from "./chromium.ts"
import { everyPage } from "./everyPage.ts"
import { startsReading } from "./reading.ts"

/** What a page asks the service for, without which it has nothing to show; `undefined`: it shows itself at once. */
const asks: { readonly [page in PageName]: string | undefined } = {
  overview: "**/api/activity?*",
  search: "**/api/retrieve/search",
  snippet: "**/raw/*.md",
  workspaces: "**/api/workspaces?*",
  workspace: "**/api/workspaces/*/commits?*",
  files: "**/api/workspaces/*/tree*",
  commit: "**/api/workspaces/*/commits/*",
  compare: "**/api/workspaces/*/compare*",
  chat: undefined,
  run: "**/api/runs/*",
  events: "**/api/events/newest?*limit=100*",
  event: "**/api/event/*",
  people: "**/api/users?*",
  usage: "**/api/usage?*",
  readModels: "**/api/admin/status",
  asOf: "**/api/admin/as-of",
  backups: undefined
}

const problems = { broken: [400, "It is broken."], forbidden: [403, "Not for readers of this kind."] } as const

/** Lets the service answer an address from now on as the test says; the answers are held at first. */
const answering = async (page: Page, address: string) => {
  const held = Promise.withResolvers<void>()
  const now: { answer: "held" | "right" | keyof typeof problems } = { answer: "held" }
  await page.route(address, async (route) => {
    if (now.answer === "held") await held.promise
    if (now.answer === "held" || now.answer === "right") return route.continue()
    const [status, message] = problems[now.answer]
    return route.fulfill({ status, json: { message, code: "x/y" } })
  })
  return {
    becomes: (answer: "right" | keyof typeof problems) => {
      now.answer = answer
      held.resolve()
    }
  }
}

describe.skipIf(whyNot() !== undefined)("a page of the console", () => {
  const on = startsReading()
  const { open } = on

  it.each(Object.keys(pages) as ReadonlyArray<PageName>)(
    "says that it loads, what failed and what is not allowed, and is there when it is asked for again: %s",
    async (name) => {
      const address = asks[name]
      const [path, ready] = (await everyPage(on))[name]
      const page = await open("/chat")
      if (address === undefined) {
        await page.goto(on.service.url + path)
        await page.waitForSelector(ready)
        return
      }
      const service = await answering(page, address)
      await page.goto(on.service.url + path)
      const main = page.locator("main")
      await main.getByText("Loading…").first().waitFor({ state: "attached" })
      assert.isAbove((await main.getByRole("heading", { level: 1 }).textContent())!.trim().length, 0)
      service.becomes("broken")
      const broken = main.locator(".failed.other", { hasText: "It is broken." })
      await broken.first().waitFor()
      await broken.getByRole("heading", { name: "That did not work" }).first().waitFor()
      service.becomes("right")
      await broken.getByRole("button", { name: "Try again" }).first().click()
      await page.waitForSelector(ready)
      // it stays until what it was about has come
      await main.locator(".failed").first().waitFor({ state: "detached" })
      service.becomes("forbidden")
      await page.reload()
      const refused = main.locator(".failed.forbidden", { hasText: "Not for readers of this kind." })
      await refused.getByRole("heading", { name: "This key has no access" }).first().waitFor()
      assert.strictEqual(await refused.getByRole("button").count(), 0)
    }
  )
})
