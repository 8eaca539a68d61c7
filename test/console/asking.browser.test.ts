import type { Page } from "playwright-core"
import { assert, describe, it } from "vitest"
import { seriousOn } from "./axe.ts"
import { whyNot } from "./chromium.ts"
import { clientOf, startsReading } from "./reading.ts"

describe.skipIf(whyNot() !== undefined)("what is asked for in the console", () => {
  const on = startsReading({ filled: false })
  const { open } = on

  /** The service carries out what is sent to an address, and its answers are lost, until the test says otherwise. */
  const losing = async (page: Page, address: string) => {
    const ids: Array<string> = []
    const now = { isLost: true }
    await page.route(address, async (route) => {
      ids.push(route.request().headers()["idempotency-key"]!)
      if (!now.isLost) return route.continue()
      await route.fetch()
      await route.abort("connectionreset")
    })
    return { ids, come: () => (now.isLost = false) }
  }

  it("is one chat when its answer was lost and it is asked for again, until something is changed", async () => {
    const cairn = clientOf(on.service)
    const page = await open("/chat?user=lost&org=acme")
    const answers = await losing(page, "**/api/agent-chat")
    await page.getByLabel("Task").fill("parse a CSV file into rows")
    const button = page.getByRole("button", { name: "Ask" })
    await button.click()
    await page.getByText("no answer", { exact: false }).waitFor()
    answers.come()
    await button.click()
    await page.waitForURL("**/runs/*")
    assert.isAtLeast(answers.ids.length, 2)
    assert.strictEqual(new Set(answers.ids).size, 1)
    const { workspaceId } = await cairn.workspaces.open({ org: "acme", user: "lost" })
    assert.lengthOf(
      (await cairn.workspaces.list()).workspaces.filter((one) => one.workspaceId === workspaceId),
      1
    )
    assert.lengthOf((await cairn.runs.list(workspaceId)).runs, 1)
    // that was answered: the same once more is another chat
    await page.getByRole("navigation", { name: "Console" }).getByText("Chat").click()
    await page.getByLabel("Task").fill("parse a CSV file into rows")
    await page.getByLabel("User").fill("lost")
    await page.getByLabel("Organization").fill("acme")
    await button.click()
    await page.waitForURL("**/runs/*")
    assert.strictEqual(new Set(answers.ids).size, 2)
    assert.lengthOf((await cairn.runs.list(workspaceId)).runs, 2)
  })

  it("is one chat where its answer was lost, and then too many requests were sent", async () => {
    const page = await open("/chat?user=limited&org=acme")
    const ids: Array<string> = []
    const answers = ["lost", "refused", "right"]
    await page.route("**/api/agent-chat", async (route) => {
      ids.push(route.request().headers()["idempotency-key"]!)
      const answer = answers.length > 1 ? answers.shift() : answers[0]
      if (answer === "right") return route.continue()
      if (answer === "refused") return route.fulfill({ status: 429, json: { message: "Later.", code: "rate/limited" } })
      await route.fetch()
      await route.abort("connectionreset")
    })
    await page.getByLabel("Task").fill("parse a CSV file into rows")
    await page.getByRole("button", { name: "Ask" }).click()
    await page.getByText("Later.").waitFor()
    await page.getByRole("button", { name: "Ask" }).click()
    await page.waitForURL("**/runs/*")
    assert.lengthOf(ids, 3)
    assert.strictEqual(new Set(ids).size, 1)
  })

  it("is another chat where something was changed meanwhile", async () => {
    const page = await open("/chat?user=changed&org=acme")
    const answers = await losing(page, "**/api/agent-chat")
    await page.getByLabel("Task").fill("parse a CSV file into rows")
    await page.getByRole("button", { name: "Ask" }).click()
    await page.getByText("no answer", { exact: false }).waitFor()
    answers.come()
    await page.getByLabel("Task").fill("parse a TSV file into rows")
    await page.getByRole("button", { name: "Ask" }).click()
    await page.waitForURL("**/runs/*")
    assert.strictEqual(new Set(answers.ids).size, 2)
  })

  it("is one key, which the service names when its secret was lost", async () => {
    const page = await open("/people")
    const answers = await losing(page, "**/api/keys/org/create")
    await page.getByRole("button", { name: "Create a key…" }).click()
    await page.getByLabel("Person's e-mail").fill("lost@example.org")
    await page.getByLabel("Name").fill("lost")
    const button = page.locator("dialog[open] button.primary")
    await button.click()
    await page.locator("dialog[open]").getByText("no answer", { exact: false }).waitFor()
    answers.come()
    await button.click()
    const problem = page.locator("dialog[open] .problem")
    await problem.getByText(/revoke/i).waitFor()
    const made = async () => (await clientOf(on.service).keys.list()).keys.filter(({ name }) => name === "lost")
    assert.lengthOf(await made(), 1)
    assert.strictEqual(new Set(answers.ids).size, 1)
    // that was an answer
    await button.click()
    await page.getByText("Copy the key now").waitFor()
    assert.lengthOf(await made(), 2)
  })

  it("is for whom the address says, also when another address is gone to on the same page", async () => {
    const page = await open("/chat?user=ada&org=acme&model=other")
    const fields = async () => [
      await page.getByLabel("User").inputValue(),
      await page.getByLabel("Organization").inputValue(),
      await page.getByLabel("Model").inputValue()
    ]
    await page.getByLabel("Task").fill("for ada")
    assert.deepStrictEqual(await fields(), ["ada", "acme", "other"])
    await page.evaluate(() => {
      const link = document.createElement("a")
      link.href = "/chat?user=bob"
      document.querySelector("main")!.append(link)
      link.click()
    })
    await page.waitForURL("**/chat?user=bob")
    await page.waitForFunction(() => document.querySelector<HTMLTextAreaElement>("#task")!.value === "")
    assert.deepStrictEqual(await fields(), ["bob", "", "local"])
    await page.goBack()
    await page.waitForFunction(() => document.querySelector<HTMLTextAreaElement>("#task")!.value === "for ada")
    assert.deepStrictEqual(await fields(), ["ada", "acme", "other"])
  })

  it("can be of models that are asked for again, where they did not come", async () => {
    const page = await open("/search")
    await page.route("**/api/models", (route) => route.fulfill({ status: 400, json: { message: "It is broken." } }))
    await page.getByRole("navigation", { name: "Console" }).getByText("Chat").click()
    const note = page.locator(".note", { hasText: "It is broken." })
    await note.waitFor()
    assert.strictEqual(await page.getByLabel("Model").inputValue(), "local")
    assert.deepStrictEqual(await seriousOn(page), [])
    await page.unroute("**/api/models")
    await note.getByRole("button", { name: "Try again" }).click()
    await note.waitFor({ state: "detached" })
  })
})
