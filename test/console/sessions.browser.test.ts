import type { Page } from "playwright-core"
import { assert, describe, it } from "vitest"
import { ownerKey } from "#test/service.ts"
import { whyNot } from "./chromium.ts"
import { clientOf, startsReading } from "./reading.ts"

describe.skipIf(whyNot() !== undefined)("a session in the console", () => {
  const on = startsReading({ filled: false })
  const { open } = on

  const keyOf = (name: string, role: "admin" | "member" = "member") =>
    clientOf(on.service).keys.create({ email: `${name}@example.org`, keyName: name, role })

  const changeRole = async (email: string, role: "member" | "reader") => {
    const { users } = clientOf(on.service)
    const { userId } = (await users.list()).users.find(({ userEmail }) => userEmail === email)!
    await users.changeRole(userId, role)
  }

  const signIn = async (page: Page, key: string) => {
    await page.fill("#key", key)
    await page.keyboard.press("Enter")
    await page.waitForSelector("header.head")
  }

  /** Requests to an address wait, and are answered as the test says. */
  const holding = async (page: Page, address: string, answer: { readonly status: number; readonly json: object }) => {
    const come = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    await page.route(address, async (route) => {
      come.resolve()
      await held.promise
      await route.fulfill(answer)
    })
    const finished = page.waitForRequest(address).then(async (request) => (await request.response())!.finished())
    const letGo = async () => {
      held.resolve()
      await finished
      // what the page does with it takes no longer
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
    }
    return { come: come.promise, letGo }
  }

  const menu = (page: Page) => page.getByRole("navigation", { name: "Console" })
  const invalid = { status: 401, json: { message: "The API key is not valid.", code: "auth/invalid_api_key" } }

  const ask = async (page: Page, task: string) => {
    await page.getByLabel("Task").fill(task)
    await page.getByLabel("User").fill("ada")
    await page.getByLabel("Organization").fill("acme")
    await page.getByRole("button", { name: "Ask" }).click()
  }

  it("goes on when its key's role is changed: the page shows what that may see", async () => {
    const { key, userEmail } = await keyOf("eve", "admin")
    const page = await open("/events", key)
    await page.locator(".live", { hasText: "Live" }).waitFor()
    await changeRole(userEmail, "reader")
    await page.getByText("Only owners and admins can read the log.").waitFor()
    assert.strictEqual(await menu(page).getByText("Events").count(), 0)
    assert.strictEqual(await page.evaluate("sessionStorage.getItem('cairn.key')"), key)
    await menu(page).getByText("Workspaces").click()
    await page.getByRole("heading", { name: "Workspaces", level: 1 }).waitFor()
  })

  it("so also on a page that was shown already, which is asked for again", async () => {
    const { key, userEmail } = await keyOf("frank", "admin")
    const page = await open("/people", key)
    await page.locator(".keys .row").first().waitFor()
    await changeRole(userEmail, "member")
    await page.getByText("This key has no access").first().waitFor()
    assert.strictEqual(await page.locator(".keys .row").count(), 0)
  })

  it("is not ended by an answer to the key before it, and its reader is led nowhere", async () => {
    const page = await open("/chat", (await keyOf("gus")).key)
    const refused = await holding(page, "**/api/agent-chat", invalid)
    await ask(page, "parse a CSV file")
    await refused.come
    await page.getByRole("button", { name: "Sign out" }).click()
    await signIn(page, ownerKey)
    await refused.letGo()
    assert.strictEqual(await page.locator("header.head").count(), 1)
    await menu(page).getByText("Chat").click()
    await page.getByLabel("Task").waitFor()
    assert.strictEqual(await page.getByText("no longer valid").count(), 0)
  })

  it("of nobody any more leads to nothing that was asked for in it", async () => {
    const page = await open("/chat", (await keyOf("hal")).key)
    const started = await holding(page, "**/api/agent-chat", {
      status: 202,
      json: { run_id: "8a1f7c1e-0000-4000-8000-000000000000", status_url: "/api/runs/x", state: "waiting" }
    })
    await ask(page, "parse a CSV file")
    await started.come
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.waitForSelector("#key")
    await started.letGo()
    assert.notInclude(page.url(), "/runs/")
  })

  it("is not left by who went elsewhere while a chat was asked for", async () => {
    const page = await open("/chat")
    const started = await holding(page, "**/api/agent-chat", {
      status: 202,
      json: { run_id: "8a1f7c1e-0000-4000-8000-000000000000", status_url: "/api/runs/x", state: "waiting" }
    })
    await ask(page, "parse a CSV file")
    await started.come
    await menu(page).getByText("Search").click()
    await page.fill("input[type=search]", "csv")
    await started.letGo()
    assert.strictEqual(new URL(page.url()).pathname, "/search")
    assert.strictEqual(await page.inputValue("input[type=search]"), "csv")
  })

  it("nor while something was deleted", async () => {
    const { codeBlockId } = await clientOf(on.service).snippets.create({
      name: "doomed",
      source: "x = 1\n",
      entrypoint: "doomed",
      language: "python"
    })
    const page = await open("/usage")
    await menu(page).getByText("Overview").click()
    await page.getByRole("heading", { name: "Overview" }).waitFor()
    await page.evaluate((path) => {
      const link = document.createElement("a")
      link.href = path
      document.querySelector("main")!.append(link)
      link.click()
    }, `/snippets/${codeBlockId}`)
    await page.getByRole("button", { name: "Delete…" }).click()
    const deleted = await holding(page, "**/api/snippets/delete", { status: 200, json: { success: true } })
    await page.getByRole("button", { name: "Delete snippet" }).click()
    await deleted.come
    await page.goBack()
    await page.getByRole("heading", { name: "Overview" }).waitFor()
    await deleted.letGo()
    assert.strictEqual(new URL(page.url()).pathname, "/overview")
  })

  it("that ends by itself loses nothing that was typed, for the same person alone", async () => {
    const { key, id } = await keyOf("ines")
    const second = await keyOf("ines")
    const page = await open("/chat?user=ada", key)
    const typed = async () => [
      await page.getByLabel("Task").inputValue(),
      await page.getByLabel("User").inputValue(),
      await page.getByLabel("Organization").inputValue()
    ]
    await page.getByLabel("Task").fill("a long task")
    await page.getByLabel("User").fill("carl")
    await page.getByLabel("Organization").fill("acme")
    await clientOf(on.service).keys.revoke(id)
    await page.getByRole("button", { name: "Ask" }).click()
    await page.getByText(/no longer valid/).waitFor()
    assert.include(page.url(), "/chat?user=ada")
    await signIn(page, second.key)
    await page.getByLabel("Task").waitFor()
    assert.deepStrictEqual(await typed(), ["a long task", "carl", "acme"])
    await clientOf(on.service).keys.revoke(second.id)
    await page.getByRole("button", { name: "Ask" }).click()
    await page.getByText(/no longer valid/).waitFor()
    await signIn(page, ownerKey)
    await page.getByLabel("Task").waitFor()
    assert.deepStrictEqual(await typed(), ["", "ada", ""])
  })

  it("that is signed out leaves nothing of what was looked for, in the title or the address", async () => {
    const page = await open("/search?q=a+secret+task")
    await page.getByText("Nothing found").or(page.locator(".found")).first().waitFor()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.waitForSelector("#key")
    await page.waitForFunction(() => document.title === "Sign in · Cairn")
    assert.strictEqual(page.url(), `${on.service.url}/`)
  })

  it("nor of what was typed, for whoever signs in next", async () => {
    const page = await open("/chat")
    await page.getByLabel("Task").fill("a secret task")
    await page.getByRole("button", { name: "Sign out" }).click()
    await signIn(page, ownerKey)
    await menu(page).getByText("Chat").click()
    assert.strictEqual(await page.getByLabel("Task").inputValue(), "")
  })
})
