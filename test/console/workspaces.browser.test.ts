import { assert, describe, it } from "vitest"
import { bytesIn } from "../../src/console/workspaces/bytes.ts"
import { seriousInBothThemes } from "./axe.ts"
import { whyNot } from "./chromium.ts"
import { clientOf, readAs, startsReading } from "./reading.ts"

describe.skipIf(whyNot() !== undefined)("workspaces in the console", () => {
  const on = startsReading()
  const { open } = on

  it("are listed with what their commits brought, and say where nobody knows it", async () => {
    const { workspaces } = await clientOf(on.service).workspaces.list()
    const { repositoryBytes } = workspaces.find(({ workspaceId }) => workspaceId === on.ids.workspace)!
    assert.isAbove(repositoryBytes!, 0)
    const page = await open("/workspaces")
    const row = page.locator(".workspaces .row", { hasText: "ada" })
    await row.getByText(bytesIn(repositoryBytes!)).waitFor()
    await page.locator(".workspaces .row", { hasText: "grace" }).getByText("0 B").waitFor()
    await page.route("**/api/workspaces?*", async (route) => {
      const response = await route.fetch()
      const answer = (await response.json()) as { workspaces: ReadonlyArray<object> }
      const older = answer.workspaces.map((one) => ({ ...one, repository_bytes: null }))
      await route.fulfill({ response, json: { ...answer, workspaces: older } })
    })
    await page.reload()
    await row.getByText("size unknown").waitFor()
    assert.deepStrictEqual(await seriousInBothThemes(page), [])
  })

  it("say who made the last commit, also where that is nobody any more", async () => {
    const { workspaces } = await clientOf(on.service).workspaces.list()
    const { keyId, email } = workspaces.find(({ workspaceId }) => workspaceId === on.ids.workspace)!.updatedBy!
    const page = await open("/workspaces")
    const by = page.locator(".workspaces .row", { hasText: "ada" }).getByTitle(`key ${keyId}`)
    assert.strictEqual(await by.textContent(), `by ${email}`)
    assert.deepStrictEqual(await seriousInBothThemes(page), [])
    const said: ReadonlyArray<readonly [by: object | undefined, shown: string]> = [
      [{ key_id: keyId, user_id: "u", organization_id: "o", email: "erased" }, "by somebody who was erased"],
      [
        { key_id: "external", user_id: "external", organization_id: "external", email: "external" },
        "by somebody of another organization"
      ],
      [{ key_id: null, user_id: null, organization_id: null, email: null }, "by the service"],
      [undefined, ""]
    ]
    let next: object | undefined
    await page.route("**/api/workspaces?*", async (route) => {
      const response = await route.fetch()
      const answer = (await response.json()) as { workspaces: ReadonlyArray<object> }
      const others = answer.workspaces.map((one) => ({ ...one, updated_by: next }))
      await route.fulfill({ response, json: { ...answer, workspaces: others } })
    })
    for (const [actor, shown] of said) {
      next = actor
      await page.reload()
      const row = page.locator(".workspaces .row", { hasText: "ada" })
      await row.getByText("with history").waitFor()
      assert.strictEqual(await row.locator(".by").textContent(), shown)
    }
  })

  it("are listed so on a screen that is 380 pixels wide, too", async () => {
    on.reader = await on.browser.open({ viewport: { width: 380, height: 700 } })
    const { page } = on.reader
    await readAs(on.reader, on.service, "/workspaces")
    await page.getByText("with history").first().waitFor()
    await page.getByText("by owner@cairn.local").first().waitFor()
    assert.deepStrictEqual(await seriousInBothThemes(page), [])
    assert.isAtMost((await page.evaluate("document.documentElement.scrollWidth")) as number, 380)
  })

  it("are known by their ids, however many have changed since", async () => {
    const page = await open("/workspaces")
    await page.route("**/api/workspaces?*", (route) => route.fulfill({ json: { workspaces: [], next_cursor: null } }))
    await page.goto(`${on.service.url}/workspaces/${on.ids.workspace}`)
    await page.getByRole("heading", { name: "ada in acme" }).waitFor()
    await page.getByRole("link", { name: "Chat here" }).waitFor()
  })
})
