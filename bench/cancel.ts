import { Effect } from "effect"
import { calls, messagesApi } from "#test/MessagesApi.ts"
import { temporaryFolder } from "./http.ts"
import { service } from "./process.ts"
import { type Measured, milliseconds, percentile } from "./report.ts"
import { headersOf, send } from "./soak/send.ts"

interface Run {
  readonly run_id: string
  readonly state: string
  readonly turns: number
  readonly ended_at: string | null
}

const sandboxes = ["just-bash", "bubblewrap"] as const

/** What runs when the chat is cancelled: one waits, one works. Each has written a file before. */
const commands = {
  "that sleeps": "echo begun > begun.txt; sleep 100000; echo never > never.txt",
  "that works": "echo begun > begun.txt; seq 1 100000000 | sort -n > /dev/null; echo never > never.txt"
} as const

/**
 * From the request that cancels a chat, whose command runs, to the end of the run as its stream tells it: by then what
 * it wrote is committed.
 */
export const cancel = (scale: number) =>
  Effect.gen(function* () {
    const rounds = Math.max(3, Math.round(50 * scale))
    const rows: Array<Measured> = []
    for (const sandbox of sandboxes) {
      const api = yield* messagesApi(({ body }) => {
        const command = commands[String(body.messages[0]!.content) as keyof typeof commands]
        return calls({ name: "Bash", input: { command, timeout: 120_000 } })
      })
      const { port, key } = yield* service(yield* temporaryFolder, {
        ANTHROPIC_API_KEY: api.key,
        ANTHROPIC_BASE_URL: api.url,
        CAIRN_SANDBOX: sandbox,
        CAIRN_LOG_LEVEL: "error"
      })
      const target = { port, key }
      const look = async (run: string) => (await send(target, "GET", `/api/runs/${run}`)).json<Run>()
      /** Milliseconds from the request to the end; the stream is listened to before. */
      const one = async (query: string, round: number) => {
        const chat = { user_query: query, user_id: `${query} ${round}`, org_id: "bench" }
        const asked = await send(target, "POST", "/api/agent-chat", chat, { prefer: "respond-async" })
        const { run_id } = asked.json<Run>()
        // a turn is recorded before its tools run
        while ((await look(run_id)).turns < 1) await new Promise((resolve) => setTimeout(resolve, 20))
        // and the command has been at it for a while
        await new Promise((resolve) => setTimeout(resolve, 300))
        const stream = await fetch(`http://127.0.0.1:${port}/api/runs/${run_id}`, {
          headers: { ...headersOf(key), accept: "text/event-stream" }
        })
        const ended = stream.text()
        const began = performance.now()
        await send(target, "POST", `/api/runs/${run_id}/cancel`)
        const answered = performance.now() - began
        await ended
        const took = performance.now() - began
        const { state } = await look(run_id)
        if (state !== "cancelled") throw new Error(`${query} in ${sandbox}: ${state}`)
        return { answered, took }
      }
      for (const query of Object.keys(commands)) {
        const times: Array<{ readonly answered: number; readonly took: number }> = []
        for (let round = 0; round < rounds; round++) times.push(yield* Effect.promise(() => one(query, round)))
        const [answered, took] = [times.map((time) => time.answered), times.map((time) => time.took)]
        const most = Math.max(...took)
        rows.push({
          name: `${rounds} chats cancelled, a command ${query} in ${sandbox}`,
          value: `ended after p50 ${milliseconds(percentile(took, 0.5))}, p99 ${milliseconds(percentile(took, 0.99))}, at most ${milliseconds(most)}; answered after p50 ${milliseconds(percentile(answered, 0.5))}`,
          bar: "≤ 1 s",
          met: most <= 1_000
        })
      }
    }
    return rows
  }).pipe(Effect.scoped)
