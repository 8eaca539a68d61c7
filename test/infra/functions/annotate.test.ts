// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are sources of other languages
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import {
  annotate,
  annotating,
  type FunctionNote,
  inComment,
  stripAnnotations,
  strippingAnnotations
} from "#domain/functions/annotate.ts"
import { load, withTree } from "#infra/analysis/treeSitter/Grammars.ts"
import * as TreeSitterAnalysis from "#infra/analysis/treeSitter/layer.ts"
import * as Workers from "#infra/workers/layer.ts"
import { SourceAnalysis } from "#ports/SourceAnalysis.ts"
import { worked } from "#test/hostile/processor.ts"
import { named, samples } from "./samples.ts"

const hostile = [
  ...[
    "*/ alert(1) /*",
    "a\r\nb\nc\rd",
    "a\u2028b\u2029c\u0085d",
    "--> <script>",
    "#{`rm -rf`} ${x} %>",
    "\"'`\"\"\"'''"
  ],
  ...[
    "x".repeat(10_000),
    "\\u000a} evil(); {",
    "?> <b>",
    "\u202egnp.exe",
    "\u0000\u001b[31m",
    "z\u0300".repeat(500),
    "\ud800"
  ],
  ...["// /* <!-- -- --!> ]]> \\", "", "   ", "💥".repeat(200), "TypeError"]
]

const note = (
  fingerprint: string,
  commentLine: number,
  errors: ReadonlyArray<string> = ["TypeError"]
): FunctionNote => ({
  fingerprint,
  commentLine,
  thumbsUp: 3,
  thumbsDown: 1,
  calls: 12,
  errors: errors.map((text, at) => ({ text, count: at + 2 }))
})

const found = (path: string, source: string) => Effect.flatMap(SourceAnalysis, ({ analyse }) => analyse(path, source))

const errorsOf = (grammar: string, source: string) =>
  Effect.promise(async () => {
    assert.isTrue(await load(grammar))
    return withTree(grammar, source, ({ rootNode }) => rootNode.descendantsOfType("ERROR").length)!
  })

const fn = `fn_${"ab".repeat(32)}`

/** Sources in which a line is easily put at the wrong place; where the functions begin is for the analysis to say. */
const sources: ReadonlyArray<readonly [path: string, grammar: string, source: string]> = [
  ...Object.entries(samples).map(([grammar, { path, source }]) => [path, grammar, named(source)] as const),
  ["a.py", "python", "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\ndef f():\n    return 1"],
  ["a.py", "python", "# coding: latin-1\n@a\n# why\n@b(\n  1)\ndef f():\n\treturn 1\n"],
  ["a.py", "python", 'x = """\ndef g():\n"""; f = lambda a: a\n'],
  ["a.py", "python", "\ufeff# hi\r\ndef f():\r\n\tx = '''\r\ndef g(): pass\r\n'''\r\n\treturn x"],
  [
    "a.py",
    "python",
    "class A:\n    # about g\n    @property\n    def g(self): return 1\n    x = \\\n        1\n    def h(self): return 2\n"
  ],
  [
    "a.js",
    "javascript",
    "#!/usr/bin/env node\nconst s = `\nfunction g() {}\n`; function f() { return s } function h() {}"
  ],
  ["a.js", "javascript", "/** Doc.\n * more */\nexport default function () {}\nconst t = /* a\n b */ () => 1\n"],
  ["a.js", "javascript", "module.exports.f = function () {\n  return 1\n}\nexports.g = async () => `\n${1}\n`;"],
  ["a.ts", "typescript", "class A {\r\n  @dec()\r\n  // why\r\n  private m(): void {}\r\n  h = () => `\r\n`\r\n}\r\n"],
  ["a.tsx", "tsx", "export const V = ({ a }: { a: string }) => <b>\n  text {a}\n</b>; const W = () => <i>\n</i>"],
  [
    "a.go",
    "go",
    "//go:build linux\n// +build linux\n\npackage a\n\nvar s = `\nfunc g() {}\n`; func h() {}\n\n// F does.\n//\n//go:noinline\nfunc F() {}\n"
  ],
  [
    "a.rs",
    "rust",
    '#![allow(x)]\n//! mod\n\n/// Doc.\n#[inline] // why\n#[must_use]\npub fn f() {}\nconst S: &str = "\nfn g() {}"; fn h() {}\n'
  ],
  [
    "a.rb",
    "ruby",
    "# frozen_string_literal: true\n# Says.\ndef f\n  <<~T\n    def g\n    end\n  T\nend; def h; end\n=begin\ndef i\n=end\nprivate \\\n  def j = 1\n"
  ],
  [
    "A.java",
    "java",
    'class A {\n  /** Doc. */\n  @Override\n  @B(\n    1)\n  int f() { return """\n    int g() {}\n    """.length(); } int h() { return 1; }\n}'
  ],
  ["a.py", "python", ""],
  ["a.sh", "bash", "#!/bin/bash\nset -e\ncat <<X\nf() { :; }\nX\nf() { :; }\n"],
  ["a.php", "php", "<?php\nfunction f() { return 1; }\n"],
  ["a.css", "css", '@charset "utf-8";\na { color: red }\n'],
  ["a.cs", "c-sharp", "class A { int F() { return 1; } }"],
  ["a.cpp", "cpp", "int f() { return 1; }\n"]
]

