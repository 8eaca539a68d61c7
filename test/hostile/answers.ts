import type { Socket } from "node:net"
import { assert } from "vitest"
import { ownerKey } from "#test/service.ts"
import { type Attack, answered, close, deaf, smallSearch, times } from "./Attack.ts"
import { tall, task } from "./longAnswers.ts"
import type { Target, Use } from "./Target.ts"

/**
 * Answers as large as may be, asked for by many who take them slowly, in part, or not at all. Who asks for something
 * beside them must be answered at once, also with the same key.
 */

const head = (method: string, path: string, ...lines: ReadonlyArray<string>) =>
  [`${method} ${path} HTTP/1.1`, "Host: 127.0.0.1", `Authorization: Bearer ${ownerKey}`, ...lines, "", ""].join("\r\n")

const get = (path: string, ...lines: ReadonlyArray<string>) => head("GET", path, ...lines)

const post = (path: string, body: unknown, ...lines: ReadonlyArray<string>) => {
  const text = JSON.stringify(body)
  const length = `Content-Length: ${Buffer.byteLength(text)}`
  return `${head("POST", path, "Content-Type: application/json", length, ...lines)}${text}`
}

const accept = "Accept: application/json, text/event-stream"

/** Reads some bytes now and then. */
const sipping = async (target: Target, request: string) => {
  const socket = await deaf(target, request)
  const sip = setInterval(() => socket.read(100), 20)
  socket.once("close", () => clearInterval(sip))
  return socket
}

/** Milliseconds for what others ask for, also with the same key. */
const friendly = async ({ call, as }: Target): Promise<number> => {
  const began = performance.now()
  answered(await call("POST", "/api/retrieve/search", smallSearch), 200)
  answered(await call("GET", "/api/events?limit=20"), 200)
  answered(await as(ownerKey, { "accept-encoding": "gzip" })("GET", "/api/workspaces"), 200)
  return performance.now() - began
}

/**
 * Others are answered at once while an attack goes on: as fast as the same machine does it otherwise, with what it is
 * busy with.
 */
const answeredBeside = async (target: Target, attack: () => Promise<ReadonlyArray<Socket>>) => {
  const calm = Math.max(await friendly(target), await friendly(target))
  const sockets = await attack()
  const times = []
  try {
    for (let n = 0; n < 5; n++) times.push(await friendly(target))
  } finally {
    close(sockets)
  }
  assert.isBelow(Math.min(...times), 2_000 + 10 * calm, "milliseconds for others' answers")
}

const unread =
  (count: number, requests: (target: Target) => Promise<ReadonlyArray<string>>, reader = deaf): Attack["run"] =>
  async (target) => {
    const asked = await requests(target)
    await answeredBeside(target, () => times(count, (n) => reader(target, asked[n % asked.length]!)))
  }

const idOf = async ({ call }: Target, user: string): Promise<string> => {
  const { workspaces } = answered(await call("GET", "/api/workspaces"), 200)
  return workspaces.find(({ user_id }: { user_id: string }) => user_id === user).workspace_id
}

/** Made once, by the first attack that needs them. */
const once = <A>(make: (target: Target) => Promise<A>) => {
  let made: Promise<A> | undefined
  return (target: Target) => {
    made ??= make(target)
    return made
  }
}

const write = (file_path: string, content: string): Use => ({ name: "Write", input: { file_path, content } })

/** Names of 200 characters in each other: every path has some four thousand. */
const deep = Array.from({ length: 19 }, (_, n) => `${n}`.padEnd(205, "d")).join("/")

const longPaths = once(async (target) => {
  // a command has only so much time, and paths of this length take some
  for (let turn = 0; turn < 12; turn++) {
    const command = `mkdir -p ${deep}; cd ${deep}; for f in $(seq 1 500); do echo ${turn} > ${turn}-$f; done`
    answered(await target.chat("deep", [[{ name: "Bash", input: { command } }]]), 200)
  }
  return idOf(target, "deep")
})

const largeFiles = once(async (target) => {
  const noise = (n: number) =>
    Array.from({ length: 300_000 }, (_, m) => ((m * 7_919 + n) % 1_000_003).toString(36)).join("")
  answered(
    await target.chat(
      "heavy",
      [1, 2, 3].map((n) => [write(`${n}.txt`, noise(n))])
    ),
    200
  )
  return idOf(target, "heavy")
})

const repository = once(async ({ call }) => {
  const files = Array.from({ length: 150 }, (_, n) => ({ path: `r/${n}.py`, content: `y = "${n}é"\n`.repeat(9_000) }))
  const { repo_id } = answered(await call("POST", "/api/store/repo", { task: "a repository to read", files }), 200)
  return repo_id as string
})

const runs = once(async ({ call }) => {
  for (let n = 0; n < 100; n++) {
    const body = {
      code_block_id: "heavy_code",
      execution_state: "completed",
      triggering_task: "a heavy run",
      duration_ms: 1,
      io: { input_data: { n }, output_data: "o".repeat(900_000) }
    }
    answered(await call("POST", "/api/store/execution", body), 200)
  }
})

