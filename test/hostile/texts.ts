import { assert } from "vitest"
import { type Attack, answered } from "./Attack.ts"
import type { Target } from "./Target.ts"

const KiB = 1024

/** As long as a source file may be: what is repeated, with something before and behind it. */
const full = (unit: string, before = "", behind = "") => {
  const size = Buffer.byteLength(unit)
  const room = 1024 * KiB - Buffer.byteLength(before) - Buffer.byteLength(behind)
  return before + unit.repeat(Math.floor(room / size)) + behind
}

const upload =
  (name: string, content: string, more: object = {}) =>
  async ({ call }: Target) => {
    const body = {
      task: `hostile ${name}`,
      succeeded: true,
      file_written: { path: name, content },
      use_service_ai_voting: false,
      per_function_reputation: true,
      ...more
    }
    answered(await call("POST", "/api/store/execution-result", body), 200, 400)
    // it is in the index, or left out of it
    answered(
      await call("POST", "/api/retrieve/search", { task: `hostile ${name}`, per_function_reputation: true }),
      200
    )
  }

const marks = "\u0345\u0301"

/** A schema of eight alternatives on each level. */
const nested = (depth: number, type: string): object =>
  depth === 0
    ? { type }
    : { anyOf: Array.from({ length: 8 }, () => ({ type: "object", properties: { a: nested(depth - 1, type) } })) }

/** Name of a file, and what it holds. */
const sources: ReadonlyArray<readonly [name: string, file: string, content: string]> = [
  ["combining marks in a file", "marks.py", marks.repeat(250_000)],
  ["combining marks in comments", "marked.py", full(`# a${marks.repeat(2_000)}\n`)],
  ["voice marks that become marks", "voices.py", full("\uff9e\u0301")],
  ["letters that decompose", "hangul.txt", full("ﷺ")],
  ["a word of a million letters", "word.py", full("a")],
  ["a million words", "words.txt", Array.from({ length: 150_000 }, (_, n) => n.toString(36)).join(" ")],
  ["camel case without an end", "camel.js", full("aB")],
  ["digits and letters in turn", "turns.py", full("a1")],
  ["underscores", "under.py", full("_")],
  ["fixme and brackets", "fixme.py", `fixme${")".repeat(99_000)}\u2028x`],
  ["parameters and blanks", "param.py", `def f(a):\n  """\n  :param${" ".repeat(900)}!\n  """\n  pass\n`],
  [
    "many parameters and blanks",
    "params.py",
    `def f(a):\n  """\n${`  :param${" ".repeat(900)}!\n`.repeat(900)}  """\n  pass\n`
  ],
  ["JSDoc of blanks", "blanks.ts", full(" ", "/**\n * @param {", " x\n */\nfunction f() {}\n")],
  ["a comment of stars", "stars.ts", full("*", "/*", "*/\nfunction f() {}\n")],
  ["comments that never end", "open.js", full("/*")],
  ["strings that never end", "strings.py", full('"""')],
  ["brackets as deep as they go", "deep.py", full("(")],
  ["blocks as deep as they go", "blocks.js", full("{")],
  ["arrays as deep as they go", "arrays.ts", full("[")],
  ["types as deep as they go", "types.ts", full("<", "type A = ")],
  ["generics in Java", "Deep.java", full("List<", "class A { ")],
  ["conditionals in a row", "else.py", full("elif a:\n    b\n", "if a:\n    b\n")],
  ["a chain of calls", "chain.js", full(".a()", "a")],
  ["a sum of many", "sum.py", full("1+", "x = ", "1")],
  [
    "functions without number",
    "many.py",
    Array.from({ length: 30_000 }, (_, n) => `def f${n}(): return ${n}`).join("\n")
  ],
  [
    "classes in classes",
    "classes.py",
    Array.from({ length: 700 }, (_, n) => `${" ".repeat(n)}class A${n}:`).join("\n")
  ],
  [
    "a function of ten thousand parameters",
    "wide.ts",
    `function f(${Array.from({ length: 10_000 }, (_, n) => `a${n}: string`).join(",")}) {}`
  ],
  ["imports without number", "imports.py", Array.from({ length: 40_000 }, (_, n) => `import m${n}`).join("\n")],
  ["lines without number", "lines.txt", full("\n")],
  ["carriage returns", "returns.txt", full("\r")],
  [
    "classes that extend each other three times over",
    "heirs.py",
    Array.from({ length: 21 }, (_, n) => `class A${n + 1}(A${n}, A${n}, A${n}):\n    a: int\n`).join("")
  ],
  ["a receiver of a million letters", "receiver.go", full("a", "package a\nfunc (s *", "[x]) f() {}\n")],
  ["a comment of stars that ends later", "later.ts", full("*", "/* ", " x */\nfunction f() {}\n")],
  ["package lines and nothing else", "packages", full("package a\n\n")],
  ["a string of quotes", "enums.py", full('"', "class A(Enum):\n    a = '", "x'\n")],
  ["a line of JSON in a megabyte", "data.json", full("[", "", "")],
  ["rust attributes", "attributes.rs", full("#[a]\n", "", "fn f() {}\n")],
  ["go comments", "comments.go", full("// a\n", "package a\n", "func f() {}\n")],
  ["ruby here-documents", "here.rb", full("<<A\n")],
  ["shell quotes", "quotes.sh", full("$(")],
  ["template strings in template strings", "templates.ts", full("`${")],
  ["regular expressions that look like comments", "regexp.js", full("/[/*]/\n")]
]

