import { assert, describe, it } from "vitest"
import { seriousOn } from "./axe.ts"
import { whyNot } from "./chromium.ts"
import { clientOf, startsReading } from "./reading.ts"

describe.skipIf(whyNot() !== undefined)("a question of the console", () => {
  const on = startsReading({ filled: false })
  const { open } = on

  it("says anew at each opening what it changes", async () => {
    const cairn = clientOf(on.service)
    const { workspaceId } = await cairn.workspaces.open({ org: "acme", user: "previewed" })
    const { commit } = await cairn.workspaces.putFile(workspaceId, "a.txt", "one\n")
    const page = await open(`/workspaces/${workspaceId}/commits/${commit}`)
    const dialog = page.locator("dialog[open]")
    await page.getByRole("button", { name: "Restore…" }).click()
    await dialog.getByText("nothing will change").waitFor()
    await dialog.getByRole("button", { name: "Cancel" }).click()
    await cairn.workspaces.putFile(workspaceId, "new.txt", "new\n")
    await page.getByRole("button", { name: "Restore…" }).click()
    await dialog.locator(".changes li", { hasText: "new.txt" }).waitFor()
    assert.strictEqual(await dialog.getByText("nothing will change").count(), 0)
    await dialog.getByRole("button", { name: "Cancel" }).click()
    await cairn.workspaces.delete(workspaceId)
  })

  it("stays until it is answered, and says what went wrong, once", async () => {
    const { codeBlockId } = await clientOf(on.service).snippets.create({
      name: "doomed",
      source: "x = 1\n",
      entrypoint: "doomed",
      language: "python"
    })
    const page = await open(`/snippets/${codeBlockId}`)
    const held = Promise.withResolvers<void>()
    await page.route("**/api/snippets/delete", async (route) => {
      await held.promise
      await route.fulfill({ status: 507, json: { message: "The disk is full.", code: "unavailable/disk" } })
    })
    const dialog = page.locator("dialog[open]")
    await page.getByRole("button", { name: "Delete…" }).click()
    await dialog.getByRole("button", { name: "Delete snippet" }).click()
    await dialog.locator("button.grave[aria-disabled=true]").waitFor()
    // one that is pressed twice closes a dialog whatever its page says
    for (const key of ["Escape", "Escape", "Escape"]) await page.keyboard.press(key)
    await dialog.getByRole("button", { name: "Cancel" }).press("Enter")
    assert.strictEqual(await dialog.count(), 1)
    assert.deepStrictEqual(await seriousOn(page), [])
    held.resolve()
    await dialog.getByText("The disk is full.").waitFor()
    await page.keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })
    await page.getByRole("button", { name: "Delete…" }).click()
    await dialog.waitFor()
    await dialog.getByText("erased for good").waitFor()
    assert.strictEqual(await dialog.getByText("The disk is full.").count(), 0)
  })

  it("offers again what was refused at an earlier opening", async () => {
    const { id } = await clientOf(on.service).keys.create({ email: "carl@example.org", keyName: "phone" })
    const page = await open("/people")
    await page.route("**/api/keys/org/revoke", (route) =>
      route.fulfill({ status: 403, json: { message: "Not this one.", code: "permission/x" } })
    )
    const row = page.locator(".keys .row", { hasText: "phone" })
    const dialog = page.locator("dialog[open]")
    await row.getByRole("button", { name: "Revoke…" }).click()
    await dialog.getByRole("button", { name: "Revoke", exact: true }).click()
    await dialog.getByText("Not this one.").waitFor()
    await dialog.getByRole("button", { name: "Close" }).click()
    await page.unroute("**/api/keys/org/revoke")
    await row.getByRole("button", { name: "Revoke…" }).click()
    await dialog.getByRole("button", { name: "Revoke", exact: true }).click()
    await row.waitFor({ state: "detached" })
    assert.isFalse((await clientOf(on.service).keys.list()).keys.some((key) => key.id === id))
  })

  it("that makes a key stays, too, until it is answered", async () => {
    const page = await open("/people")
    const held = Promise.withResolvers<void>()
    await page.route("**/api/keys/org/create", async (route) => {
      await held.promise
      await route.continue()
    })
    const dialog = page.locator("dialog[open]")
    await page.getByRole("button", { name: "Create a key…" }).click()
    await dialog.getByLabel("Person's e-mail").fill("patient@example.org")
    await dialog.getByLabel("Name").fill("patient")
    await dialog.getByRole("button", { name: "Create", exact: true }).click()
    await dialog.locator("button.primary[aria-disabled=true]").waitFor()
    for (const key of ["Escape", "Escape", "Escape"]) await page.keyboard.press(key)
    await dialog.getByRole("button", { name: "Cancel" }).press("Enter")
    assert.strictEqual(await dialog.count(), 1)
    held.resolve()
    await dialog.getByText("Copy the key now").waitFor()
  })
})
