import { assert, describe, it } from "@effect/vitest"
import { errorsIn, errorsInSteps } from "#domain/functions/errors.ts"
import { worked } from "#test/hostile/processor.ts"

const cases: ReadonlyArray<readonly [name: string, log: string, errors: ReturnType<typeof errorsIn>]> = [
  [
    "Python",
    `before
Traceback (most recent call last):
  File "/tmp/job.py", line 9, in <module>
    main()
    ~~~~^^
  File "/usr/lib/python3.12/json/__init__.py", line 3, in loads
    raise
  File "/tmp/job.py", line 5, in parse_rows
    return int("x")
ValueError: invalid literal for int() with base 10: 'x'
after: all`,
    [
      {
        type: "ValueError",
        message: "invalid literal for int() with base 10: 'x'",
        functions: ["__module__", "parse_rows"]
      }
    ]
  ],
  [
    "chained Python errors, with a module's name, without a message",
    `Traceback (most recent call last):
  File "a.py", line 1, in f
    g()
KeyError

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "a.py", line 3, in <lambda>
  File "a.py", line 3, in h
requests.exceptions.ConnectionError: no route`,
    [
      { type: "KeyError", message: "", functions: ["f"] },
      { type: "ConnectionError", message: "no route", functions: ["h"] }
    ]
  ],
  [
    "Node",
    `/tmp/a.js:3
  throw new TypeError("x")
  ^

TypeError: x is not a function
more of it
    at parse (/tmp/a.js:3:9)
    at async Store.load [as read] (file:///tmp/a.js:7:1)
    at new Store (/tmp/a.js:8:1)
    at Object.<anonymous> (/tmp/a.js:9:1)
    at helper (/tmp/node_modules/x/index.js:1:1)
    at /tmp/a.js:10:1
    at Module._compile (node:internal/modules/cjs/loader:1554:14)

Node.js v24`,
    [{ type: "TypeError", message: "x is not a function", functions: ["parse", "Store.load", "Store.constructor"] }]
  ],
  [
    "Deno and a code in brackets",
    "error: Uncaught (in promise) Error [ERR_X]: no\n    at f (file:///a.ts:1:7)\n",
    [{ type: "Error", message: "no", functions: ["f"] }]
  ],
  [
    "Java",
    `Exception in thread "main" java.lang.IllegalStateException: bad row
\tat com.acme.Store.load(Store.java:12)
\tat com.acme.Store.lambda$run$0(Store.java:14)
\tat java.base/java.util.ArrayList.forEach(ArrayList.java:1596)
\tat com.acme.Main.main(Main.java:3)
Caused by: java.io.IOException: gone
\tat com.acme.Store.read(Store.java:20)
\t... 3 more`,
    [
      { type: "IllegalStateException", message: "bad row", functions: ["Store.load", "Store.run", "Main.main"] },
      { type: "IOException", message: "gone", functions: ["Store.read"] }
    ]
  ],
  [
    "Go",
    `panic: runtime error: index out of range [5] with length 3 [recovered]

goroutine 1 [running]:
main.(*Store).Load(0xc000012345, {0x1, 0x2})
\t/tmp/main.go:12 +0x1d
github.com/acme/files.parse(...)
\t/tmp/files.go:3
main.main.func1()
\t/tmp/main.go:5
main.main()
\t/tmp/main.go:5 +0x20
exit status 2`,
    [
      {
        type: "panic",
        message: "runtime error: index out of range [5] with length 3",
        functions: ["Store.Load", "parse", "main"]
      }
    ]
  ],
  [
    "Ruby, new and old",
    `a.rb:2:in 'Store#load': bad (x) (ArgumentError)
\tfrom a.rb:5:in 'block in Store#run'
\tfrom /usr/lib/ruby/gems/x.rb:1:in 'other'
\tfrom a.rb:9:in '<main>'
b.rb:1:in \`f': undefined method \`x' for nil:NilClass (NoMethodError)`,
    [
      { type: "ArgumentError", message: "bad (x)", functions: ["Store.load", "Store.run", "__module__"] },
      { type: "NoMethodError", message: "undefined method `x' for nil:NilClass", functions: ["f"] }
    ]
  ],
  [
    "Rust, new and old",
    `thread 'main' panicked at src/main.rs:2:5:
index out of bounds
stack backtrace:
   0: rust_begin_unwind
             at /rustc/x/library/std/src/panicking.rs:665:5
   1: core::panicking::panic_fmt
   2: job::parse
             at ./src/main.rs:2:5
   3: job::main::{{closure}}
note: Some details are omitted
thread 'worker' panicked at 'boom', src/lib.rs:9:1`,
    [
      { type: "panic", message: "index out of bounds", functions: ["parse", "main"] },
      { type: "panic", message: "boom", functions: [] }
    ]
  ],
  ["a log without errors", "Error: not a traceback\nTypeError: said in passing\nok\n  at last\npanic is near\n", []]
]

