import { assert } from "vitest"
import { type Attack, answered, times } from "./Attack.ts"
import type { Target } from "./Target.ts"

const upload = "/api/store/execution-result"
const bulk = "/api/store/bulk-execution-result"
const repository = "/api/store/repo"
const search = "/api/retrieve/search"

const MiB = 1024 * 1024

/** `count` times an element, as a JSON array. */
const array = (element: string, count: number) => `[${`${element},`.repeat(count - 1)}${element}]`
/** JSON of an object with so many members. */
const members = (count: number, value = "1") =>
  `{${Array.from({ length: count }, (_, n) => `"k${n}":${value}`).join(",")}}`

const post =
  (path: string, body: string, ...statuses: ReadonlyArray<number>) =>
  async ({ call }: Target) => {
    answered(await call("POST", path, body), ...statuses)
  }

/** Without a key. */
const bare = async ({ as }: Target, path: string, body: string, ...statuses: ReadonlyArray<number>) =>
  answered(await as("", { authorization: "" })("POST", path, body), ...statuses)

const uploadWith = (member: string) =>
  `{"task":"t","succeeded":true,"file_written":{"path":"a.py","content":"x = 1"},${member}}`

const everyRoute = [
  ...["/api/store/cache-usage", "/api/snippets/delete", "/api/store/code-block", "/api/store/execution"],
  ...["/api/store/comment", "/api/store/auto-review", "/api/retrieve/few-shot-examples", "/api/retrieve/task-patterns"],
  ...["/api/retrieve/executions", "/api/raw/search", "/api/keys/org/create", "/api/keys/org/revoke"],
  ...["/api/keys/org/list", "/api/agent-chat", search, upload, bulk, repository]
]

