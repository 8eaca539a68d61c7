import { Effect } from "effect"
import { calls, messagesApi, says } from "#test/MessagesApi.ts"
import { temporaryFolder } from "./http.ts"
import { run } from "./load.ts"
import { imported, program, residentMiB, service } from "./process.ts"
import { type Measured, milliseconds, percentile, thousands } from "./report.ts"
import { lines } from "./start.ts"

const caller = (port: number, key: string) => async (method: string, path: string, body?: unknown) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  // biome-ignore lint/suspicious/noExplicitAny: an answer is looked at field by field
  const answer = (await response.json()) as any
  if (!response.ok) throw new Error(JSON.stringify(answer))
  return answer
}

/** Searches over HTTP with a full catalogue, beside a bare echo by the same client. */
const catalogue = (scale: number) =>
  Effect.gen(function* () {
    const count = Math.round(50_000 * scale)
    const folder = yield* temporaryFolder
    const { port, key, child } = yield* service(folder)
    const echo = yield* program("bench/echo.ts", "/echo", {})
    const texts = lines(count)
    const started = performance.now()
    yield* imported(folder, texts)
    const perSecond = count / ((performance.now() - started) / 1000)
    const searching = () => {
      const n = Math.floor(Math.random() * count)
      return { path: "/api/retrieve/search", body: JSON.stringify({ task: `compute step ${n % 313} of batch ${n}` }) }
    }
    const load = (port: number, next: Parameters<typeof run>[0]["next"], connections: number) =>
      Effect.promise(() => run({ port, key, connections, milliseconds: Math.max(500, 5_000 * scale), next }))
    yield* load(port, searching, 4)
    const one = yield* load(port, searching, 1)
    const many = yield* load(port, searching, 16)
    const bare = yield* load(echo.port, () => ({ path: "/echo", body: searching().body }), 16)
    const ratio = many.perSecond / bare.perSecond
    const rows: ReadonlyArray<Measured> = [
      {
        name: `search over HTTP, ${thousands(count)} snippets, 1 connection`,
        value: `p50 ${milliseconds(percentile(one.latencies, 0.5))}, p99 ${milliseconds(percentile(one.latencies, 0.99))}, ${one.failed} failed`,
        bar: "",
        met: null
      },
      {
        name: `search over HTTP, ${thousands(count)} snippets, 16 connections`,
        value: `${thousands(many.perSecond)}/s, p99 ${milliseconds(percentile(many.latencies, 0.99))}, ${many.failed} failed; echo × ${ratio.toFixed(2)}`,
        bar: "",
        met: null
      },
      {
        name: `import of ${thousands(count)} snippets`,
        value: `${thousands(perSecond)}/s; then ${Math.round(residentMiB(child))} MiB resident`,
        bar: "",
        met: null
      }
    ]
    return rows
  }).pipe(Effect.scoped)

/** Chats of many callers in few workspaces, where those of one workspace wait for each other. */
const chats = (scale: number) =>
  Effect.gen(function* () {
    const total = Math.max(16, Math.round(1_000 * scale))
    let next = 0
    const api = yield* messagesApi((request) =>
      request.body.messages.length > 1
        ? says("done")
        : calls({ name: "Write", input: { file_path: `file-${next++ % 100}.txt`, content: `${next}` } })
    )
    const { port, key } = yield* service(yield* temporaryFolder, {
      ANTHROPIC_API_KEY: api.key,
      ANTHROPIC_BASE_URL: api.url
    })
    const call = caller(port, key)
    const times: Array<number> = []
    const started = performance.now()
    yield* Effect.forEach(
      Array.from({ length: total }, (_, n) => n),
      (n) =>
        Effect.promise(async () => {
          const began = performance.now()
          const user_query = `change number ${n}`
          const { success, error } = await call("POST", "/api/agent-chat", {
            user_query,
            user_id: `u${n % 8}`,
            org_id: "bench"
          })
          if (!success) throw new Error(error)
          times.push(performance.now() - began)
        }),
      { concurrency: 64, discard: true }
    )
    const seconds = (performance.now() - started) / 1000
    const { workspaces } = yield* Effect.promise(() => call("GET", "/api/workspaces"))
    const commits = workspaces.reduce((sum: number, one: { commits: number }) => sum + one.commits, 0)
    const row: Measured = {
      name: `${thousands(total)} chats in 8 workspaces, 64 at a time`,
      value: `${thousands(total / seconds)}/s, p99 ${milliseconds(percentile(times, 0.99))}; ${thousands(commits)} commits`,
      bar: "one commit each",
      met: commits === total && workspaces.length === 8
    }
    return [row]
  }).pipe(Effect.scoped)

/** One bundle beside as many single ones. */
const bundle = (scale: number) =>
  Effect.gen(function* () {
    const count = Math.max(10, Math.round(200 * scale))
    const { port, key } = yield* service(yield* temporaryFolder)
    const call = caller(port, key)
    const files = (name: string) =>
      Array.from({ length: count }, (_, n) => ({
        path: `${name}_${n}.py`,
        content: `def ${name}_${n}(rows):\n    """Sorts rows in way ${n} of ${name}."""\n    return sorted(rows)[${n}:]\n`
      }))
    const timed = (work: () => Promise<unknown>) =>
      Effect.promise(async () => {
        const began = performance.now()
        await work()
        return performance.now() - began
      })
    const send = (name: string) =>
      call("POST", "/api/store/bulk-execution-result", { prompts: ["sort rows"], files_written: files(name) })
    yield* timed(() => send("warm"))
    const together = yield* timed(() => send("bundle"))
    const single = yield* timed(async () => {
      for (const file_written of files("single")) {
        const upload = { task: "sort rows", file_written, succeeded: true }
        await call("POST", "/api/store/execution-result", upload)
      }
    })
    const row: Measured = {
      name: `bundle of ${count} files`,
      value: `${milliseconds(together)}; one by one ${milliseconds(single)} (× ${(single / together).toFixed(1)})`,
      bar: "",
      met: null
    }
    return [row]
  }).pipe(Effect.scoped)

/** What the service holds: a full catalogue, many chats at once, a bundle of the largest size. */
export const limits = (scale: number) =>
  Effect.gen(function* () {
    return [...(yield* catalogue(scale)), ...(yield* chats(scale)), ...(yield* bundle(scale))]
  })
