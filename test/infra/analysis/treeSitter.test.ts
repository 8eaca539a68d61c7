import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Job from "#infra/analysis/treeSitter/job.ts"
import * as TreeSitterAnalysis from "#infra/analysis/treeSitter/layer.ts"
import * as Workers from "#infra/workers/layer.ts"
import { SourceAnalysis } from "#ports/SourceAnalysis.ts"
import { isLong } from "#test/long.ts"

const analyse = (path: string, source: string) => Effect.flatMap(SourceAnalysis, ({ analyse }) => analyse(path, source))
/** In this process, to see what it costs. */
const here = (path: string, source: string) => Effect.promise(() => Job.analyse(path, source))

const python = `#!/usr/bin/env python3
# -*- coding: utf-8 -*-
"""Weather reports 😀 for a city.

More text.
"""
import requests
from typing import Literal, Optional, TypedDict


class Place(TypedDict):
    city: str
    population: int


def _parse(text):
    return text.strip()


def fetch(url: str) -> str:
    """Fetches."""
    return _parse(requests.get(url).text)


@cached
async def weather_report(
    place: Place,
    days: int = 3,
    unit: Literal["C", "F"] = "C",
    tags: list[str] | None = None,
    limit: Optional[float] = None,
    *extra,
    verbose,
    **options,
) -> dict[str, list[float]]:
    """Not this."""
    return fetch(place["city"])
`

const typescript = `import { z } from "zod"

interface Order { readonly id: string; amount?: number; lines: Line[] }
type Line = { sku: string; kind: "a" | "b" | null }

const helper = (x: number) => x + 1

/**
 * Sums the orders
 * of a day.
 *
 * @param orders the orders
 */
export async function total(orders: ReadonlyArray<Order>, rate?: number, by: Record<string, boolean> = {}, ...rest: string[]): Promise<[number, string]> {
  return [helper(orders.length), ""]
}
`

