import { assert } from "@effect/vitest"
import { askedOf } from "#test/e2e/kill/agent.ts"
import type { Chat } from "#test/e2e/kill/Ledger.ts"
import type { Sql } from "#test/e2e/kill/log.ts"
import type { MessagesRequest } from "#test/MessagesApi.ts"

interface Steps {
  readonly run: string
  readonly types: ReadonlyArray<string>
}

/**
 * Each turn of each run is in the log once, and its model was asked for it once, and once more for each time that the
 * run was taken up there. Answers how many runs were taken up.
 */
export const checkTurns = async (
  sql: Sql,
  chats: ReadonlyArray<Chat>,
  requests: ReadonlyArray<MessagesRequest>
): Promise<number> => {
  const rows = await sql<Steps>(`SELECT substr(stream, 6) AS run, array_agg(type ORDER BY revision) AS types
    FROM events WHERE stream LIKE 'chat-%' AND type IN ('ModelTurned', 'ChatResumed') GROUP BY stream`)
  const asked = new Map<string, number>()
  for (const request of requests) {
    // the SDK's own word: who had no answer for two minutes asks again, in whose process nobody was killed so long
    if (Number(request.headers["x-stainless-retry-count"] ?? 0) > 0) continue
    const { task, turn } = askedOf(request)
    const name = `${task.word} ${turn}`
    asked.set(name, (asked.get(name) ?? 0) + 1)
  }
  const wrong: Array<string> = []
  for (const { word, answer } of chats) {
    const types = rows.find(({ run }) => run === answer!.json.session_id)?.types ?? []
    const turns = types.filter((type) => type === "ModelTurned").length
    /** How many turns there were when it was taken up, each time. */
    const resumedAt = types.flatMap((type, place) =>
      type === "ChatResumed" ? [types.slice(0, place).filter((before) => before === "ModelTurned").length] : []
    )
    for (let turn = 0; turn < turns; turn++) {
      const resumed = resumedAt.filter((at) => at === turn).length
      const times = asked.get(`${word} ${turn}`) ?? 0
      if (times < 1 || times > 1 + resumed)
        wrong.push(`turn ${turn} of ${word}: asked ${times} times, and taken up ${resumed} times there`)
    }
    if (answer!.json.success && turns !== 3) wrong.push(`${word} has ${turns} turns, not 3`)
  }
  assert.deepStrictEqual(wrong, [])
  return rows.filter(({ types }) => types.includes("ChatResumed")).length
}
