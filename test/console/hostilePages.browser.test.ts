import { assert, describe, it } from "vitest"
import { ownerKey } from "#test/service.ts"
import { harmless, markup, words } from "./attacks.ts"
import { whyNot } from "./chromium.ts"
import { clientOf, readAs, startsReading } from "./reading.ts"

describe.skipIf(whyNot() !== undefined)(
  "pages that tell of a snippet, a run and the service, to an attacker's words",
  () => {
    const on = startsReading({ filled: false })

    it("a snippet's votes, gradings, functions, searches and events are text, and so is what is asked before it goes", async () => {
      const cairn = clientOf(on.service).withOptions({ agentId: "<b>agent</b>" })
      const { codeBlockId: id } = await cairn.snippets.create({
        name: words.slice(0, 200),
        source: `def parse(path):\n    """${words}"""\n    return path\n`,
        entrypoint: "parse",
        language: "python",
        description: words
      })
      await cairn.search({ task: `${words} parse a path` })
      await cairn.voteCodeSnip({ codeBlockId: id, task: words, succeeded: true })
      await cairn.snippets.comment(id, words)
      const newest = await fetch(`${on.service.url}/api/events/newest?limit=1`, {
        headers: { authorization: `Bearer ${ownerKey}` }
      })
      const [one] = (await newest.json()).events
      on.reader = await on.browser.open()
      const { page } = on.reader
      await page.route(`**/api/snippets/${id}/functions`, (route) =>
        route.fulfill({
          json: {
            functions: [
              {
                fingerprint: markup,
                function_name: words,
                signature: words,
                language: words,
                thumbs_up: 1,
                thumbs_down: 0,
                execution_count: 1,
                total_logged_calls: 2,
                common_errors: [words, markup],
                last_failure_at: null
              }
            ]
          }
        })
      )
      // a grading needs a model, and a retrieval's task is cut: what they would say is put into the answers
      await page.route("**/api/events/newest?*", async (route) => {
        const response = await route.fetch()
        const answer = await response.json()
        const told = (type: string, data: object) => ({
          ...one,
          event_id: `${type} ${markup}`,
          type,
          data: { snippet: id, count: 1, value: -1, source: words, request: markup, voter: null, ...data }
        })
        const type = new URL(route.request().url()).searchParams.get("type")
        if (type === "VoteRequested") answer.events = [told(type, { text: null })]
        if (type === "GradingFailed") answer.events = [told(type, { text: { error: words } })]
        if (type === "VoteCast")
          answer.events.push(told(type, { request: null, text: { task: words, reason: words, origin: words } }))
        await route.fulfill({ response, json: answer })
      })
      await readAs(on.reader, on.service, `/snippets/${id}`)
      await page.locator(".votes-over-time tbody tr").nth(1).waitFor()
      await page.locator(".gradings li", { hasText: "<img src=x" }).waitFor()
      await page.locator(".functions tbody tr", { hasText: "<img src=x" }).waitFor()
      await page.locator(".found-for tbody tr", { hasText: "<img src=x" }).waitFor()
      await harmless(on.reader, "snippet")
      await page.getByRole("button", { name: "Delete…" }).click()
      await page.getByRole("dialog").getByText("<img src=x").waitFor()
      await harmless(on.reader, "before a snippet is deleted")
    })

    it("a run is, turn by turn, whatever its model and its tools said", async () => {
      const cairn = clientOf(on.service)
      const name = markup.slice(0, 120)
      await cairn.chat(words, { user: name, org: name, model: "local" })
      const { workspaces } = await cairn.workspaces.list()
      const { runs } = await cairn.runs.list(workspaces[0]!.workspaceId)
      const id = runs[0]!.runId
      on.reader = await on.browser.open({ viewport: { width: 380, height: 700 } })
      const { page } = on.reader
      await readAs(on.reader, on.service, `/runs/${id}`)
      await page.locator(".turns > li").first().waitFor()
      for (const details of await page.locator(".turns details summary").all()) await details.click()
      await harmless(on.reader, "run")
      await page.goto(`${on.service.url}/runs/${id}?turn=1`)
      await page.getByText("After this turn").waitFor()
      await harmless(on.reader, "turn of a run")
      assert.isAtMost((await page.evaluate("document.documentElement.scrollWidth")) as number, 380)
      for (const turn of [markup, "-1", "9".repeat(40), "%00"]) {
        await page.goto(`${on.service.url}/runs/${id}?turn=${encodeURIComponent(turn)}`)
        await page.locator(".turns > li").first().waitFor()
        await harmless(on.reader, turn)
      }
    })

    it("how the service and its models do is, whatever they complain of", async () => {
      on.reader = await on.browser.open({ viewport: { width: 380, height: 700 } })
      const { page } = on.reader
      const now = new Date().toISOString()
      await page.route("**/api/admin/status", async (route) => {
        const response = await route.fetch()
        const status = await response.json()
        status.models = [{ ...status.models[0], name: words, answered_at: null, failed_at: now, fault: words }]
        status.read_models[0].fault = words
        await route.fulfill({ response, json: status })
      })
      await page.route("**/ready", (route) =>
        route.fulfill({
          status: 503,
          json: {
            status: "failing",
            read_models: { [words]: words },
            nearly_full: [words],
            left_out: { count: 0, snippets: [] }
          }
        })
      )
      await readAs(on.reader, on.service, "/overview")
      await page.getByRole("list", { name: "Language models" }).getByText("<img src=x").first().waitFor()
      await harmless(on.reader, "overview")
      assert.isAtMost((await page.evaluate("document.documentElement.scrollWidth")) as number, 380)
      await page.goto(`${on.service.url}/read-models`)
      await page.locator(".read-models tbody tr").first().waitFor()
      await harmless(on.reader, "read models")
    })

    it("a link that signs in is nothing but a code, whatever stands in it", async () => {
      on.reader = await on.browser.open()
      const { page } = on.reader
      await page.goto(`${on.service.url}/overview#sign-in=${encodeURIComponent(words)}`)
      await page.getByText("You opened the sign-in link").waitFor()
      await page.getByRole("button", { name: "Sign in" }).click()
      await page.locator("[role=alert], .problem").first().waitFor()
      await harmless(on.reader, "sign in")
    })
  }
)