layer(Layer.provide(TreeSitterAnalysis.layer, Workers.layer))("annotate", (it) => {
  for (const [at, [path, grammar, source]] of sources.entries()) {
    it.effect(`keeps what a source says: ${at}, ${path}`, () =>
      Effect.gen(function* () {
        const before = yield* found(path, source)
        const errors = yield* errorsOf(grammar, source)
        for (const text of hostile) {
          const notes = before.functions.map(({ fingerprint, commentLine }) =>
            note(fingerprint, commentLine, [text, "TypeError", text])
          )
          const annotated = annotate(source, before.language, notes)
          const shown = JSON.stringify(annotated)
          const after = yield* found(path, annotated)
          const said = ({ functions }: typeof before) => functions.map(({ name, fingerprint }) => [name, fingerprint])
          assert.deepStrictEqual(said(after), said(before), shown)
          assert.strictEqual(yield* errorsOf(grammar, annotated), errors, shown)
          assert.strictEqual(stripAnnotations(annotated), source)
          // Where the comments stand may be seen differently now; that they are replaced is what counts.
          const again = after.functions.map(({ fingerprint, commentLine }) => note(fingerprint, commentLine, ["other"]))
          const once = annotate(
            source,
            before.language,
            before.functions.map(({ fingerprint, commentLine }) => note(fingerprint, commentLine, ["other"]))
          )
          assert.strictEqual(annotate(annotated, before.language, again), once)
          const lines = annotated.split("\n").filter((line) => line.includes("[cairn fn_"))
          assert.strictEqual(lines.length, before.functions.length, shown)
          for (const line of lines) assert.isAtMost(line.length, 400)
        }
      })
    )
  }

  it.effect("puts the line above decorators, attributes and documentation, with their indentation", () =>
    Effect.gen(function* () {
      const lineOf = Effect.fnUntraced(function* (path: string, source: string) {
        const { functions, language } = yield* found(path, source)
        const annotated = annotate(
          source,
          language,
          functions.map(({ fingerprint, commentLine }) => note(fingerprint, commentLine))
        )
        return annotated.replace(/\[cairn .*?\.md/g, "!")
      })
      assert.strictEqual(
        yield* lineOf("a.py", "#!/x\n# coding: utf8\n@a\ndef f(): pass\n"),
        "#!/x\n# coding: utf8\n# !\n@a\ndef f(): pass\n"
      )
      assert.strictEqual(
        yield* lineOf("a.py", "class A:\n\t@a\n\tdef f(self): pass"),
        "class A:\n\t# !\n\t@a\n\tdef f(self): pass"
      )
      assert.strictEqual(
        yield* lineOf("a.rs", "impl A {\n  /// Doc.\n  #[x]\n  fn f() {}\n}"),
        "impl A {\n  // !\n  /// Doc.\n  #[x]\n  fn f() {}\n}"
      )
      assert.strictEqual(
        yield* lineOf("a.ts", "/** Doc. */\r\nexport default function f() {}"),
        "// !\r\n/** Doc. */\r\nexport default function f() {}"
      )
      assert.strictEqual(
        yield* lineOf("A.java", "class A {\n /** D */\n @B\n void f() {}\n}"),
        "class A {\n // !\n /** D */\n @B\n void f() {}\n}"
      )
      assert.strictEqual(
        yield* lineOf("a.go", "package a\n\n// F does.\nfunc F() {}"),
        "package a\n\n// !\n// F does.\nfunc F() {}"
      )
      assert.strictEqual(yield* lineOf("a.rb", "x = 1 # one\ndef f = 1"), "x = 1 # one\n# !\ndef f = 1")
      assert.strictEqual(
        yield* lineOf("a.js", "const s = `\n`; function f() {}"),
        "// !\nconst s = `\n`; function f() {}"
      )
      assert.strictEqual(yield* lineOf("a.json", "{}"), "{}")
      assert.strictEqual(yield* lineOf("a.php", "<b>\n<?php f();"), "<b>\n<?php f();")
    })
  )

  it.effect("says what is known of a function", () =>
    Effect.sync(() => {
      const line = annotate("f\n", "python", [{ ...note(fn, 1), errors: [{ text: "TypeError", count: 2 }] }]).split(
        "\n"
      )[0]
      assert.strictEqual(line, `# [cairn ${fn}] +3 −1 · 12 calls · TypeError ×2 · /api/functions/${fn}.md`)
      const bare = annotate("f", "sql", [{ ...note(fn, 1, []), thumbsUp: 0, thumbsDown: 0, calls: 0 }])
      assert.strictEqual(bare, `-- [cairn ${fn}] +0 −0 · /api/functions/${fn}.md\nf`)
      const html = annotate("<p>", "html", [note(fn, 1, ["a--b-->c"])]).split("\n")[0]
      assert.strictEqual(html, `<!-- [cairn ${fn}] +3 −1 · 12 calls · a-b- c ×2 · /api/functions/${fn}.md -->`)
    })
  )

  it.effect("keeps lines of others that only look alike", () =>
    Effect.sync(() => {
      const other = `fn_${"cd".repeat(32)}`
      for (const line of [
        `# [cairn ${fn}] +3 −1 · /api/functions/${other}.md`,
        `x = 1 # [cairn ${fn}] +3 −1 · /api/functions/${fn}.md`,
        `# [cairn ${fn}] +3 −1 · /api/functions/${fn}.md and more`,
        `# see [cairn ${fn}] +3 −1 · /api/functions/${fn}.md`
      ])
        assert.strictEqual(stripAnnotations(`a\n${line}\nb\n`), `a\n${line}\nb\n`)
    })
  )

  it.effect("cuts texts from logs to harmless ones", () =>
    Effect.sync(() => {
      for (const text of hostile) {
        const cut = inComment(text, 120)
        assert.isAtMost([...cut].length, 120)
        assert.notMatch(cut, /[\p{C}\p{Zl}\p{Zp}*\\<>`#${}?%]|--/u)
        assert.strictEqual(inComment(cut, 120), cut.replace("…", "").trim())
      }
      assert.strictEqual(inComment("[Errno 2] No such file: '/x/y.py'", 120), "[Errno 2] No such file: '/x/y.py'")
    })
  )

  it.effect("goes through a long source in many steps, to the same end", () =>
    Effect.sync(() => {
      const stepsOf = <A>(steps: Generator<unknown, A>) => {
        let count = 1
        let step = steps.next()
        for (; !step.done; step = steps.next()) count += 1
        return { count, value: step.value }
      }
      const source = "x\n".repeat(100_000)
      const notes = Array.from({ length: 1_000 }, (_, at) => note(fn, 100 * at + 1))
      const annotated = stepsOf(annotating(source, "python", notes))
      assert.isAtLeast(annotated.count, 1_000)
      assert.strictEqual(annotated.value, annotate(source, "python", notes))
      const again = stepsOf(annotating(annotated.value, "python", []))
      assert.isAtLeast(again.count, 10)
      const stripped = stepsOf(strippingAnnotations(annotated.value.repeat(10)))
      assert.isAtLeast(stripped.count, 20)
      assert.strictEqual(stripped.value, source.repeat(10))
    })
  )

  it.effect("takes long and hostile sources", () =>
    Effect.sync(() => {
      const start = worked(process.pid)
      for (const source of [
        "# [cairn fn_\n".repeat(80_000),
        " ".repeat(1 << 20),
        "\t[cairn fn_".repeat(90_000),
        `# [cairn ${fn}] +1 −1 · ${"a".repeat(1 << 20)}`
      ]) {
        assert.strictEqual(stripAnnotations(source), source)
        annotate(source, "python", [note(fn, 1), note(fn, 99_999_999)])
      }
      // Milliseconds are expected; a minute would be a square.
      assert.isBelow(worked(process.pid) - start, 10_000)
    })
  )
})