describe("errors in logs", () => {
  for (const [name, log, errors] of cases) {
    it(`of ${name}`, () => {
      assert.deepStrictEqual(errorsIn(log), errors)
      assert.deepStrictEqual(errorsIn(log.replaceAll("\n", "\r\n")), errors)
      assert.deepStrictEqual(errorsIn(`${log}\n${log}`), [...errors, ...errors])
    })
  }

  it("keeps the last fifty, on one line and cut", () => {
    const one = (at: number) =>
      `Traceback (most recent call last):\n  File "a.py", line 1, in f${at}\nE${at}: ${"m".repeat(400)}\u2028\u0007${"n".repeat(400)}\n`
    const errors = errorsIn(Array.from({ length: 500 }, (_, at) => one(at)).join(""))
    assert.deepStrictEqual(
      errors.map(({ type }) => type),
      Array.from({ length: 50 }, (_, at) => `E${450 + at}`)
    )
    for (const { message } of errors) assert.strictEqual(message, `${"m".repeat(400)} ${"n".repeat(99)}`)
    const deep = `Traceback (most recent call last):\n${'  File "a.py", line 1, in f\n  File "a.py", line 1, in g\n'.repeat(5_000)}E: x`
    assert.deepStrictEqual(errorsIn(deep), [{ type: "E", message: "x", functions: ["f", "g"] }])
    assert.deepStrictEqual(errorsIn("Traceback (most recent call last):\n"), [])
  })

  it("are read in steps, none of which has more than some of the log", () => {
    for (const log of ["\n".repeat(400_000), "TypeError: x\n".repeat(30_000), `${"a".repeat(900)}\n`.repeat(440)]) {
      const steps = errorsInSteps(log)
      let count = 0
      for (let step = steps.next(); !step.done; step = steps.next()) count += 1
      assert.isAtLeast(count, 20)
    }
  })

  it("takes time linear in the text", () => {
    const size = 16 << 20
    const filled = (text: string) => text.repeat(Math.ceil(size / text.length))
    for (const text of [
      ...[
        filled("\n"),
        filled("a"),
        filled("Traceback (most recent call last):\n"),
        filled("TypeError: x\n"),
        filled("panic: x\n")
      ],
      ...[
        `TypeError: x\n${filled("    at f (a:1:1)\n")}`,
        `panic: x\n${filled(`${"a/".repeat(400)}\n`)}`,
        `panic: x\n${filled(`${"a.".repeat(400)}(\n`)}`
      ],
      ...[
        filled(`x:1:in '${"': (A".repeat(180)})\n`),
        filled(`x:1:in '${": (A)".repeat(180)}\n`),
        filled(`at ${"a.".repeat(400)}\n`)
      ],
      ...[
        `X.Y: x\n${filled(`\tat ${"a.".repeat(400)}\n`)}`,
        `TypeError: x\n${filled(`\tat ${"1:".repeat(400)}\n`)}`,
        `TypeError: x\n${filled(` at f (${") ".repeat(400)}x\n`)}`
      ],
      ...[
        filled(`thread 'a' panicked at '${"', ".repeat(300)}\n`),
        filled(`${" ".repeat(900)}x\n`),
        filled(`${"Aa".repeat(450)}:\n`),
        filled(`${"a.".repeat(450)}A`)
      ],
      `thread 'a' panicked at a:1:1:\n\n${filled(`  1: ${"a::".repeat(300)}!\n`)}`
    ]) {
      const from = worked(process.pid)
      assert.isAtMost(errorsIn(text).length, 50)
      // Seconds at most; a square would be hours.
      assert.isBelow(worked(process.pid) - from, 25_000, text.slice(0, 60))
    }
  }, 300_000)
})