layer(Layer.provide(TreeSitterAnalysis.layer, Workers.layer))("TreeSitterAnalysis", (it) => {
  // the first one: what others had allocated and freed would take in what leaks
  it.effect("doesn't grow over thousands of files", () =>
    Effect.gen(function* () {
      const round = (count: number) =>
        Effect.gen(function* () {
          for (let at = 0; at < count; at++) yield* here("a.py", `${python}\nx${at} = ${at}\n`)
        })
      yield* round(500)
      // what is never freed grows in each round, what waits to be collected in some
      const grown: Array<number> = []
      const least = () => Math.min(...grown)
      for (let at = 0; at < 8 && !(least() < 6 * 2 ** 20); at++) {
        const before = process.memoryUsage.rss()
        yield* round(500)
        grown.push(process.memoryUsage.rss() - before)
      }
      assert.isBelow(least(), 6 * 2 ** 20, `${grown}`)
    })
  )

  it.effect("reads Python", () =>
    Effect.gen(function* () {
      const found = yield* analyse("/tmp/job/script.py", python)
      assert.strictEqual(found.language, "python")
      assert.strictEqual(found.entrypoint, "weather_report")
      assert.strictEqual(found.name, "weather_report")
      assert.strictEqual(found.description, "Weather reports 😀 for a city.")
      assert.deepStrictEqual(found.inputSchema, {
        type: "object",
        properties: {
          place: {
            type: "object",
            properties: { city: { type: "string" }, population: { type: "integer" } },
            required: ["city", "population"]
          },
          days: { type: "integer" },
          unit: { type: "string", enum: ["C", "F"] },
          tags: { anyOf: [{ type: "array", items: { type: "string" } }, { type: "null" }] },
          limit: { type: ["number", "null"] },
          verbose: {}
        },
        required: ["place", "verbose"]
      })
      assert.deepStrictEqual(found.outputSchema, {
        type: "object",
        additionalProperties: { type: "array", items: { type: "number" } }
      })
      assert.deepStrictEqual(
        found.functions.map(({ name, startLine, endLine }) => [name, startLine, endLine]),
        [
          ["_parse", 16, 17],
          ["fetch", 20, 22],
          ["weather_report", 25, 37]
        ]
      )
      assert.strictEqual(found.functions[1]!.signature, "def fetch(url: str) -> str")
      assert.match(
        found.functions[2]!.signature,
        /^async def weather_report\( place: Place, .* -> dict\[str, list\[float\]\]$/
      )
      assert.isAbove(found.completeness, 0.9)
    })
  )

  it.effect("reads TypeScript", () =>
    Effect.gen(function* () {
      const found = yield* analyse("orders.ts", typescript)
      assert.strictEqual(found.entrypoint, "total")
      assert.strictEqual(found.description, "Sums the orders of a day.")
      const line = {
        type: "object",
        properties: { sku: { type: "string" }, kind: { enum: ["a", "b", null] } },
        required: ["sku", "kind"]
      }
      const order = {
        type: "object",
        properties: { id: { type: "string" }, amount: { type: "number" }, lines: { type: "array", items: line } },
        required: ["id", "lines"]
      }
      assert.deepStrictEqual(found.inputSchema, {
        type: "object",
        properties: {
          orders: { type: "array", items: order, description: "the orders" },
          rate: { type: "number" },
          by: { type: "object", additionalProperties: { type: "boolean" } }
        },
        required: ["orders"]
      })
      assert.deepStrictEqual(found.outputSchema, {
        type: "array",
        prefixItems: [{ type: "number" }, { type: "string" }],
        minItems: 2,
        maxItems: 2
      })
      assert.deepStrictEqual(
        found.functions.map(({ name }) => name),
        ["helper", "total"]
      )
      assert.strictEqual(found.functions[0]!.signature, "const helper = (x: number)")
    })
  )

  it.effect("chooses the entrypoint by the file's name, `main`, use, then length", () =>
    Effect.gen(function* () {
      const entrypoint = (path: string, source: string) =>
        Effect.map(analyse(path, source), (found) => found.entrypoint)
      const two = "def small():\n    return 1\n\ndef large(x):\n    y = x\n    return y\n"
      assert.strictEqual(yield* entrypoint("x.py", two), "large")
      assert.strictEqual(yield* entrypoint("small.py", two), "small")
      assert.strictEqual(yield* entrypoint("SMALL.py", two), "small")
      assert.strictEqual(yield* entrypoint("x.py", `${two}\ndef main():\n    pass\n`), "main")
      assert.strictEqual(yield* entrypoint("x.py", `${two}\ndef go():\n    return large(small())\n`), "go")
      assert.strictEqual(
        yield* entrypoint("x.py", `${two}\ndef test_large():\n    assert large(1) == 1\n    assert 1\n`),
        "large"
      )
      assert.strictEqual(yield* entrypoint("x.py", "class A:\n    def m(self):\n        return 1\n"), "A")
      assert.strictEqual(yield* entrypoint("x.py", "print(1)\n"), "")
      assert.strictEqual(
        yield* entrypoint(
          "x.js",
          "function a(b) {\n return b\n}\nmodule.exports = { a }\nfunction c() { return a(\n1\n,2,3,4) }"
        ),
        "a"
      )
      assert.strictEqual(
        yield* entrypoint("x.js", "export default function run(a) {}\nexport function other(b) { return b + 1 }"),
        "run"
      )
      assert.strictEqual((yield* analyse("report.py", "def main():\n    return 1\n")).name, "report")
    })
  )

  it.effect("leaves types open that have themselves inside, or are too many", () =>
    Effect.gen(function* () {
      const found = yield* analyse("a.ts", "interface Tree { left: Tree; name: string }\nexport function f(t: Tree) {}")
      const tree = { type: "object", properties: { left: {}, name: { type: "string" } }, required: ["left", "name"] }
      assert.deepStrictEqual(found.inputSchema, { type: "object", properties: { t: tree }, required: ["t"] })
      const python = yield* analyse(
        "a.py",
        "class Tree:\n    left: 'Tree'\n    name: str\n\ndef f(t: Tree):\n    return t\n"
      )
      assert.deepStrictEqual(python.inputSchema, found.inputSchema)
      const doubling = (at: number) => `type T${at} = { a: T${at + 1}; b: T${at + 1} }\n`
      const many = Array.from({ length: 40 }, (_, at) => doubling(at)).join("")
      const bounded = yield* analyse("a.ts", `${many}export function f(t: T0) {}`)
      assert.isBelow(JSON.stringify(bounded.inputSchema).length, 50_000)
    })
  )

  it.effect("reads other languages", () =>
    Effect.gen(function* () {
      const cases = [
        [
          "a.go",
          "package a\n\n// Sum adds.\nfunc Sum(a int, b int) int {\n\treturn add(a, b)\n}\n\nfunc add(a, b int) int { return a + b }\n",
          "go",
          "Sum",
          "Sum adds."
        ],
        ["a.rb", "# Greets.\ndef greet(name)\n  puts name\nend\n", "ruby", "greet", "Greets."],
        [
          "A.java",
          "/** Adds. */\npublic class A {\n  public A() {}\n  /** Sums two. */\n  public int sum(int a, int b) { return a + b; }\n}\n",
          "java",
          "sum",
          "Sums two."
        ],
        ["a.rs", "/// Adds.\npub fn add(a: i32) -> i32 {\n    a\n}\n", "rust", "add", "Adds."],
        [
          "a.sh",
          "#!/bin/bash\n# Makes a backup.\nbackup() {\n  tar czf x y\n}\nbackup\n",
          "bash",
          "backup",
          "Makes a backup."
        ],
        ["a.jsx", "// Shows it.\nexport const View = ({ a }) => <b>{a}</b>\n", "javascript", "View", "Shows it."],
        ["a.tsx", "export const View = ({ a }: { a: string }) => <b>{a}</b>\n", "typescript", "View", ""],
        ["a.cpp", "int add(int a) {\n  return a;\n}\n", "cpp", "add", ""],
        ["q.sql", "-- Finds late orders.\nselect 1\n", "sql", "", "Finds late orders."]
      ] as const
      for (const [path, source, language, entrypoint, description] of cases) {
        const found = yield* analyse(path, source)
        assert.deepStrictEqual(
          [found.language, found.entrypoint, found.description],
          [language, entrypoint, description],
          path
        )
      }
    })
  )

  it.effect("finds the language of a path that says none", () =>
    Effect.gen(function* () {
      const language = (source: string) => Effect.map(analyse("snippet", source), (found) => found.language)
      assert.strictEqual(yield* language("def f(x):\n    return x\n"), "python")
      assert.strictEqual(yield* language("import os\nprint(os.getcwd())\n"), "python")
      assert.strictEqual(yield* language("#!/usr/bin/env node\nconsole.log(1)\n"), "javascript")
      assert.strictEqual(yield* language("function f(a) {\n  return a\n}\n"), "javascript")
      assert.strictEqual(yield* language("export const f = (a: string): number => a.length\n"), "typescript")
      assert.strictEqual(yield* language("package main\n\nfunc main() {\n}\n"), "go")
      assert.strictEqual(yield* language("fn main() {\n    let x = 1;\n}\n"), "rust")
      assert.strictEqual(yield* language("public class A {\n  int x = 1;\n}\n"), "java")
      assert.strictEqual(yield* language("def f(x)\n  x + 1\nend\n"), "ruby")
      assert.strictEqual(yield* language("Dear all,\nplease import the function class.\n"), "text")
      assert.strictEqual(yield* language(""), "text")
    })
  )

  it.effect("takes what no grammar can parse", () =>
    Effect.gen(function* () {
      // of a third of their length all of them take ten seconds, and what grows with the square shows in it, too
      const repeated = (text: string, count: number) => text.repeat(isLong ? count : Math.ceil(count / 3))
      const hostile = [
        ...[
          repeated("(", 300_000),
          repeated("[", 100_000) + repeated("]", 100_000),
          repeated("{", 100_000),
          repeated("a(", 100_000)
        ],
        ...[
          repeated("if x:\n", 20_000),
          repeated("x = 1\n", 170_000),
          "def f(:\n  \u0000\ud800",
          "\u2028".repeat(1_000)
        ],
        ...[
          `def f(a: ${repeated("list[", 5_000)}int${repeated("]", 5_000)}): pass`,
          "@".repeat(10_000),
          "'''".repeat(999)
        ],
        ...[
          "class A:\n".repeat(2_000),
          `x = "${repeated("y", 1_100_000)}"`,
          "def f(a=lambda: 1, /, *, b): ...",
          "/*".repeat(9_999)
        ],
        ...[
          `${repeated("// a\n", 50_000)}function f() {}`,
          `${repeated("# a\n", 50_000)}def f(): pass`,
          repeated("f = lambda x: x\n", 5_000),
          `def f():\n${repeated(" x = a.b(c, d)\n", 12_000)}`,
          `def f():\n  return ${"(".repeat(450)}1${")".repeat(450)}`,
          repeated("import a\n", 20_000)
        ]
      ]
      for (const source of hostile) {
        for (const path of ["a.py", "a.ts", "unknown"]) {
          const start = process.cpuUsage()
          const found = yield* here(path, source)
          assert.isTrue(found.completeness >= 0 && found.completeness <= 1)
          // of this process's own, however busy the machine is: what grows with the square takes minutes
          assert.isBelow(process.cpuUsage(start).user / 1e6, isLong ? 30 : 10, source.slice(0, 10))
        }
      }
      assert.strictEqual((yield* analyse("a.py", "def f(:\n  return")).language, "python")
      assert.strictEqual((yield* analyse("", "")).name, "snippet")
      // The parser still works.
      assert.strictEqual((yield* here("a.py", "def f():\n    return 1\n")).entrypoint, "f")
    })
  )
})
