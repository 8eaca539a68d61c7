// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are sources of other languages
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import * as TreeSitterAnalysis from "#infra/analysis/treeSitter/layer.ts"
import * as Workers from "#infra/workers/layer.ts"
import { SourceAnalysis } from "#ports/SourceAnalysis.ts"
import { named, type Sample, samples } from "./samples.ts"

const functions = (path: string, source: string) =>
  Effect.flatMap(SourceAnalysis, ({ analyse }) => Effect.map(analyse(path, source), ({ functions }) => functions))
const fingerprints = (path: string, source: string) =>
  Effect.map(functions(path, source), (found) => found.map(({ name, fingerprint }) => [name, fingerprint] as const))

/** Numbers from a seed (mulberry32). */
const randomFrom = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** Other blanks, blank lines, comments and line ends, where the language lets them be. */
const reformatted = (source: string, { comment, path }: Sample, random: (below: number) => number): string => {
  const isPython = path.endsWith(".py")
  const unit = ["  ", "    ", "\t", " "][random(4)]!
  const end = ["\n", "\r\n"][random(2)]!
  return source
    .split("\n")
    .flatMap((line) => {
      const [, blanks, rest] = /^([ \t]*)(.*)$/.exec(line)!
      const kept =
        blanks!.length > 8 && !rest!.startsWith("for") && rest!.startsWith("encoding")
          ? blanks!
          : unit.repeat(Math.floor(blanks!.length / 4))
      const indent = isPython ? kept : " ".repeat(random(9))
      const tail = rest === "" ? "" : [" ", "", `  ${comment} says ${random(99)} "things" {`][random(3)]!
      const extra = [[], [], [""], [`${" ".repeat(random(5))}${comment} ${random(99)}: don't (`], ["", ""]][random(5)]!
      return [...extra, rest === "" ? "" : `${indent}${rest}${tail}`]
    })
    .join(end)
}

