import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { tryOut } from "#infra/sandbox/bubblewrap/layer.ts"
import { findTools } from "#infra/sandbox/bubblewrap/tools.ts"
import { calls, says, startMessagesApi } from "#test/MessagesApi.ts"
import { startService } from "#test/service.ts"
import { isThere, isUsable, languages, processesWith, until } from "./bubblewrap.host.ts"

// CI has both, see .ci/run
const canRun = isUsable && (languages.includes("python") || process.env["CI"] === "true")

describe.skipIf(!canRun)("a service with CAIRN_SANDBOX=bubblewrap", () => {
  it("runs python3 for a chat and commits what it wrote", async () => {
    const script = "import json, sys; json.dump({'sum': sum(range(10))}, open('out/sum.json', 'w')); print('wrote it')"
    const api = await startMessagesApi([
      calls(
        { name: "Write", input: { file_path: "given.txt", content: "given\n" } },
        { name: "Bash", input: { command: `mkdir out && cat given.txt && python3 -c "${script}" && git --version` } }
      ),
      says("Done.")
    ])
    const service = await startService({
      CAIRN_SANDBOX: "bubblewrap",
      ANTHROPIC_API_KEY: api.key,
      ANTHROPIC_BASE_URL: api.url
    })
    try {
      const { status, json, text } = await service.call("POST", "/api/agent-chat", {
        user_query: "add up",
        user_id: "ada",
        org_id: "acme"
      })
      assert.deepStrictEqual([status, json.success], [200, true], text)
      assert.sameMembers(json.changed_files, ["given.txt", "out/sum.json"])
      const results = JSON.stringify(api.requests.at(-1)!.body.messages.at(-1)!.content)
      assert.include(results, "given\\nwrote it\\ngit version")
      const file = await service.call(
        "GET",
        `/api/workspaces/${json.workspace_id}/files/out/sum.json?at=${json.commit}`
      )
      assert.deepStrictEqual([file.status, file.text], [200, '{"sum": 45}'])
    } finally {
      await service.close()
      await api.close()
    }
  })

  it("ends a command whose chat is cancelled, and commits what it had written", async () => {
    const mark = `cairn-mark-${process.pid}-cancelled`
    const command = `echo begun > begun.txt; bash -c 'exec -a ${mark} sleep 100000'; echo never > never.txt`
    const api = await startMessagesApi([
      calls(
        { name: "Write", input: { file_path: "given.txt", content: "given\n" } },
        { name: "Bash", input: { command, timeout: 120_000 } }
      )
    ])
    const service = await startService({
      CAIRN_SANDBOX: "bubblewrap",
      ANTHROPIC_API_KEY: api.key,
      ANTHROPIC_BASE_URL: api.url
    })
    try {
      const body = { user_query: "wait", user_id: "ada", org_id: "acme" }
      const asked = await service.call("POST", "/api/agent-chat", body, { prefer: "respond-async" })
      const { run_id } = asked.json
      await until(() => isThere(mark))
      assert.strictEqual((await service.call("POST", `/api/runs/${run_id}/cancel`)).status, 200)
      const { answer } = await vi.waitFor(async () => {
        const { json } = await service.call("GET", `/api/runs/${run_id}`)
        assert.strictEqual(json.state, "cancelled")
        return json
      }, 60_000)
      assert.deepStrictEqual(processesWith(mark), [])
      assert.sameMembers(answer.changed_files, ["begun.txt", "given.txt"])
      const file = `/api/workspaces/${answer.workspace_id}/files/begun.txt?at=${answer.commit}`
      assert.strictEqual((await service.call("GET", file)).text, "begun\n")
    } finally {
      await service.close()
      await api.close()
    }
  })

  it("runs a python snippet that the model `local` found", async () => {
    const service = await startService({ CAIRN_SANDBOX: "bubblewrap" })
    try {
      const upload = await service.call("POST", "/api/store/execution-result", {
        task: "print the first prime numbers",
        succeeded: true,
        user_vote: 1,
        file_written: {
          path: "first_primes.py",
          content:
            "def first_primes(count):\n    found = []\n    n = 2\n    while len(found) < count:\n        if all(n % p for p in found):\n            found.append(n)\n        n += 1\n    return found\n\n\nprint(first_primes(5))\n"
        }
      })
      assert.strictEqual(upload.status, 200, upload.text)
      const { json } = await service.call("POST", "/api/agent-chat", {
        user_query: "print the first prime numbers",
        user_id: "ada",
        org_id: "acme",
        model: "local"
      })
      assert.isTrue(json.success, json.error)
      assert.include(json.output, "[2, 3, 5, 7, 11]")
    } finally {
      await service.close()
    }
  })
})

describe("where bubblewrap can't run, a service does not start and says in one line", () => {
  it("what to install", () => {
    assert.throws(() => findTools(["/nowhere"]), /needs bwrap: install it \(Debian: apt-get install bubblewrap\)/)
  })

  it.live.skipIf(!isUsable)("what to enable", () =>
    Effect.gen(function* () {
      const { message, passes } = yield* Effect.flip(tryOut({ ...findTools(), bwrap: "/bin/false" }))
      assert.match(message, /can't start a sandbox here \(.+\)\. It needs .*user namespaces.*sysctl/)
      assert.notInclude(message, "\n")
      assert.isFalse(passes)
    })
  )

  it.live.skipIf(!isUsable)("what there was no room for now, which may pass", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "cairn-bwrap-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
      // it runs as nobody
      chmodSync(folder, 0o755)
      const bwrap = join(folder, "bwrap")
      const said = "bwrap: Creating new namespace failed: Resource temporarily unavailable"
      writeFileSync(bwrap, `#!/bin/sh\necho '${said}' >&2\nexit 1\n`, { mode: 0o755 })
      const { message, passes } = yield* Effect.flip(tryOut({ ...findTools(), bwrap }))
      assert.include(message, said)
      assert.isTrue(passes)
    }).pipe(Effect.scoped)
  )
})
