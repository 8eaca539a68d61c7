import { repositoryOperations } from "./repositories.ts"
import { headersOf, send, type Target } from "./send.ts"

interface Chat {
  readonly workspace_id: string
  readonly run_id: string
}

/** Of MCP, without sessions. */
const protocol = "2026-07-28"

/**
 * Snippets that are kept, and workspaces that are used again: what is stored stays as large as it is after the first
 * minute.
 */
const mostSnippets = 200
const users = 8

/** As much as nobody reaches: each upload, commit and turn is looked at all the same. */
const bounded = {
  chats_per_day: 1_000_000,
  tokens_per_month: 1_000_000_000,
  snippets: 1_000_000,
  repository_bytes: 1_000_000_000_000
}

/**
 * What people and programs do, one of each kind at a time, in turns. What one stores another deletes, so that neither
 * the store nor the workspaces grow; the log does. `stretch`: operations in which each is done at
 * least once, also what is seldom asked for.
 */
export const makeLoad = (target: Target, stretch: number) => {
  let n = 0
  const snippets: Array<string> = []
  const workspaces = new Map<string, string>()
  const user = () => `u${n % users}`
  const chatting = (query: string, more: object = {}, headers: object = {}) =>
    send(target, "POST", "/api/agent-chat", { user_query: query, user_id: user(), org_id: "soak", ...more }, headers)
  const workspace = () => [...workspaces.values()][n % workspaces.size]

  /** Reads a stream until it has so many characters, then leaves in the midst of it; gives what it heard. */
  const listen = async (path: string, characters: number, headers: object = {}) => {
    const leaving = new AbortController()
    const response = await fetch(`http://127.0.0.1:${target.port}${path}`, {
      headers: { ...headersOf(target.key), accept: "text/event-stream", ...headers },
      signal: leaving.signal
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${(await response.text()).slice(0, 300)}`)
    const decoder = new TextDecoder()
    let heard = ""
    for await (const piece of response.body!) {
      heard += decoder.decode(piece, { stream: true })
      if (heard.length >= characters) break
    }
    leaving.abort()
    return heard
  }

  /** What is seldom asked for. */
  const seldom = (times: number, work: () => Promise<unknown>) => {
    let asked = 0
    return async () => {
      asked += 1
      if (asked % Math.min(times, Math.max(1, Math.floor(rounds()))) === 0) await work()
    }
  }

  const operations: { readonly [name: string]: () => Promise<unknown> } = {
    ...repositoryOperations(target, workspace, () => n),
    upload: async () => {
      const name = `soak_${n}`
      const content = `def ${name}(rows):\n    """Takes row ${n} of a sorted list"""\n    return sorted(rows)[${n}]\n`
      const { json } = await send(target, "POST", "/api/store/execution-result", {
        task: `take row ${n} of a list`,
        succeeded: true,
        user_vote: 1,
        file_written: { path: `${name}.py`, content }
      })
      snippets.push(json<{ code_block_id: string }>().code_block_id)
    },
    search: () => send(target, "POST", "/api/retrieve/search", { task: `take row ${n % 97} of a list` }),
    vote: async () => {
      const id = snippets[n % snippets.length]
      if (id === undefined) return
      await send(target, "POST", "/api/store/cache-usage", {
        task: `take row ${n}`,
        code_block_id: id,
        succeeded: n % 5 !== 0
      })
    },
    delete: async () => {
      // in a short soak after the first stretch, so that it is done as well
      const id = snippets.length > Math.min(mostSnippets, rounds()) ? snippets.shift() : undefined
      if (id !== undefined) await send(target, "POST", "/api/snippets/delete", { snippet_id: id })
    },
    bundle: () =>
      send(target, "POST", "/api/store/bulk-execution-result", {
        prompts: ["split a text"],
        files_written: ["a", "b"].map((name) => ({
          path: `lib/${name}.py`,
          content: `def ${name}(text):\n    return text.split()\n`
        }))
      }),
    chat: async () => {
      const { json } = await chatting(`write ${n % 50}`)
      const { workspace_id } = json<Chat>()
      workspaces.set(user(), workspace_id)
    },
    heard: () => chatting(`write ${n % 50}`, {}, { accept: "text/event-stream" }),
    cancelled: async () => {
      const { json } = await chatting("wait", {}, { prefer: "respond-async" })
      const { run_id } = json<Chat>()
      await send(target, "POST", `/api/runs/${run_id}/cancel`)
    },
    put: async () => {
      const id = workspace()
      if (id !== undefined) await send(target, "PUT", `/api/workspaces/${id}/files/put.bin`, Buffer.alloc(4_096, n))
    },
    tree: async () => {
      const id = workspace()
      if (id !== undefined) await send(target, "GET", `/api/workspaces/${id}/tree`)
    },
    erase: seldom(8, async () => {
      const [oldest] = workspaces
      if (oldest === undefined) return
      const [name, id] = oldest
      workspaces.delete(name)
      await send(target, "DELETE", `/api/workspaces/${id}`)
    }),
    remembered: () => chatting(`write ${n % 50}`, { memory: true }),
    resumed: async () => {
      const { json } = await chatting(`write ${n % 50}`, {}, { prefer: "respond-async" })
      const path = `/api/runs/${json<Chat>().run_id}`
      const first = await listen(path, 200)
      const last = /^id: ?(.+)$/gm.exec(first)?.[1]
      await listen(path, Number.POSITIVE_INFINITY, last === undefined ? {} : { "last-event-id": last })
    },
    execution: async () => {
      const id = snippets[n % snippets.length]
      if (id === undefined) return
      const io = { input_data: { n }, input_hash: "", output_data: [n], output_hash: "" }
      const ran = { execution_state: "completed", io, duration_ms: 12, error_message: null, error_type: null }
      const body = { code_block_id: id, triggering_task: `take row ${n}`, ...ran, verdict: null, review: null }
      await send(target, "POST", "/api/store/execution", body)
    },
    key: async () => {
      const asked = { email: "soak@example.org", key_name: `soak ${n}` }
      const { json } = await send(target, "POST", "/api/keys/org/create", asked)
      const { id, key } = json<{ readonly id: string; readonly key: string }>()
      await send({ port: target.port, key }, "POST", "/api/retrieve/search", { task: "take a row" })
      await send(target, "POST", "/api/keys/org/revoke", { key_id: id })
    },
    bounds: () => send(target, "POST", "/api/bounds", { ...bounded, max_turns: 50 + (Math.floor(n / 26) % 2) }),
    backup: seldom(20, () => send(target, "GET", "/api/admin/backup")),
    events: () => listen("/api/events/stream", 2_000),
    mcp: () => {
      const meta = {
        "io.modelcontextprotocol/protocolVersion": protocol,
        "io.modelcontextprotocol/clientInfo": { name: "soak", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {}
      }
      const headers = {
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": protocol,
        "mcp-method": "tools/list"
      }
      const message = { jsonrpc: "2.0", id: n, method: "tools/list", params: { _meta: meta } }
      return send(target, "POST", "/mcp", message, headers)
    },
    usage: () => send(target, "GET", "/api/usage?by=key")
  }

  const names = Object.keys(operations)
  function rounds(): number {
    return stretch / names.length
  }

  /** What is wrong, by what was done: each is told once. */
  const failures = new Map<string, string>()
  let [failed, passed] = [0, 0]
  return {
    /** How often each kind comes in a stretch. */
    rounds,
    operations: () => n,
    failed: () => failed,
    /** Those that came to nothing, as they should. */
    passed: () => passed,
    failures,
    /** The next operation of the turn. */
    next: async () => {
      n += 1
      const name = names[n % names.length]!
      try {
        await operations[name]!()
      } catch (error) {
        // as it should be: somebody erased the workspace of a chat, or of a file, in the meantime
        if (
          /The workspace was erased|not_found\/(?:workspace|run|snippet)|git ended with|backup_running/.test(
            (error as Error).message
          )
        ) {
          passed += 1
          return
        }
        failed += 1
        if (failures.has(name)) return
        failures.set(name, (error as Error).message)
        process.stderr.write(`${name} failed: ${(error as Error).message}\n`)
      }
    }
  }
}
