import { assert, describe, it } from "vitest"
import { holdReadModels } from "#test/service/cut.ts"
import { seriousInBothThemes, seriousOn } from "./axe.ts"
import { whyNot } from "./chromium.ts"
import { clientOf, readAs, startsReading } from "./reading.ts"

describe.skipIf(whyNot() !== undefined)("read models in the console", () => {
  const on = startsReading({ filled: false })

  const row = (name: RegExp) => on.reader.page.getByRole("row", { name })

  it("are compared and rebuilt at the press of a button, and what came of it stays", async () => {
    const page = await on.open("/read-models")
    await row(/^patterns/)
      .getByText("not yet")
      .waitFor()
    await row(/^patterns/)
      .getByText(/ KiB/)
      .waitFor()
    await page.getByRole("button", { name: "Verify patterns" }).focus()
    await page.keyboard.press("Enter")
    await row(/^patterns/)
      .getByText("matches the log")
      .waitFor()
    await row(/^patterns/)
      .getByRole("button", { name: "Rebuild…" })
      .click()
    await page.getByRole("dialog").getByText("Reads are not affected").waitFor()
    await page.getByRole("dialog").getByRole("button", { name: "Rebuild", exact: true }).click()
    await row(/^patterns/)
      .getByText("rebuilt, no differences")
      .waitFor()
    await page.reload()
    await row(/^patterns/)
      .getByText("rebuilt, no differences")
      .waitFor()
    assert.deepStrictEqual(await seriousOn(page), [])
  })

  it("show how far a comparison is, and end it; another one can't be begun meanwhile", async () => {
    const page = await on.open("/read-models")
    await page.getByRole("button", { name: "Verify logs" }).waitFor()
    const held = await holdReadModels(on.service)
    try {
      await page.getByRole("button", { name: "Verify logs" }).click()
      await page.getByRole("progressbar", { name: "Comparing logs" }).waitFor()
      assert.strictEqual(await page.getByRole("button", { name: /^Verify/ }).count(), 0)
      await page.getByRole("button", { name: "Cancel logs" }).click()
      await row(/^logs/).getByText("cancelled").waitFor()
    } finally {
      await held.release()
    }
  })

  it("say what differs and what failed, as text, on a narrow screen, in both themes", async () => {
    on.reader = await on.browser.open({ viewport: { width: 380, height: 700 } })
    const { page } = on.reader
    const one = {
      promote: false,
      position: "7",
      goal: "9",
      progress: 0.5,
      events: 1_200,
      differences: [],
      fault: null,
      key_id: "k",
      started_at: new Date().toISOString(),
      ended_at: null
    }
    await page.route("**/api/admin/replays", (route) =>
      route.fulfill({
        json: {
          replays: [
            { ...one, read_model: "keys", state: "running" },
            { ...one, read_model: "logs", state: "failed", fault: "<img src=x onerror='window.ran=1'>\u202e" },
            { ...one, read_model: "snippets", state: "done", differences: [{ table: "votes", rows: 50 }] },
            { ...one, read_model: "patterns", state: "broken_off" }
          ]
        }
      })
    )
    await readAs(on.reader, on.service, "/read-models")
    await row(/^keys/).getByText("50 %, 1,200 events").waitFor()
    await page.getByText("<img src=x").waitFor()
    await page.getByText("differs in 50 rows").waitFor()
    await page.getByText("votes: 50 or more").waitFor()
    await page.getByText("interrupted").waitFor()
    assert.strictEqual(await page.evaluate("window.ran"), undefined)
    assert.deepStrictEqual(await seriousInBothThemes(page), [])
    assert.isAtMost((await page.evaluate("document.documentElement.scrollWidth")) as number, 380)
  })

  it("say that one could not be begun, and have nothing to press for a key that only reads", async () => {
    const page = await on.open("/read-models")
    await page.route("**/api/admin/replays", (route) =>
      route.request().method() === "POST"
        ? route.fulfill({ status: 409, json: { message: "Another replay goes on.", code: "conflict/replay_running" } })
        : route.continue()
    )
    await page.getByRole("button", { name: "Verify bundles" }).click()
    await row(/^bundles/)
      .getByRole("alert")
      .getByText("Another replay goes on")
      .waitFor()
    await on.reader.close()
    const cairn = clientOf(on.service)
    const { keys } = await cairn.keys.list()
    const reads = await cairn.keys.create({ email: keys[0]!.userEmail, keyName: "looks", readOnly: true })
    const looking = await on.open("/read-models", reads.key)
    await looking.getByRole("row", { name: /^bundles/ }).waitFor()
    assert.strictEqual(await looking.getByRole("button", { name: /^Verify|^Rebuild/ }).count(), 0)
  })
})
