import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { z } from "zod"
import { layer as justBash } from "#infra/sandbox/justBash/layer.ts"
import { layer as workersLayer } from "#infra/workers/layer.ts"
import { Sandbox, type Shell } from "#ports/Sandbox.ts"
import { Workers } from "#ports/Workers.ts"
import type { Overlay } from "#ports/WorkspaceStore.ts"
import type { SnippetFound } from "#src/workspaces/tools/SearchSnippets.ts"
import { toolset } from "#src/workspaces/tools/toolset.ts"
import { emptyOverlay, put, textAt } from "#test/overlay.ts"
import { workersHere } from "#test/workers.ts"

const noShell: Shell = { exec: () => Effect.die("no shell here") }

/** Calls a tool by its name, as a model would. */
const caller =
  (
    overlay: Overlay,
    shell: Shell = noShell,
    found: ReadonlyArray<SnippetFound> = [],
    workers = workersHere,
    stale = false
  ) =>
  (name: string, input: unknown) =>
    toolset(overlay, shell, workers, (_, topK) => Effect.succeed({ found: found.slice(0, topK), stale }))
      .find((tool) => tool.name === name)!
      .run(input)

const withShell = Effect.fnUntraced(function* (overlay: Overlay) {
  const shell = yield* Sandbox.use((sandbox) => sandbox.open(overlay))
  return caller(overlay, shell)
})

describe("toolset", () => {
  it.effect("has an object schema and a description for every tool", () =>
    Effect.gen(function* () {
      const tools = toolset(yield* emptyOverlay(), noShell, workersHere, () =>
        Effect.succeed({ found: [], stale: false })
      )
      const names = tools.map(({ name }) => name)
      assert.deepStrictEqual(names, ["Read", "Write", "Edit", "Bash", "Glob", "Grep", "SearchSnippets"])
      for (const { schema, description } of tools) {
        assert.strictEqual(z.toJSONSchema(schema as z.ZodType).type, "object")
        assert.isNotEmpty(description)
      }
    })
  )

  it.effect("says what is wrong with an input", () =>
    Effect.gen(function* () {
      const call = caller(yield* emptyOverlay())
      for (const input of [{}, null, "x", { file_path: 3 }, { file_path: "" }]) {
        const { content, isError } = yield* call("Read", input)
        assert.isTrue(isError)
        assert.isNotEmpty(content)
      }
    })
  )

  it.effect("tells the model of a defect, without what it says", () =>
    Effect.gen(function* () {
      const overlay = yield* emptyOverlay()
      const broken: Overlay = { ...overlay, stat: () => Effect.die(new RangeError("Invalid string length")) }
      const { content, isError } = yield* caller(broken)("Read", { file_path: "a.txt" })
      assert.isTrue(isError)
      assert.include(content, "RangeError")
      assert.notInclude(content, "Invalid")
    })
  )

  it.effect("bounds an answer, whatever it quotes", () =>
    Effect.gen(function* () {
      const call = caller(yield* emptyOverlay())
      for (const input of [{ file_path: "x/".repeat(1_000_000) }, { file_path: "a", offset: "9".repeat(1_000_000) }]) {
        const { content, isError } = yield* call("Read", input)
        assert.isTrue(isError)
        assert.isBelow(content.length, 300_000)
      }
    })
  )

  it.effect("takes paths from the workspace's root in every form, and none outside", () =>
    Effect.gen(function* () {
      const overlay = yield* emptyOverlay()
      const call = caller(overlay)
      for (const path of ["a/b.txt", "./a/b.txt", "/workspace/a/b.txt", "/workspace/x/../a/b.txt"]) {
        assert.isFalse((yield* call("Write", { file_path: path, content: path })).isError)
        assert.strictEqual(yield* textAt(overlay, "a/b.txt"), path)
      }
      assert.isFalse((yield* call("Write", { path: "c.txt", content: "" })).isError)
      for (const path of ["../x", "/etc/passwd", "/workspace/../etc/passwd", "/workspacex", "~/x/../../../y"]) {
        for (const name of ["Read", "Write", "Edit"]) {
          const { content, isError } = yield* call(name, {
            file_path: path,
            content: "",
            old_string: "a",
            new_string: ""
          })
          assert.isTrue(isError)
          assert.include(content, "outside")
        }
      }
      const refused = yield* call("Write", { file_path: ".git/config", content: "x" })
      assert.isTrue(refused.isError)
      assert.include(refused.content, ".git")
      assert.deepStrictEqual(overlay.paths(), ["a/b.txt", "c.txt"])
    })
  )
})

