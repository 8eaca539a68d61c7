import { assert, describe, it } from "vitest"
import { holdBuilds } from "#test/service/cut.ts"
import { seriousInBothThemes, seriousOn } from "./axe.ts"
import { whyNot } from "./chromium.ts"
import { clientOf, readAs, startsReading } from "./reading.ts"

describe.skipIf(whyNot() !== undefined)("read models as of a time, in the console", () => {
  const on = startsReading({ filled: false })

  const section = () => on.reader.page.locator("section.as-of")
  const make = async (at: string) => {
    await section().getByLabel("As of").fill(at)
    await on.reader.page.keyboard.press("Enter")
  }
  const drop = async () => {
    await section().getByRole("button", { name: "Drop…" }).click()
    await on.reader.page.getByRole("dialog").getByRole("button", { name: "Drop", exact: true }).click()
    await section().getByText("No copies yet").waitFor()
  }

  it("are made, looked into and dropped, each table at an address of its own", async () => {
    const cairn = clientOf(on.service)
    const source = "def one():\n    return '<b>1</b>'\n"
    const { codeBlockId } = await cairn.snippets.create({ name: "one", source, entrypoint: "one", language: "python" })
    const position = String(await on.service.head())
    await cairn.snippets.create({ name: "two", source: "two = 2\n", entrypoint: "two", language: "python" })
    const page = await on.open("/read-models")
    await section().getByText("No copies yet").waitFor()
    await make(position)
    await section().getByText("made", { exact: true }).waitFor()
    assert.deepStrictEqual(await seriousOn(page), [])
    await section()
      .getByRole("link", { name: `Open position ${position}` })
      .focus()
    await page.keyboard.press("Enter")
    await page.getByLabel("Table").selectOption("snippets_snippets")
    await page.getByRole("columnheader", { name: "source" }).waitFor()
    await page.getByText("return '<b>1</b>'").waitFor()
    assert.strictEqual(await page.getByText("two = 2").count(), 0)
    await page.getByLabel("Row").fill("another")
    await page.getByRole("button", { name: "Find" }).click()
    await page.getByText("no row with this id").waitFor()
    await page.goBack()
    await page.getByText("return '<b>1</b>'").waitFor()
    await page.getByLabel("Row").fill(codeBlockId)
    await page.getByRole("button", { name: "Find" }).click()
    await page.waitForURL(`**/read-models/as-of/${position}?table=snippets_snippets&id=${codeBlockId}`)
    await page.reload()
    await page.getByText("return '<b>1</b>'").waitFor()
    const steps = await page.evaluate(() => history.length)
    const table = page.getByLabel("Table")
    await table.focus()
    for (let n = 0; n < 4; n++) await page.keyboard.press("ArrowDown")
    const passed = await table.inputValue()
    await page.waitForURL(`**table=${passed}`)
    assert.strictEqual(await page.evaluate(() => history.length), steps)
    await page.getByLabel("Table").selectOption("bundles_bundles")
    await page.getByText("The table had no rows then").waitFor()
    await page.getByLabel("Table").selectOption("keys_keys")
    await page.getByRole("columnheader", { name: "prefix" }).waitFor()
    assert.strictEqual(await page.getByRole("columnheader", { name: "hash" }).count(), 0)
    assert.deepStrictEqual(await seriousOn(page), [])
    await page.getByRole("link", { name: "Read models" }).last().click()
    await drop()
    await page.goto(`${on.service.url}/read-models/as-of/${position}`)
    await page.getByText("No copy as of this position").waitFor()
  })

  it("show how far one is that is made, and end it", async () => {
    const page = await on.open("/read-models")
    await section().getByText("No copies yet").waitFor()
    const held = await holdBuilds(on.service)
    try {
      await make("1")
      await page.getByRole("progressbar", { name: "Making position 1" }).waitFor()
      assert.strictEqual(await section().getByRole("button", { name: "Make" }).count(), 0)
      await section().getByRole("button", { name: "Stop…" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Stop" }).click()
    } finally {
      await held.release()
    }
    await section().getByText("No copies yet").waitFor()
  })

  it("say what can't be made, and what could not be looked at", async () => {
    const page = await on.open("/read-models")
    for (const [at, said] of [
      ["2999-01-01", "lies in the future"],
      ["999999999", "lies beyond the log's head"],
      ["abcd-1", "another log"],
      ["yesterday", "neither a position nor a time"]
    ] as const) {
      await make(at)
      await section().getByRole("alert").getByText(said).waitFor()
      assert.strictEqual(await section().getByLabel("As of").inputValue(), at)
    }
    await page.route("**/api/admin/as-of", (route) =>
      route.fulfill({ status: 503, json: { message: "It is away.", code: "unavailable/store" } })
    )
    await section().getByText("It is away.").first().waitFor()
    await section().getByRole("button", { name: "Try again" }).waitFor()
    await page.unroute("**/api/admin/as-of")
    await section().getByText("No copies yet").waitFor()
  })

  it("say how each is and that there are no more, as text, on a narrow screen, in both themes", async () => {
    on.reader = await on.browser.open({ viewport: { width: 380, height: 700 } })
    const { page } = on.reader
    const at = new Date().toISOString()
    const tables = [{ name: "snippets_snippets", rows: 12_345, bytes: 40_960 }]
    const one = { recorded_at: at, tables, progress: 1, fault: null, key_id: "k", started_at: at, ended_at: at }
    const wild = "<img src=x onerror='window.ran=1'>\u202e"
    const list = [
      { ...one, position: "7", state: "made" },
      { ...one, position: "8", state: "made", key_id: null, started_at: null, ended_at: null },
      { ...one, position: "9", state: "failed", fault: wild },
      { ...one, position: "10", state: "broken_off" }
    ]
    await page.route("**/api/admin/as-of", (route) => route.fulfill({ json: { as_of: list, most: 4 } }))
    await page.route("**/api/admin/as-of/7/**", (route) =>
      route.fulfill({
        json: {
          columns: ["id", "x"],
          rows: [
            [wild, "w".repeat(500)],
            ["b", null]
          ],
          next_cursor: null
        }
      })
    )
    await readAs(on.reader, on.service, "/read-models")
    for (const said of [
      "by the command line",
      "failed",
      "interrupted",
      "12,345",
      "<img src=x",
      "There can be no more than"
    ])
      await section().getByText(said).first().waitFor()
    assert.strictEqual(await section().getByRole("button", { name: "Make" }).count(), 0)
    assert.deepStrictEqual(await seriousInBothThemes(page), [])
    assert.isAtMost((await page.evaluate("document.documentElement.scrollWidth")) as number, 380)
    await section().getByRole("link", { name: "Open position 7" }).click()
    await page.getByText("<img src=x").waitFor()
    assert.strictEqual(await page.evaluate("window.ran"), undefined)
    assert.deepStrictEqual(await seriousInBothThemes(page), [])
    assert.isAtMost((await page.evaluate("document.documentElement.scrollWidth")) as number, 380)
  })

  it("go on page by page, and say when the next one does not come", async () => {
    const page = await on.open("/read-models")
    await make("1")
    await section().getByText("made", { exact: true }).waitFor()
    let fails = false
    await page.route("**/api/admin/as-of/1/**", (route) => {
      const isNext = new URL(route.request().url()).searchParams.get("cursor") === "a"
      if (isNext && fails)
        return route.fulfill({ status: 404, json: { message: "It was dropped.", code: "not_found/as_of" } })
      return route.fulfill({
        json: { columns: ["id"], rows: [[isNext ? "row b" : "row a"]], next_cursor: isNext ? null : "a" }
      })
    })
    await section().getByRole("link", { name: "Open position 1" }).click()
    await page.getByText("row a").waitFor()
    fails = true
    await page.getByRole("button", { name: "Show more" }).click()
    await page.getByRole("alert").getByText("It was dropped.").waitFor()
    fails = false
    await page.getByRole("button", { name: "Show more" }).click()
    await page.getByText("row b").waitFor()
    assert.strictEqual(await page.getByText("row a").count(), 1)
    assert.strictEqual(await page.getByRole("button", { name: "Show more" }).count(), 0)
    await page.unroute("**/api/admin/as-of/1/**")
    await page.getByRole("link", { name: "Read models" }).last().click()
    await drop()
  })

  it("are looked into by a key that only reads, and are nobody else's", async () => {
    const cairn = clientOf(on.service)
    await cairn.system.makeAsOf("2")
    while ((await cairn.system.asOfs()).asOf[0]?.state !== "made");
    const { keys } = await cairn.keys.list()
    const reads = await cairn.keys.create({ email: keys[0]!.userEmail, keyName: "looks", readOnly: true })
    const looking = await on.open("/read-models", reads.key)
    await looking.getByRole("link", { name: "Open position 2" }).waitFor()
    assert.strictEqual(await section().getByRole("button").count(), 0)
    await on.reader.close()
    const page = await on.open("/read-models/as-of/2", await on.keyFor("member"))
    await page.getByText("This key has no access").waitFor()
    assert.strictEqual(await page.getByRole("link", { name: "Read models" }).count(), 1)
  })
})