const logLines: ReadonlyArray<readonly [name: string, log: string]> = [
  ["errors without number", "Error: a\n".repeat(10_000)],
  ["a traceback that never ends", `Traceback (most recent call last):\n${'  File "a", line 1, in f\n'.repeat(3_500)}`],
  ["blanks before an error", `${" ".repeat(99_000)}Error: x`],
  ["colons", `${"Error:".repeat(16_000)}`],
  ["marks that begin telemetry and never end it", "\n--- RAYSURFER_TELEMETRY_START ---\n{".repeat(2_700)],
  ["telemetry of functions without number", telemetry()],
  ["combining marks in a log", marks.repeat(49_000)]
]

function telemetry(): string {
  const functions = Array.from(
    { length: 1_200 },
    (_, n) => `"f${n}":{"call_count":1,"avg_value_size":1,"empty_rate":0}`
  )
  return `\n--- RAYSURFER_TELEMETRY_START ---\n{"raysurfer_telemetry":{"version":1,"functions":{${functions.join(",")}}}}\n--- RAYSURFER_TELEMETRY_END ---\n`
}

export const texts: ReadonlyArray<Attack> = [
  ...sources.map(([name, file, content]) => ({ name: `a source: ${name}`, run: upload(file, content) })),
  ...logLines.map(([name, execution_logs], n) => ({
    name: `a log: ${name}`,
    run: upload(`logged${n}.py`, `def logged${n}():\n    return ${n}\n`, { execution_logs })
  })),
  {
    name: "a task: combining marks",
    run: async ({ call }) => {
      answered(await call("POST", "/api/retrieve/search", { task: marks.repeat(49_000) }), 200, 400)
      answered(await call("POST", "/api/raw/search", { query: marks.repeat(49_000) }), 200, 400, 413)
    }
  },
  {
    name: "a log: 16 MiB of one line, of marks, of errors",
    run: async ({ call }) => {
      const log_files = ["a", marks, "Error: a\n"].map((unit, n) => ({
        path: `${n}.log`,
        content: unit.repeat(Math.floor((5 * 1024 * KiB) / Buffer.byteLength(unit)))
      }))
      const files_written = [{ path: "three.py", content: "def three():\n    return 3\n" }]
      answered(
        await call("POST", "/api/store/bulk-execution-result", {
          prompts: ["three logs"],
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
    name: "a repository whose manifests are blank lines and blanks",
    run: async ({ call }) => {
      const blank = "\n".repeat(500_000)
      const files = [
        { path: "Cargo.toml", content: blank },
        { path: "pubspec.yaml", content: blank },
        { path: "pyproject.toml", content: `[project]\nname${" ".repeat(500_000)}x` },
        { path: "README.md", content: `# a${" ".repeat(200_000)}x\n\n${"\n ".repeat(200_000)}=` }
      ]
      answered(await call("POST", "/api/store/repo", { task: "blank", files }), 200, 400, 413)
    }
  },
  {
    name: "names that have no room in an index of the database",
    run: async ({ call }) => {
      const long = (length: number) =>
        Array.from({ length }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7919 + n * n * 31) % 20_000))).join("")
      const body = {
        name: long(1_000),
        source: "def roomy(): pass\n",
        entrypoint: "",
        language: "python",
        input_schema: { type: "object", properties: { [long(15_000)]: { type: "string" } } }
      }
      answered(await call("POST", "/api/store/code-block", body), 200, 400)
      const run = { code_block_id: `another ${long(992)}`, triggering_task: "t", io: { input_data: 1, output_data: 2 } }
      answered(await call("POST", "/api/store/execution", run), 200, 400)
      answered(await call("POST", "/api/retrieve/executions", { code_block_id: run.code_block_id }), 200, 400)
      answered(await call("POST", "/api/retrieve/search", { task: "roomy" }), 200)
      const { json } = await call("GET", "/ready")
      for (const state of Object.values(json.read_models)) assert.strictEqual(state, "ok")
    }
  },
  {
    name: "a search by a schema of alternatives in alternatives",
    arrange: async ({ call }) => {
      const body = {
        name: "choosy",
        source: "def choosy(a): pass\n",
        entrypoint: "choosy",
        language: "python",
        input_schema: { type: "object", properties: { a: nested(3, "string") } }
      }
      answered(await call("POST", "/api/store/code-block", body), 200)
    },
    run: async ({ call }) => {
      const input_schema = { properties: { a: nested(3, "number") } }
      answered(await call("POST", "/api/retrieve/search", { task: "choosy", input_schema }), 200, 400, 413)
    }
  },
  {
    name: "a task of half a megabyte, of each kind",
    run: async ({ call }) => {
      for (const unit of ["a", "a b ", "字", ". ", "\n", "fixme)", marks])
        answered(await call("POST", "/api/retrieve/search", { task: full(unit).slice(0, 250_000) }), 200, 400, 413)
    }
  },
  {
    name: "a source that is published: screened for secrets",
    run: async ({ call }) => {
      for (const unit of ["a", "A1", "-----BEGIN ", "key=", "https://a:", "AKIA", "="]) {
        const body = {
          task: "t",
          succeeded: true,
          public: true,
          use_service_ai_voting: false,
          file_written: { path: "public.txt", content: full(unit) }
        }
        answered(await call("POST", "/api/store/execution-result", body), 200, 400, 503)
      }
    }
  },
  {
    name: "a start with all of this in the store",
    run: async ({ restart, call }) => {
      await restart()
      answered(await call("POST", "/api/retrieve/search", { task: "hostile marks.py" }), 200)
    }
  }
]
