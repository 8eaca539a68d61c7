import { spawn } from "node:child_process"

/** The service under load, and what its callers know of it. */
export interface Target {
  readonly port: number
  readonly key: string
}

const headersOf = (key: string) => ({ authorization: `Bearer ${key}`, "content-type": "application/json" })

/** One request; fails on anything but a success, with what was said. */
const send = async ({ port, key }: Target, method: string, path: string, body?: unknown, headers: object = {}) => {
  const isBytes = body instanceof Uint8Array
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { ...headersOf(key), ...headers },
    ...(body === undefined ? undefined : { body: isBytes ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) })
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`)
  return { text, json: <A>() => JSON.parse(text) as A }
}

interface Chat {
  readonly workspace_id: string
  readonly run_id: string
}

/** Of MCP, without sessions. */
const protocol = "2026-07-28"

/** Snippets that are kept, and workspaces that are used again: what is stored stays as large as it is after the first minute. */
const mostSnippets = 200
const users = 8

/**
 * What people and programs do, one of each kind at a time, in turns. What one stores another deletes, so that neither the
 * store nor the workspaces grow; the log does.
 */
export const makeLoad = (target: Target) => {
  let n = 0
  const snippets: Array<string> = []
  const workspaces = new Map<string, string>()
  const user = () => `u${n % users}`
  const chatting = (query: string, headers: object = {}) =>
    send(target, "POST", "/api/agent-chat", { user_query: query, user_id: user(), org_id: "soak" }, headers)
  const workspace = () => [...workspaces.values()][n % workspaces.size]

  /** Reads a stream until it has so many characters, then leaves in the midst of it. */
  const listen = async (path: string, characters: number) => {
    const leaving = new AbortController()
    const response = await fetch(`http://127.0.0.1:${target.port}${path}`, {
      headers: { ...headersOf(target.key), accept: "text/event-stream" },
      signal: leaving.signal
    })
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
    let heard = 0
    for await (const piece of response.body!) {
      heard += piece.length
      if (heard >= characters) break
    }
    leaving.abort()
  }

  const git = (path: string) =>
    new Promise<void>((resolve, reject) => {
      const child = spawn("git", ["ls-remote", `http://x:${target.key}@127.0.0.1:${target.port}${path}`], {
        stdio: "ignore",
        env: { PATH: process.env["PATH"], GIT_TERMINAL_PROMPT: "0", HOME: "/nonexistent" }
      })
      child.once("error", reject)
      child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`git ended with ${code}`))))
    })

  const operations: { readonly [name: string]: () => Promise<unknown> } = {
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
      const id = snippets.length > mostSnippets ? snippets.shift() : undefined
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
    heard: () => chatting(`write ${n % 50}`, { accept: "text/event-stream" }),
    cancelled: async () => {
      const { json } = await chatting("wait", { prefer: "respond-async" })
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
    erase: async () => {
      if (n % 50 !== 0 || workspaces.size === 0) return
      const [[name, id]] = [...workspaces] as [[string, string]]
      workspaces.delete(name)
      await send(target, "DELETE", `/api/workspaces/${id}`)
    },
    git: async () => {
      const id = workspace()
      if (id !== undefined) await git(`/git/${id}.git`)
    },
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
    usage: () => send(target, "GET", "/api/usage")
  }

  /** What is wrong, by what was done: each is told once. */
  const failures = new Map<string, string>()
  let failed = 0
  const names = Object.keys(operations)
  return {
    operations: () => n,
    failed: () => failed,
    failures,
    /** The next operation of the turn. */
    next: async () => {
      n += 1
      const name = names[n % names.length]!
      try {
        await operations[name]!()
      } catch (error) {
        // as it should be: somebody erased the workspace of a chat, or of a file, in the meantime
        if (/The workspace was erased|not_found\/workspace|git ended with/.test((error as Error).message)) return
        failed += 1
        if (!failures.has(name)) failures.set(name, (error as Error).message)
      }
    }
  }
}