export const bodies: ReadonlyArray<Attack> = [
  {
    name: "15 million wrong entries in an array",
    run: post(bulk, `{"prompts":${array("1", 15_000_000)},"files_written":[]}`, 400, 413)
  },
  {
    name: "a million wrong entries in 1.9 MiB, answered shortly",
    run: async ({ call }) => {
      const answer = await call("POST", bulk, `{"prompts":${array("1", 990_000)},"files_written":[]}`)
      const { errors } = answered(answer, 400, 413)
      assert.isAtMost(errors.length, 20)
      assert.isAtMost(answer.text.length, 16_384)
    }
  },
  {
    name: "200,000 files without content",
    run: post(bulk, `{"prompts":["p"],"files_written":${array('{"path":1}', 200_000)}}`, 400, 413)
  },
  {
    name: "a map of a million dependencies",
    run: post(upload, uploadWith(`"dependencies":${members(1_000_000)}`), 400, 413)
  },
  {
    name: "a map of 300,000 votes for files that are not there",
    run: post(
      bulk,
      `{"prompts":["p"],"files_written":[{"path":"a.py","content":"x"}],"user_votes":${members(300_000)}}`,
      400,
      413
    )
  },
  {
    name: "a million unknown fields",
    run: post(search, `{"task":"t",${members(1_000_000).slice(1)}`, 400, 413)
  },
  {
    name: "a million times the same field",
    run: post(search, `{${'"task":"a",'.repeat(1_000_000)}"task":"t"}`, 200, 400, 413)
  },
  {
    name: "millions of brackets",
    run: post(search, `{"task":${"[".repeat(10 * MiB)}`, 400, 413)
  },
  {
    name: "nested as deep as may be, a thousand times beside each other",
    run: post(
      search,
      `{"task":"t","input_schema":{"a":${array(`${"[".repeat(150)}${"]".repeat(150)}`, 5_000)}}}`,
      400,
      413
    )
  },
  {
    name: "an input schema of a million properties",
    run: post(search, `{"task":"t","input_schema":{"properties":${members(1_000_000, "{}")}}}`, 400, 413)
  },
  {
    name: "32 MiB of numbers of a thousand digits",
    run: post(search, `{"task":"t","input_schema":{"a":${array("9".repeat(1_000), 32_000)}}}`, 400, 413)
  },
  {
    name: "a text of 30 MiB of escapes",
    run: post(upload, uploadWith(`"execution_logs":"${"\\u00e9".repeat(5 * MiB)}"`), 400, 413)
  },
  {
    name: "a text of 30 MiB of unpaired surrogates",
    run: post(upload, uploadWith(`"execution_logs":"${"\\ud800".repeat(5 * MiB)}"`), 400, 413)
  },
  {
    name: "30 MiB that is one string without an end",
    run: post(upload, `{"task":"${"a".repeat(30 * MiB)}`, 400, 413)
  },
  {
    name: "30 MiB of blanks before an object",
    run: post(search, `${" ".repeat(30 * MiB)}{"task":"t"}`, 200, 400, 413)
  },
  {
    name: "12 bodies of 32 MiB for public routes, without a key",
    run: async (target) => {
      const body = `{"query":"q","x":${array("1", 15 * MiB)}}`
      await times(12, (n) => bare(target, `/api/snippets/public/${n % 2 ? "list" : "search"}`, body, 400, 413, 503))
    }
  },
  {
    name: "large bodies without a key for every route",
    run: async (target) => {
      const body = `{"x":${array("{}", 4 * MiB)}}`
      for (const route of everyRoute) await bare(target, route, body, 401, 413)
    }
  },
  {
    name: "large bodies for routes that take small ones",
    run: async ({ call }) => {
      const body = `{"x":${array("{}", 2 * MiB)}}`
      for (const route of everyRoute) answered(await call("POST", route, body), 400, 413)
    }
  },
  {
    name: "a body for routes that take none",
    run: async ({ call }) => {
      const body = `{"x":${array("{}", 4 * MiB)}}`
      for (const id of ["a", "00000000-0000-4000-8000-000000000000"]) {
        answered(await call("DELETE", `/api/workspaces/${id}`, body), 400, 404, 413)
        answered(await call("DELETE", `/api/users/${id}`, body), 400, 404, 413)
        answered(await call("DELETE", `/api/store/code-block/${id}`, body), 400, 404, 413)
      }
    }
  },
  {
    name: "16 MiB of logs, as large as may be",
    run: async ({ call }) => {
      const log_files = Array.from({ length: 16 }, (_, n) => ({
        path: `${n}.log`,
        content: "line of a log\n".repeat(70_000)
      }))
      const files_written = [{ path: "logged.py", content: "def logged():\n    return 1\n" }]
      answered(
        await call("POST", bulk, { prompts: ["p"], files_written, log_files, use_service_ai_voting: false }),
        200,
        400,
        413
      )
    }
  },
  {
    name: "a repository as large as may be",
    run: async ({ call }) => {
      const files = Array.from({ length: 150 }, (_, n) => ({
        path: `src/f${n}.py`,
        content: `x = ${n}\n`.repeat(12_000)
      }))
      answered(await call("POST", repository, { task: "a large repository", files }), 200, 400, 413)
    }
  },
  {
    name: "a repository as large as may be, published",
    run: async ({ call }) => {
      const files = Array.from({ length: 150 }, (_, n) => ({
        path: `src/p${n}.py`,
        content: `token = "${n}"\n`.repeat(7_000)
      }))
      const task = "a large repository for everyone"
      answered(await call("POST", repository, { task, files, public: true }), 200, 400, 413, 503)
    }
  },
  {
    name: "a repository of 200 files, each as deep in folders as may be",
    run: async ({ call }) => {
      const files = Array.from({ length: 200 }, (_, n) => ({
        path: `字${n}/${`${"a".repeat(30)}/`.repeat(126)}f`,
        content: "x"
      }))
      answered(await call("POST", "/api/store/repo", { task: "deep folders", files }), 200)
    }
  },
  {
    name: "16 large repositories at once",
    share: 2,
    run: async ({ call }) => {
      await times(16, async (k) => {
        const files = Array.from({ length: 100 }, (_, n) => ({
          path: `s/${n}.js`,
          content: `let x${k} = ${n};\n`.repeat(8_000)
        }))
        answered(await call("POST", repository, { task: `many ${k}`, files }), 200, 400, 413, 503)
      })
    }
  },
  {
    name: "a bundle of 200 files of the largest size that fits",
    run: async ({ call }) => {
      const files_written = Array.from({ length: 200 }, (_, n) => ({
        path: `b${n}.py`,
        content: Array.from({ length: 60 }, (_, m) => `def f${n}_${m}(a, b):\n    return a + b * ${m}\n`).join("\n")
      }))
      answered(await call("POST", bulk, { prompts: ["p"], files_written, use_service_ai_voting: false }), 200, 400, 413)
    }
  },
  {
    name: "a task of millions of words",
    run: post(search, JSON.stringify({ task: "parse the rows of a file ".repeat(200_000) }), 200, 400, 413)
  },
  {
    name: "64 searches at once for long tasks of different words",
    run: async ({ call }) => {
      await times(64, async (k) => {
        const task = Array.from({ length: 8_000 }, (_, n) => `word${n * k}`).join(" ")
        answered(await call("POST", search, { task }), 200, 400)
      })
    }
  },
  {
    name: "headers and addresses as long as may be",
    run: async ({ call }) => {
      const headers = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`x-many-${n}`, "v".repeat(100)]))
      answered(await call("POST", search, { task: "t" }, headers), 200, 400, 431)
      answered(await call("GET", `/api/events?${"after=1&".repeat(1_500)}`), 200, 400, 414, 431)
      answered(await call("GET", `/api/workspaces/${"%2e".repeat(4_000)}/tree`), 400, 404, 414)
    }
  },
  {
    name: "bodies that are not what their headers say",
    run: async ({ call }) => {
      const garbage = new Uint8Array(8 * MiB).fill(0xff)
      answered(await call("POST", search, garbage), 400, 413)
      answered(await call("POST", search, garbage, { "content-encoding": "gzip" }), 400, 413, 415)
      answered(
        await call("POST", search, garbage, { "content-type": "multipart/form-data; boundary=a" }),
        400,
        413,
        415
      )
    }
  }
]
