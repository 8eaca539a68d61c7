import { assert, it, vi } from "vitest"
import { says } from "#test/MessagesApi.ts"
import { begin } from "#test/service/cut.ts"
import { newInstallation, removeInstallation, startService } from "#test/service.ts"
import { api, chatting, ended, environment, scripts, startsAgent, write } from "./agent.ts"

startsAgent()

it("a chat whose talk grows too long is compacted in a recorded step, and goes on from it after a restart", async () => {
  const installation = await newInstallation()
  const first = await startService(environment(), installation)
  const prompt = "a long talk"
  const held = Promise.withResolvers<void>()
  let restarted = false
  const summaries = () =>
    api.requests.filter(({ body }) => JSON.stringify(body.system).includes("You shorten the record"))
  const later = () =>
    api.requests.filter(({ body }) => String(body.messages[0]!.content).includes("Two files were written."))
  scripts.set(prompt, (turn) =>
    turn < 3 ? write(`${turn}.txt`, "x".repeat(1_000)) : { ...says(""), stopReason: "model_context_window_exceeded" }
  )
  // the only other requests of this test: for the summary, and those that have it
  const script = scripts.get(prompt)!
  scripts.get = ((asked: string) => {
    if (asked === prompt) return script
    if (asked.startsWith("The task:")) return () => says("Two files were written.")
    return () => (restarted ? says("All done.") : { ...says("never heard"), after: held.promise })
  }) as typeof scripts.get

  const leaving = begin(first, chatting, { user_query: prompt, user_id: "long", org_id: "acme" })
  await vi.waitFor(() => assert.lengthOf(later(), 1), { timeout: 60_000 })
  await leaving.cut()
  await first.stop()
  restarted = true
  held.resolve()

  const second = await startService(environment(), installation)
  try {
    const answer = await ended(second.call, prompt, "long")
    assert.deepStrictEqual([answer.success, answer.output], [true, "All done."])
    // it was summed up once; what the model is told is the same before and after
    assert.lengthOf(summaries(), 1)
    const [before, after] = later().map(({ body }) => JSON.stringify(body.messages))
    assert.strictEqual(after, before)
    const rows = await second.sql<{ type: string }>(
      "SELECT type FROM events WHERE stream LIKE 'chat-%' ORDER BY position"
    )
    const types = [
      "ModelTurned",
      "ToolsRan",
      "ModelTurned",
      "ToolsRan",
      "ModelTurned",
      "ChatCompacted",
      "ChatResumed",
      "ModelTurned"
    ]
    assert.deepStrictEqual(
      rows.slice(2).map(({ type }) => type),
      types
    )
    // what it took is used, too
    const { json } = await second.call("GET", "/api/usage")
    const tokens = await second.sql<{ sum: number }>(
      "SELECT sum((data::jsonb->>'inputTokens')::int)::int AS sum FROM events WHERE type IN ('ModelTurned', 'ChatCompacted')"
    )
    assert.strictEqual(json.total.input_tokens, tokens[0]!.sum)
    assert.isAbove(json.total.input_tokens, 0)
    // and the model's turns are those of the talk alone
    assert.strictEqual(json.total.turns, types.filter((type) => type === "ModelTurned").length)
  } finally {
    await second.stop()
    removeInstallation(installation)
  }
})