export const answers: ReadonlyArray<Attack> = [
  {
    name: "trees, commits and a chat of 6,000 paths of four kilobytes",
    arrange: async (target) => void (await longPaths(target)),
    run: async (target) => {
      const id = await longPaths(target)
      const tree = await target.call("GET", `/api/workspaces/${id}/tree`)
      assert.strictEqual(answered(tree, 200).files.length, 6_000)
      const { commits } = answered(await target.call("GET", `/api/workspaces/${id}/commits?limit=100`), 200)
      answered(await target.call("GET", `/api/workspaces/${id}/commits/${commits[0].sha}`), 200)
      const { workspace_files } = answered(await target.chat("deep", [[write("a.txt", "a")]]), 200)
      assert.strictEqual(workspace_files.length, 6_001)
    }
  },
  {
    name: "50 who ask for trees, commits and diffs of long paths, and read nothing",
    arrange: async (target) => void (await longPaths(target)),
    share: 2,
    run: unread(50, async (target) => {
      const id = await longPaths(target)
      const { commits } = answered(await target.call("GET", `/api/workspaces/${id}/commits?limit=2`), 200)
      const paths = ["tree", "commits?limit=100", ...commits.map(({ sha }: { sha: string }) => `commits/${sha}`)]
      return paths.map((path) => get(`/api/workspaces/${id}/${path}`))
    })
  },
  {
    name: "50 who ask for large files over both APIs, and read nothing",
    arrange: async (target) => void (await largeFiles(target)),
    share: 2,
    run: unread(50, async (target) => {
      const id = await largeFiles(target)
      const params = { uri: `cairn://workspaces/${id}/files/2.txt` }
      const message = { jsonrpc: "2.0", id: 1, method: "resources/read", params }
      return [get(`/api/workspaces/${id}/files/1.txt`), post("/mcp", message, accept)]
    })
  },
  {
    name: "50 who ask for a repository of 14 MiB, and read nothing",
    arrange: async (target) => void (await repository(target)),
    share: 2,
    run: unread(50, async (target) => {
      const id = await repository(target)
      return [get(`/api/store/repo/${id}`), get(`/raw/${id}.md`)]
    })
  },
  {
    name: "a repository of 14 MiB, read whole, and all events",
    arrange: async (target) => void (await repository(target)),
    run: async (target) => {
      const id = await repository(target)
      assert.strictEqual(answered(await target.call("GET", `/api/store/repo/${id}`), 200).files.length, 150)
      for (let after = "0", last = ""; after !== last; ) {
        last = after
        const { events, next_after } = answered(await target.call("GET", `/api/events?limit=1000&after=${after}`), 200)
        assert.isTrue(events.length > 0 || next_after === last)
        after = next_after
      }
    }
  },
  {
    name: "a hundred runs of a megabyte, asked for by 20 who read nothing and one who does",
    arrange: runs,
    share: 2,
    run: async (target) => {
      const body = { code_block_id: "heavy_code", limit: 100 }
      await answeredBeside(target, () => times(20, () => deaf(target, post("/api/retrieve/executions", body))))
      const { executions } = answered(
        await target.call("POST", "/api/retrieve/executions", { ...body, limit: 30 }),
        200
      )
      assert.strictEqual(executions.length, 30)
    }
  },
  {
    name: "60 who sip large answers, 100 bytes at a time",
    arrange: async (target) => void (await Promise.all([longPaths(target), repository(target)])),
    share: 2,
    run: unread(
      60,
      async (target) => [
        get("/api/events?limit=1000"),
        get("/api/events/stream?after=0"),
        get(`/api/workspaces/${await longPaths(target)}/tree`),
        get(`/api/store/repo/${await repository(target)}`)
      ],
      sipping
    )
  },
  {
    name: "compressed answers that nobody reads, ten on each of 50 connections",
    share: 2,
    run: unread(50, async () =>
      ["/api/events?limit=1000", "/openapi.json", "/api/workspaces"].map((path) =>
        get(path, "Accept-Encoding: gzip").repeat(10)
      )
    )
  },
  {
    name: "250 who ask without a key for the API's page, by brotli, and read nothing",
    share: 2,
    run: unread(250, async () => [get("/docs", "Accept-Encoding: br")])
  },
  {
    name: "200 who ask for large answers and hang up halfway",
    arrange: async (target) => void (await Promise.all([longPaths(target), repository(target)])),
    share: 4,
    run: async (target) => {
      const paths = [
        "/api/events?limit=1000",
        `/api/workspaces/${await longPaths(target)}/tree`,
        `/api/store/repo/${await repository(target)}`
      ]
      await times(200, async (n) => {
        const socket = await target.socket()
        const gone = new Promise((resolve) => socket.once("close", resolve))
        socket.on("data", () => socket.destroy())
        socket.write(get(paths[n % paths.length]!))
        await gone
      })
      await friendly(target)
    }
  },
  {
    name: "50 MCP sessions that call and never read",
    share: 2,
    run: async (target) => {
      const greeting = {
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "deaf", version: "1" } }
      }
      const lists = Array.from({ length: 40 }, (_, n) => ({ jsonrpc: "2.0", id: n + 2, method: "tools/list" }))
      await answeredBeside(target, () =>
        times(50, (n) => deaf(target, n % 2 ? post("/mcp", greeting, accept) : post("/mcp", lists, accept).repeat(5)))
      )
    }
  },
  {
    name: "30,000 requests behind one another, whose first answer nobody takes",
    share: 4,
    run: async (target) => {
      await answeredBeside(target, () =>
        times(30, () => deaf(target, get("/api/events?limit=1000") + get("/health").repeat(1_000)))
      )
    }
  },
  {
    name: "200 who search for twelve files of a megabyte, and read nothing",
    arrange: (target) => tall(target, 12),
    share: 4,
    run: unread(200, async () => [post("/api/retrieve/search", { task, top_k: 100 })])
  },
  {
    name: "clones that nobody reads, and large answers beside them",
    arrange: async (target) => void (await largeFiles(target)),
    share: 2,
    run: unread(30, async (target) => {
      const id = await largeFiles(target)
      return [
        get(`/git/${id}.git/info/refs?service=git-upload-pack`),
        get(`/git/${id}.git/info/refs`),
        get(`/api/workspaces/${id}/files/3.txt`)
      ]
    })
  }
]
