import { assert } from "vitest"
import { type Attack, answered, asked, times } from "./Attack.ts"
import type { Target } from "./Target.ts"

const MiB = 1024 * 1024
const search = "/api/retrieve/search"
const runs = "/api/store/execution"

/** Line breaks: each takes two characters of JSON, and twenty times as long as a letter to be written and read. */
const breaks = (n: number) => `${n} is tall\n${"\n".repeat(MiB - 100)}`
export const task = "something tall"

/** Stores so many files that a search for `task` finds. */
export const tall = async ({ call }: Target, count: number) => {
  for (let n = 0; n < count; n++) {
    const body = {
      task,
      succeeded: true,
      use_service_ai_voting: false,
      per_function_reputation: true,
      file_written: { path: `tall${n}.txt`, content: breaks(n) }
    }
    answered(await call("POST", "/api/store/execution-result", body), 200)
  }
}

/** What a run took: an object of so many names. */
const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]))

export const longAnswers: ReadonlyArray<Attack> = [
  {
    name: "searches that find 12 files of a megabyte of line breaks",
    arrange: (target) => tall(target, 12),
    run: async ({ call }) => {
      for (const more of [{}, { per_function_reputation: true }, { prefer_complete: true }]) {
        const { matches } = answered(await call("POST", search, { task, top_k: 100, ...more }), 200)
        assert.isAtLeast(matches.length, 12)
      }
      answered(await call("POST", "/api/retrieve/few-shot-examples", { task, k: 100 }), 200)
    }
  },
  {
    name: "runs whose input has as many names as may be, read again",
    run: async ({ call }) => {
      for (let n = 0; n < 4; n++) {
        const more = { input_data: names(49_000), output_data: n }
        answered(await call("POST", runs, { code_block_id: "x", triggering_task: "t", io: more }), 400)
        const io = { input_data: names(9_900), output_data: n }
        answered(await call("POST", runs, { code_block_id: "function_registry:named", triggering_task: "t", io }), 200)
      }
      const { executions } = answered(
        await call("POST", "/api/retrieve/executions", { code_block_id: "function_registry:named" }),
        200
      )
      assert.lengthOf(executions, 4)
    }
  },
  {
    name: "runs whose data is brackets, line breaks, or too much",
    share: 2,
    run: async ({ call }) => {
      const deep = `${"[".repeat(150)}${"]".repeat(150)}`
      const inputs = [`[${`${deep},`.repeat(300)}1]`, JSON.stringify("\n".repeat(500_000)), `"${"a".repeat(7 * MiB)}"`]
      await times(6, async (n) => {
        const body = `{"code_block_id":"function_registry:odd","triggering_task":"t","io":{"input_data":${inputs[n % 3]}}}`
        answered(await call("POST", runs, body), 200, 400, 413)
      })
      answered(await call("POST", "/api/retrieve/executions", { code_block_id: "function_registry:odd" }), 200)
    }
  },
  {
    name: "logs of 16 MiB in base64, and of dashes",
    run: async ({ call }) => {
      const files_written = [{ path: "dashes.py", content: "def dashes():\n    return 1\n" }]
      const rows = Buffer.from("-".repeat(7 * MiB)).toString("base64")
      const log_files = [
        { path: "a.log", content: rows.replace(/(.{2})/g, "$1\n").slice(0, 8 * MiB), encoding: "base64" },
        { path: "b.log", content: "-".repeat(7 * MiB) }
      ]
      answered(
        await call("POST", "/api/store/bulk-execution-result", {
          prompts: ["dashes"],
          files_written,
          log_files,
          use_service_ai_voting: false,
          per_function_reputation: true
        }),
        200,
        400,
        413
      )
    }
  },
  {
    name: "a repository of 15 MiB of line breaks, stored, read, and its page",
    run: async ({ call }) => {
      const files = Array.from({ length: 15 }, (_, n) => ({ path: `tall/${n}.txt`, content: breaks(n) }))
      const { repo_id } = answered(await call("POST", "/api/store/repo", { task: "a tall repository", files }), 200)
      answered(await asked(() => call("GET", `/api/store/repo/${repo_id}`)), 200)
      assert.strictEqual((await call("GET", `/raw/${repo_id}.md`)).status, 200)
    }
  }
]
