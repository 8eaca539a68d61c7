import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { cairn, serve } from "#src/cli/demo/programs.ts"

/**
 * Holds a real service against its own `/openapi.json` with schemathesis, for so many seconds: no 5xx, no answer that
 * the document does not have, nothing wrong accepted and nothing right refused. The event stream has no end, and tests
 * of its own.
 *
 *   npm run schemathesis -- SCHEMATHESIS SECONDS [ARGUMENT…]
 */

const [program = "schemathesis", seconds = "120", ...more] = process.argv.slice(2)

const dataDir = mkdtempSync(join(tmpdir(), "cairn-schemathesis-"))
const service = await serve(dataDir, { CAIRN_RATE_LIMITS: "off", ANTHROPIC_API_KEY: "" })

/** The key of an organization that takes as many members as come: at its limit a right request is refused. */
const keyOf = async () => {
  const organization = ["--name", "Fuzzed", "--tier", "ENTERPRISE", "--owner-email", "owner@example.org"]
  const made = await cairn(dataDir, "--json", "org", "create", ...organization, "--member-limit", "1000000")
  if (made.code !== 0) throw new Error(`no organization was made: ${made.err}`)
  return (JSON.parse(made.out) as { readonly key: string }).key
}

/** Things of every kind, with ids that requests can name. */
const seed = async (key: string) => {
  // biome-ignore lint/suspicious/noExplicitAny: answers are only looked through for ids
  const ask = (path: string, body?: object): Promise<any> =>
    service.ask(body === undefined ? "GET" : "POST", path, body, key)
  const snippets: Array<string> = []
  for (let n = 0; n < 12; n++) {
    const file_written = {
      path: `seed_${n}.py`,
      content: `def seed_${n}(rows):\n    """Sorts rows, way ${n}."""\n    return sorted(rows)\n`
    }
    const shown = { public: n % 4 === 0, per_function_reputation: true, user_vote: 1 }
    await ask("/api/store/execution-result", { task: `sort rows, way ${n}`, file_written, succeeded: true, ...shown })
  }
  const functions: Array<string> = []
  const search = { task: "sort rows", top_k: 100, per_function_reputation: true, min_verdict_score: 0 }
  for (const { code_block, functions: found } of (await ask("/api/retrieve/search", search)).matches) {
    snippets.push(code_block.id)
    for (const { fingerprint } of found ?? []) functions.push(fingerprint)
  }
  const executions: Array<string> = []
  for (const code_block_id of snippets) {
    const ran = { triggering_task: "sort rows", io: { input_data: {}, output_data: [1], output_type: "list" } }
    const state = { execution_state: "completed", duration_ms: 5 }
    executions.push((await ask("/api/store/execution", { code_block_id, ...ran, ...state })).execution_id)
    await ask("/api/store/comment", { code_block_id, text: "It sorts." })
  }
  const files = [
    { path: "README.md", content: "# Seeds\n" },
    { path: "a.py", content: "x = 1\n" }
  ]
  const { repo_id } = await ask("/api/store/repo", { task: "a repository of seeds", files })
  const written = [{ path: "bulk.py", content: "def bulk():\n    return 1\n" }]
  const { status_url } = await ask("/api/store/bulk-execution-result", { prompts: ["p"], files_written: written })
  const workspaces: Array<string> = []
  const commits: Array<string> = []
  for (let n = 0; n < 6; n++) {
    const chat = await ask("/api/agent-chat", { user_query: `sort rows, way ${n}`, user_id: `seed ${n}`, org_id: "o" })
    workspaces.push(chat.workspace_id)
    commits.push(chat.commit)
  }
  const keys: Array<string> = []
  const users: Array<string> = []
  for (let n = 0; n < 6; n++) {
    keys.push((await ask("/api/keys/org/create", { email: `seed${n}@example.org`, key_name: "seed" })).id)
  }
  for (const { id, user_id } of (await ask("/api/keys/org/list", {})).keys) if (keys.includes(id)) users.push(user_id)
  return {
    snippet: snippets,
    function: functions,
    execution: executions,
    repository: [repo_id],
    workspace: workspaces,
    status: [String(status_url).split("/").at(-1)],
    commit: commits,
    key: keys,
    user: users,
    path: ["a.py", "seed_1.py", "README.md"]
  }
}

/** Runs some of its phases for so many seconds; gives its exit code. */
const schemathesis = (key: string, seeds: object, phases: string, seconds: number) =>
  new Promise<number>((resolve, reject) => {
    const options = [
      ...[
        "--header",
        `Authorization: Bearer ${key}`,
        "--max-time",
        String(seconds),
        "--phases",
        phases,
        "--request-timeout",
        "60"
      ],
      ...[
        "--suppress-health-check",
        "all",
        "--no-shrink",
        "--continue-on-failure",
        "--warnings",
        "off",
        // a NUL is refused in texts of free JSON too, which is of no schema; of fields the document has a pattern for
        // it
        "--generation-allow-x00",
        "false",
        "--exclude-path",
        "/api/events/stream"
      ]
    ]
    const child = spawn(program, ["run", `${service.url}/openapi.json`, ...options, ...more], {
      cwd: import.meta.dirname,
      env: { ...process.env, CAIRN_SEEDS: JSON.stringify(seeds), SCHEMATHESIS_HOOKS: "hooks" },
      stdio: ["ignore", "inherit", "inherit"]
    })
    child.once("error", reject)
    child.once("exit", (code) => resolve(code ?? 1))
  })

try {
  const key = await keyOf()
  const seeds = await seed(key)
  // chains of requests apart: else single ones take all the time
  const single = await schemathesis(key, seeds, "examples,coverage,fuzzing", Math.round(Number(seconds) * 0.7))
  const chains = await schemathesis(key, seeds, "stateful", Math.round(Number(seconds) * 0.3))
  process.exitCode = single || chains
} finally {
  await service.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