describe("Read", () => {
  it.effect("numbers lines and tells what it left out", () =>
    Effect.gen(function* () {
      const overlay = yield* emptyOverlay()
      const call = caller(overlay)
      yield* put(overlay, "short.txt", "one\ntwo\n")
      assert.strictEqual((yield* call("Read", { file_path: "short.txt" })).content, "     1\tone\n     2\ttwo")
      yield* put(overlay, "long.txt", Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}`).join("\n"))
      const first = (yield* call("Read", { file_path: "long.txt" })).content.split("\n")
      assert.strictEqual(first.length, 2_001)
      assert.strictEqual(first.at(-1), "(lines 1 to 2000 of 5000)")
      const part = yield* call("Read", { file_path: "long.txt", offset: 4_999, limit: 10 })
      assert.strictEqual(part.content, "  4999\tline 4999\n  5000\tline 5000\n(lines 4999 to 5000 of 5000)")
      assert.isTrue((yield* call("Read", { file_path: "long.txt", offset: 5_001 })).isError)
      yield* put(overlay, "wide.txt", `${"x".repeat(3_000)}\n`.repeat(1_000))
      const wide = (yield* call("Read", { file_path: "wide.txt" })).content
      assert.isBelow(Buffer.byteLength(wide), 201_000)
      assert.include(wide, "… (3000 characters)")
      assert.match(wide, /\(lines 1 to \d+ of 1000\)$/)
    })
  )

  it.effect("says what is no text: binary, empty, a folder, nothing", () =>
    Effect.gen(function* () {
      const overlay = yield* emptyOverlay()
      const call = caller(overlay)
      yield* overlay.writeFile("nul.bin", Uint8Array.of(1, 0, 2))
      yield* overlay.writeFile("latin.txt", Uint8Array.of(0x63, 0xe9))
      yield* put(overlay, "folder/empty.txt", "")
      assert.include((yield* call("Read", { file_path: "nul.bin" })).content, "binary file of 3 bytes")
      assert.include((yield* call("Read", { file_path: "latin.txt" })).content, "binary")
      assert.include((yield* call("Read", { file_path: "folder/empty.txt" })).content, "is empty")
      assert.include((yield* call("Read", { file_path: "folder" })).content, "is a directory")
      assert.include((yield* call("Read", { file_path: "none.txt" })).content, "no such file")
    })
  )
})

describe("Edit", () => {
  it.effect("replaces what is there once, or everywhere when told", () =>
    Effect.gen(function* () {
      const overlay = yield* emptyOverlay()
      const call = caller(overlay)
      yield* put(overlay, "a.txt", "a $& b\na c\n")
      const change = (old_string: string, new_string: string, replace_all?: boolean) =>
        call("Edit", { file_path: "a.txt", old_string, new_string, replace_all })
      assert.isTrue((yield* change("a ", "x")).isError)
      assert.isTrue((yield* change("z", "x")).isError)
      assert.isTrue((yield* change("b", "b")).isError)
      assert.strictEqual(yield* textAt(overlay, "a.txt"), "a $& b\na c\n")
      assert.isFalse((yield* change("$& b", "$1 $&")).isError)
      assert.isFalse((yield* change("a ", "A ", true)).isError)
      assert.strictEqual(yield* textAt(overlay, "a.txt"), "A $1 $&\nA c\n")
    })
  )
})

describe("Read and Edit of large files", () => {
  const withWorkers = (body: (call: ReturnType<typeof caller>, overlay: Overlay) => Effect.Effect<void, unknown>) =>
    Effect.gen(function* () {
      const overlay = yield* emptyOverlay()
      const jobs: Array<string> = []
      const workers = yield* Workers
      const counted: typeof workers = {
        run: (job, args, options) => {
          jobs.push(job)
          return workers.run(job, args, options)
        }
      }
      yield* body(caller(overlay, noShell, [], counted), overlay)
      return jobs
    }).pipe(Effect.scoped, Effect.provide(workersLayer))

  it.live("are a worker's work, and say the same", () =>
    Effect.gen(function* () {
      const text = Array.from({ length: 200_000 }, (_, n) => `line ${n + 1}`).join("\n")
      const jobs = yield* withWorkers((call, overlay) =>
        Effect.gen(function* () {
          yield* put(overlay, "long.txt", text)
          const part = yield* call("Read", { file_path: "long.txt", offset: 199_999 })
          assert.strictEqual(
            part.content,
            "199999\tline 199999\n200000\tline 200000\n(lines 199999 to 200000 of 200000)"
          )
          const changed = yield* call("Edit", { file_path: "long.txt", old_string: "line 77\n", new_string: "é\n" })
          assert.deepStrictEqual(changed, { content: "Replaced 1 place in long.txt.", isError: false })
          assert.strictEqual(yield* textAt(overlay, "long.txt"), text.replace("line 77\n", "é\n"))
        })
      )
      assert.deepStrictEqual(jobs, ["numberedLines", "replaced"])
    })
  )

  it.live("an Edit makes no file that is larger than it could take, and nothing of it", () =>
    withWorkers((call, overlay) =>
      Effect.gen(function* () {
        yield* put(overlay, "a.txt", "a".repeat(1_000_000))
        const grown = yield* call("Edit", {
          file_path: "a.txt",
          old_string: "a",
          new_string: "a".repeat(1_000),
          replace_all: true
        })
        assert.isTrue(grown.isError)
        assert.include(grown.content, "would have 1000000000 bytes")
        assert.strictEqual((yield* overlay.stat("a.txt")).size, 1_000_000)
      })
    )
  )
})

describe("Bash and Grep", () => {
  it.live("run in the sandbox, on the same files", () =>
    Effect.gen(function* () {
      const overlay = yield* emptyOverlay()
      const call = yield* withShell(overlay)
      yield* call("Write", { file_path: "src/a.ts", content: "const x = 1\nconst y = 'it'\n" })
      yield* call("Write", { file_path: "b.md", content: "x\n" })
      const run = yield* call("Bash", { command: "wc -l src/a.ts; echo more > c.txt" })
      assert.deepStrictEqual(run, { content: "2 src/a.ts", isError: false })
      assert.strictEqual((yield* call("Read", { file_path: "c.txt" })).content, "     1\tmore")
      const failed = yield* call("Bash", { command: "echo out; echo err >&2; exit 2" })
      assert.deepStrictEqual(failed, { content: "out\nerr\n(exit status 2)", isError: true })
      assert.strictEqual((yield* call("Bash", { command: "true" })).content, "(no output)")
      assert.isTrue((yield* call("Bash", { command: "sleep 100", timeout: 100 })).isError)

      const grep = (input: object) => Effect.map(call("Grep", input), ({ content }) => content)
      assert.strictEqual(
        yield* grep({ pattern: "^const [xy]", path: "/workspace/src" }),
        "src/a.ts:1:const x = 1\nsrc/a.ts:2:const y = 'it'"
      )
      assert.strictEqual(yield* grep({ pattern: "'IT'", case_insensitive: true }), "src/a.ts:2:const y = 'it'")
      assert.strictEqual(yield* grep({ pattern: "x", glob: "*.md" }), "b.md:1:x")
      const files = (yield* grep({ pattern: "x", output_mode: "files_with_matches" })).split("\n").sort()
      assert.deepStrictEqual(files, ["b.md", "src/a.ts"])
      const counts = (yield* grep({ pattern: "const", output_mode: "count" })).split("\n")
      assert.deepStrictEqual(counts, ["src/a.ts:2"])
      assert.strictEqual(yield* grep({ pattern: "nowhere" }), "No match.")
      assert.strictEqual(yield* grep({ pattern: "-e; $(echo x) `echo x`" }), "No match.")
      assert.isTrue((yield* call("Grep", { pattern: "(" })).isError)
      yield* call("Write", { file_path: "many.txt", content: `${"z".repeat(1_000)}\n`.repeat(90) })
      assert.isBelow((yield* grep({ pattern: "z" })).length, 60_000)
    }).pipe(Effect.provide(justBash))
  )

  it.live("undo what passes the workspace's limits, and say so", () =>
    Effect.gen(function* () {
      const overlay = yield* emptyOverlay({ bytes: 1_000, files: 4 })
      const call = yield* withShell(overlay)
      yield* call("Write", { file_path: "kept.txt", content: "kept" })
      const written = yield* call("Write", { file_path: "big.txt", content: "x".repeat(2_000) })
      assert.isTrue(written.isError)
      assert.include(written.content, "Nothing was changed")
      const grown = yield* call("Edit", { file_path: "kept.txt", old_string: "kept", new_string: "x".repeat(2_000) })
      assert.isTrue(grown.isError)
      const ran = yield* call("Bash", { command: "rm kept.txt; for i in 1 2 3 4 5; do echo $i > f$i; done; echo end" })
      assert.isTrue(ran.isError)
      assert.include(ran.content, "undone")
      assert.deepStrictEqual(overlay.paths(), ["kept.txt"])
      assert.strictEqual(yield* textAt(overlay, "kept.txt"), "kept")
    }).pipe(Effect.provide(justBash))
  )
})

describe("SearchSnippets", () => {
  it.effect("answers with what is near enough to be offered, and with nothing else", () =>
    Effect.gen(function* () {
      const found = [0.9, 0.55, 0.69, 0.1].map((score, index) => ({
        id: `${score}`,
        name: "n",
        score,
        near: index < 2,
        language: "python",
        entrypoint: "f",
        description: "d",
        filename: `${score}.py`,
        source: "s"
      }))
      const ask = Effect.fnUntraced(function* (given: typeof found) {
        const call = caller(yield* emptyOverlay(), noShell, given)
        const { content } = yield* call("SearchSnippets", { task: "anything" })
        return JSON.parse(content).matches.map(({ id }: { readonly id: string }) => id)
      })
      assert.deepStrictEqual(yield* ask(found), ["0.9", "0.55"])
      assert.deepStrictEqual(yield* ask(found.slice(2)), [])
    })
  )

  it.effect("answers with JSON, the best source whole, later ones as far as there is room", () =>
    Effect.gen(function* () {
      const found = [70_000, 10, 20].map((length, index) => ({
        id: `${index}`,
        name: `n${index}`,
        score: 0.9,
        near: true,
        language: "python",
        entrypoint: "f",
        description: "d",
        filename: `${index}.py`,
        source: "s".repeat(length)
      }))
      const call = caller(yield* emptyOverlay(), noShell, found)
      const { content } = yield* call("SearchSnippets", { task: "anything" })
      const { matches } = JSON.parse(content) as { readonly matches: ReadonlyArray<{ readonly source: string | null }> }
      const lengths = matches.map(({ source }) => source?.length ?? 0)
      assert.deepStrictEqual(lengths, [70_000, 0, 0])
      assert.strictEqual((yield* call("SearchSnippets", { task: "x", top_k: 21 })).isError, true)
    })
  )

  it.effect("answers with whole JSON, however long its escapes are", () =>
    Effect.gen(function* () {
      const written = (length: number, text: string) => text.repeat(length / text.length)
      const some = (count: number, source: string, rest: Partial<SnippetFound> = {}): ReadonlyArray<SnippetFound> =>
        Array.from({ length: count }, (_, index) => ({
          id: `${index}`,
          name: `n${index}`,
          score: 0.9,
          near: true,
          language: "python",
          entrypoint: "f",
          description: "d",
          filename: `${index}.py`,
          source,
          ...rest
        }))
      const shown = Effect.fnUntraced(function* (found: ReadonlyArray<SnippetFound>) {
        const call = caller(yield* emptyOverlay(), noShell, found, workersHere, true)
        const { content } = yield* call("SearchSnippets", { task: "anything", top_k: 20 })
        assert.isAtMost(content.length, 262_144)
        const { matches, note } = JSON.parse(content) as { matches: ReadonlyArray<SnippetFound>; note: string }
        assert.include(note, "may be missing")
        return matches
      })
      const sources = (matches: ReadonlyArray<SnippetFound>) => matches.map(({ source }) => source?.length ?? 0)

      // of as much code as is ever shown, and of what is all escapes
      const code = written(200_000, '  print("a line of code")\n')
      assert.deepStrictEqual(sources(yield* shown(some(2, code))), [code.length, 0])
      const lines = written(200_000, '"\n')
      assert.deepStrictEqual(sources(yield* shown(some(2, lines))), [0, 0])
      // 40,000 characters of JSON each
      assert.deepStrictEqual(sources(yield* shown(some(3, written(20_000, '"\n')))), [20_000, 0, 0])

      // what stands beside the sources: a description of 100,000 characters, and names that are all escapes
      const described = yield* shown(some(20, "s", { description: written(100_000, '"\n') }))
      assert.lengthOf(described, 20)
      for (const { source, description } of described) {
        assert.deepStrictEqual([source, description.length], ["s", 2_001])
      }
      const escapes = (length: number) => "\u0001".repeat(length)
      const named = { name: escapes(1_000), entrypoint: escapes(1_000), description: escapes(100_000) }
      const [best, ...others] = yield* shown(some(20, escapes(20_000), named))
      assert.deepStrictEqual([best!.id, best!.name, best!.source], ["0", named.name, escapes(20_000)])
      assert.isBelow(others.length, 19)
    })
  )
})
