import { Effect } from "effect"
import { calls, messagesApi, says } from "#test/MessagesApi.ts"
import { temporaryFolder } from "./http.ts"
import { service } from "./process.ts"
import { type Measured, milliseconds, percentile } from "./report.ts"

interface Answer {
  readonly success: boolean
  readonly error: string
}

/** A chat's time without the model's: one Write and an answer, in workspaces of so many files. */
export const chat = (scale: number) =>
  Effect.gen(function* () {
    const rounds = Math.max(10, 100 * scale)
    const files = [10, 1_000]
    let next = 0
    const api = yield* messagesApi((request) => {
      const prompt = JSON.stringify(request.body.messages[0])
      const done = request.body.messages.length > 1
      const fill = /fill (\d+)/.exec(prompt)
      if (done) return says("done")
      if (fill === null)
        return calls({ name: "Write", input: { file_path: `changed-${next++}.txt`, content: `${next}` } })
      const command = `for d in $(seq 1 ${Math.ceil(Number(fill[1]) / 100)}); do mkdir -p d$d; for i in $(seq 1 ${Math.min(100, Number(fill[1]))}); do echo $d $i > d$d/$i.txt; done; done`
      return calls({ name: "Bash", input: { command } })
    })
    const { port, key } = yield* service(yield* temporaryFolder, {
      ANTHROPIC_API_KEY: api.key,
      ANTHROPIC_BASE_URL: api.url
    })
    const say = (user: string, query: string) =>
      Effect.promise(async () => {
        const started = performance.now()
        const response = await fetch(`http://127.0.0.1:${port}/api/agent-chat`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify({ user_query: query, user_id: user, org_id: "bench" })
        })
        const answer = (await response.json()) as Answer
        if (!answer.success) throw new Error(answer.error)
        return performance.now() - started
      })
    const rows: Array<Measured> = []
    for (const count of files) {
      yield* say(`u${count}`, `fill ${count}`)
      const times: Array<number> = []
      for (let round = 0; round < rounds; round++) times.push(yield* say(`u${count}`, `change ${round}`))
      const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)]
      rows.push({
        name: `chat without the model, ${count} files`,
        value: `p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)}`,
        bar: count === 1_000 ? "40 / 120 ms" : "",
        met: count === 1_000 ? p50 <= 40 && p99 <= 120 : null
      })
    }
    return rows
  }).pipe(Effect.scoped)