layer(Layer.provide(TreeSitterAnalysis.layer, Workers.layer))("fingerprints of functions", (it) => {
  for (const [language, sample] of Object.entries(samples)) {
    const plain = named(sample.source)

    it.effect(`${language}: are of every function and method`, () =>
      Effect.gen(function* () {
        const found = yield* fingerprints(sample.path, plain)
        assert.deepStrictEqual(
          found.map(([name]) => name),
          sample.functions as Array<string>
        )
        for (const [, fingerprint] of found) assert.match(fingerprint, /^fn_[0-9a-f]{64}$/)
        assert.strictEqual(new Set(found.map(([, fingerprint]) => fingerprint)).size, found.length)
      })
    )

    it.effect.prop(
      `${language}: survive other layout, comments and names of locals`,
      [Schema.Int],
      ([seed]) =>
        Effect.gen(function* () {
          const random = randomFrom(seed)
          const short = random(2) === 0
          const names = new Map<string, string>()
          const name = (local: string) => {
            // new, injective, of another length and order
            const renamed =
              names.get(local) ?? (short ? `v${(names.size * 7919) % 997}` : `${local}_${"long".repeat(random(3) + 1)}`)
            names.set(local, renamed)
            return renamed
          }
          const other = reformatted(named(sample.source, random(4) === 0 ? undefined : name), sample, random)
          assert.deepStrictEqual(
            yield* fingerprints(sample.path, other),
            yield* fingerprints(sample.path, plain),
            other
          )
        }),
      { arbitrary: { runs: 40 } }
    )

    it.effect(`${language}: change with what the code does`, () =>
      Effect.gen(function* () {
        const before = yield* fingerprints(sample.path, plain)
        for (const [from, to] of sample.changes) {
          assert.include(sample.source, from)
          const after = yield* fingerprints(sample.path, named(sample.source.replace(from, () => to)))
          assert.strictEqual(after.length, before.length, `${from} → ${to}`)
          const changed = after.filter(([, fingerprint], at) => fingerprint !== before[at]![1])
          assert.strictEqual(changed.length, 1, `${from} → ${to}`)
        }
      })
    )
  }

  it.effect("change when two locals change places", () =>
    Effect.gen(function* () {
      const pairs = [
        ["a.py", "def f(a, b):\n    return a - b\n", "def f(a, b):\n    return b - a\n"],
        ["a.py", "def f(a):\n    return [b for b in b]\n", "def f(b):\n    return [a for a in b]\n"],
        ["a.py", "def f():\n    g = lambda x: x\n    return x\n", "def f():\n    g = lambda y: y\n    return y\n"],
        ["a.py", "def f():\n    import os, sys\n    return os.x\n", "def f():\n    import os, sys\n    return sys.x\n"],
        ["a.py", 'def f():\n    return r"\\\'"\n', 'def f():\n    return "\\\'"\n'],
        ["a.py", "def f():\n    if a:\n        b()\n    c()\n", "def f():\n    if a:\n        b()\n        c()\n"],
        ["a.py", "def f():\n    return (1,)\n", "def f():\n    return (1)\n"],
        ["a.py", "def f():\n    return 'a b'\n", "def f():\n    return 'a  b'\n"],
        ["a.js", "function f(x) { return { x } }", "function f(y) { return { y } }"],
        ["a.js", "function f(a) { return (a?.b).c }", "function f(a) { return a?.b.c }"],
        ["a.js", "function f() { return [1,,2] }", "function f() { return [1,2] }"],
        ["a.js", "function f(a) { return\na }", "function f(a) { return a }"],
        ["a.js", "const f = () => `a ${b}  c`", "const f = () => `a ${b} c`"],
        ["a.go", "package a\nfunc f(x int) T { return T{x: x} }", "package a\nfunc f(y int) T { return T{y: y} }"],
        ["a.rs", 'fn f(x: i32, y: i32) { println!("{x}") }', 'fn f(y: i32, x: i32) { println!("{x}") }'],
        ["a.rs", "fn f() -> i32 { g() }", "fn f() -> i32 { g(); }"],
        ["a.rs", "fn f(x: i32) { P { x } }", "fn f(y: i32) { P { y } }"],
        ["a.rb", "def f(x, y)\n  {x:}\nend", "def f(y, x)\n  {x:}\nend"],
        ["a.rb", 'def f\n  "a#{b}"\nend', "def f\n  'a#{b}'\nend"],
        ["A.java", "class A { int f(int a) { return a + b; } }", "class A { int f(int b) { return b + b; } }"]
      ] as const
      for (const [path, one, other] of pairs) {
        const [first] = yield* functions(path, one)
        const [second] = yield* functions(path, other)
        assert.notStrictEqual(first!.fingerprint, second!.fingerprint, `${one}\n${other}`)
      }
    })
  )

  it.effect("survive what formatters change", () =>
    Effect.gen(function* () {
      const pairs = [
        [
          "a.py",
          "def f(a):\n    '''Doc.'''\n    return ('it\\'s', a)\n",
          'def f(\n    a,\n):\n    return "it\'s", a\n'
        ],
        [
          "a.py",
          "def f(a):\n    for (x, y) in a: print(x); print(y)\n",
          "def f(b):\n    for u, v in b:\n        print(u)\n        print(v)\n"
        ],
        [
          "a.py",
          "def f(a):\n    x = a + \\\n        1\n    return x\n",
          "def f(a):\n    x = (\n        a + 1\n    )\n    return x\n"
        ],
        ["a.ts", "const f = x => { return {'a': x, b: 'c'}; };", 'const f = (x) => {\n  return { a: x, b: "c" }\n}'],
        ["a.js", "function f(a) { return { a } }", "function f(b) { return { a: b } }"],
        ["a.js", "function f({ a, c = 1 }) { return a + c }", "function f({ a: b, c: d = 1 }) { return b + d }"],
        ["a.rs", "fn f(p: P) { let P { x } = p; P { x } }", "pub fn f(q: P) { let P { x: z } = q; P { x: z } }"],
        ["a.rs", 'fn f(x: i32) { println!("{x:?}") }', 'fn f(y: i32) { println!("{y:?}") }'],
        ["a.rb", "def f x\n  puts x\nend", "def f(y)\n  puts(y)\nend"],
        ["a.js", "export function f(a) { return a }", "function f(a) { return a }"]
      ] as const
      for (const [path, one, other] of pairs) {
        const [first] = yield* functions(path, one)
        const [second] = yield* functions(path, other)
        assert.strictEqual(first!.fingerprint, second!.fingerprint, `${one}\n${other}`)
      }
    })
  )

  it.effect("tell languages and names apart, and read a file without functions as one", () =>
    Effect.gen(function* () {
      const one = "function f(a) { return a }"
      const [javascript] = yield* functions("a.js", one)
      const [typescript] = yield* functions("a.ts", one)
      assert.notStrictEqual(javascript!.fingerprint, typescript!.fingerprint)
      const [renamed] = yield* functions("a.js", "function g(a) { return a }")
      assert.notStrictEqual(javascript!.fingerprint, renamed!.fingerprint)
      const [push, other] = yield* functions(
        "a.py",
        "class A:\n    def push(self): x()\nclass B:\n    def push(self): x()\n"
      )
      assert.notStrictEqual(push!.fingerprint, other!.fingerprint)

      const [whole, ...none] = yield* functions("/tmp/late orders.sql", "select *\n  from orders\n")
      assert.deepStrictEqual(none, [])
      assert.strictEqual(whole!.name, "late orders")
      assert.deepStrictEqual([whole!.startLine, whole!.commentLine], [1, 1])
      const [spaced] = yield* functions("late orders.sql", "\r\nselect * from\torders")
      assert.strictEqual(spaced!.fingerprint, whole!.fingerprint)
      const [script] = yield* functions("job.py", "print(1)\n")
      assert.strictEqual(script!.name, "job")
      assert.deepStrictEqual(yield* functions("a.py", " \n"), [])
    })
  )

  it.effect("stay as they are", () =>
    Effect.gen(function* () {
      // Changes only with `version`: all reputations hang on it.
      const found: Array<string> = []
      for (const { path, source } of Object.values(samples)) {
        for (const { fingerprint } of yield* functions(path, named(source))) found.push(fingerprint.slice(3, 11))
      }
      assert.strictEqual(
        found.join(" "),
        `f9a610e1 10b1701d a0e206bc 944a75b2 a719880f 9bb5b39b 741fc48e def24621 98821bf2 5d64ca34 664bc950 9ddfd716
         0030453c 53a5a9e2 76e8198d 43f8a5ca b4680ddf 053db378 14621db5`.replace(/\s+/g, " ")
      )
    })
  )
})
