import { randomBytes } from "node:crypto"
import { assert } from "vitest"
import { type Attack, answered, times } from "./Attack.ts"
import type { Target, Use } from "./Target.ts"

const write = (file_path: string, content: string): Use => ({ name: "Write", input: { file_path, content } })
const bash = (command: string): Use => ({ name: "Bash", input: { command } })
const glob = (pattern: string): Use => ({ name: "Glob", input: { pattern } })
const grep = (pattern: string): Use => ({ name: "Grep", input: { pattern } })

/** A workspace of ten thousand files, made by the agent's own shell. */
const many = async (target: Target) => {
  const file =
    "for d in $(seq 1 100); do mkdir -p many/$d; for f in $(seq 1 100); do echo x > many/$d/$f.txt; done; done"
  await target.chat("many", [[bash(file)]])
}

const run =
  (user: string, ...turns: ReadonlyArray<ReadonlyArray<Use>>) =>
  async (target: Target) => {
    const answer = answered(await target.chat(user, turns), 200)
    // whatever became of its tools, the run has ended
    assert.isBoolean(answer.success)
    return answer
  }
const attack = (name: string, user: string, ...turns: ReadonlyArray<ReadonlyArray<Use>>): Attack => ({
  name,
  run: async (target) => void (await run(user, ...turns)(target))
})

const workspaceOf = async ({ call }: Target, user: string): Promise<string> => {
  const { workspaces } = answered(await call("GET", "/api/workspaces"), 200)
  return workspaces.find(({ user_id }: { user_id: string }) => user_id === user).workspace_id
}

const equal = "same line\n".repeat(100_000)
const unlike = Array.from({ length: 60_000 }, (_, n) => `${(n * 7_919) % 60_000}`).join("\n")
const shuffled = Array.from({ length: 60_000 }, (_, n) => `${(n * 104_729) % 60_000}`).join("\n")

export const chats: ReadonlyArray<Attack> = [
  {
    name: "a diff of 15 files of equal lines",
    arrange: async (target) => {
      const files = Array.from({ length: 15 }, (_, n) => n)
      // a turn each: no model says more than some megabytes at once
      await run("diffs", ...files.map((n) => [write(`${n}.txt`, `a\n${equal}b\n`)]))(target)
      const other = (n: number) => write(`${n}.txt`, `c\n${equal}${equal.slice(0, 5_000)}d\n`)
      await run("diffs", ...files.map((n) => [other(n)]))(target)
    },
    run: async (target) => {
      const id = await workspaceOf(target, "diffs")
      const { commits } = answered(await target.call("GET", `/api/workspaces/${id}/commits`), 200)
      await times(8, async (n) => {
        answered(await target.call("GET", `/api/workspaces/${id}/commits/${commits[n % 2].sha}`), 200, 503)
      })
    }
  },
  {
    name: "a diff of files that share every line in another order",
    arrange: async (target) => {
      await run("orders", [write("a.txt", unlike), write("b.txt", shuffled)])(target)
      await run("orders", [write("b.txt", unlike), write("a.txt", shuffled)])(target)
    },
    run: async (target) => {
      const id = await workspaceOf(target, "orders")
      const { commits } = answered(await target.call("GET", `/api/workspaces/${id}/commits`), 200)
      for (const { sha } of commits) answered(await target.call("GET", `/api/workspaces/${id}/commits/${sha}`), 200)
    }
  },
  { name: "a workspace of 10,000 files", run: many },
  attack("Glob: nested braces over 10,000 files", "many", [glob(`${"{a,b,{c,d}}".repeat(20)}*.txt`)]),
  attack("Glob: stars over 10,000 files", "many", [
    glob(`${"*".repeat(3)}a*a*a*a*a*a*b`),
    glob("**/**/**/**/**/**/**/x")
  ]),
  attack("Glob: a pattern of a megabyte", "many", [glob(`${"{a,".repeat(300_000)}`)]),
  attack(
    "Grep: a pattern that backtracks",
    "greps",
    [write("a.txt", `${"a".repeat(50_000)}!`)],
    [grep("(a+)+$"), grep("(a|aa)+$")]
  ),
  attack("Grep: everything in 10,000 files", "many", [grep("x"), grep(""), grep("(.*)*x")]),
  attack("Grep: a pattern of a megabyte", "many", [grep("(".repeat(1_000_000)), grep("a|".repeat(500_000))]),
  attack(
    "Edit: a file that grows to gigabytes",
    "edits",
    [write("a.txt", "a".repeat(1_000_000))],
    ...Array.from({ length: 3 }, () => [
      { name: "Edit", input: { file_path: "a.txt", old_string: "a", new_string: "a".repeat(500), replace_all: true } }
    ])
  ),
  attack("Edit: nothing replaced by something, a million times", "edits", [
    { name: "Edit", input: { file_path: "a.txt", old_string: "", new_string: "b", replace_all: true } }
  ]),
  attack(
    "Write: 30 files of four megabytes in one turn",
    "writes",
    Array.from({ length: 30 }, (_, n) => write(`${n}.bin`, "a".repeat(4_000_000)))
  ),
  {
    name: "Write: files of a megabyte and a half, one a turn and then another chat",
    run: async (target) => {
      for (let n = 0; n < 4; n++) {
        const turns = ["a", "b"].map((name) => [write(`${n}${name}.bin`, name.repeat(1_500_000))])
        await run("large", ...turns)(target)
      }
    }
  },
  attack("Write: paths without number and end", "paths", [
    ...Array.from({ length: 50 }, (_, n) => write(`${`${n}/`.repeat(200)}x`, "x")),
    write("a/".repeat(50_000), "x"),
    write("x".repeat(100_000), "x")
  ]),
  attack(
    "Read: a file of one long line, and of a million",
    "reads",
    [write("a", "a".repeat(1_900_000))],
    [write("b", "\n".repeat(900_000))],
    [
      { name: "Read", input: { file_path: "a" } },
      { name: "Read", input: { file_path: "b" } },
      { name: "Read", input: { file_path: "b", offset: 500_000, limit: 1_000_000 } },
      { name: "Edit", input: { file_path: "b", old_string: "\n", new_string: "\n\n", replace_all: true } }
    ]
  ),
  attack("Bash: output without an end", "shells", [
    bash("yes"),
    bash("while true; do echo a; done"),
    bash("cat /dev/zero")
  ]),
  attack("Bash: loops without an end", "shells", [bash("while true; do :; done"), bash(":(){ :|:& };:; :")]),
  // the shell sends each file by itself, which the loop takes in together
  {
    ...attack("Bash: files without number", "shells", [bash("for i in $(seq 1 30000); do echo $i > f$i; done")]),
    share: 3
  },
  {
    name: "Bash: a file of 9 MiB that can't be made smaller, stored and read",
    // more than a model says at once
    arrange: async (target) =>
      void (await run("noise", [write("piece", randomBytes(1_000_000).toString("base64"))])(target)),
    run: async (target) => {
      await run("noise", [bash(`cat ${"piece ".repeat(7)} > large`)], [bash("wc -c large")])(target)
      const id = await workspaceOf(target, "noise")
      const { status, text } = await target.call("GET", `/api/workspaces/${id}/files/large`)
      assert.deepStrictEqual([status, text.length], [200, 7 * 1_333_336])
    }
  },
  attack("Bash: strings that double", "shells", [
    bash("a=aaaaaaaaaaaaaaaa; for i in $(seq 1 40); do a=$a$a; done; echo $a")
  ]),
  attack("tools that do not exist, with input of every kind", "wrong", [
    { name: "Read", input: { file_path: "a".repeat(1_000_000) } },
    { name: "Write", input: { file_path: "a", content: Array.from({ length: 10_000 }, () => ({})) } },
    { name: "Nothing", input: { a: "b".repeat(1_000_000) } }
  ]),
  {
    name: "32 chats at once that write and search",
    share: 4,
    run: async (target) => {
      await times(32, async (n) => {
        await run(`crowd ${n}`, [write("a.txt", "a".repeat(100_000))], [grep("a"), glob("**/*")])(target)
      })
    }
  },
  {
    name: "a start with all of these workspaces",
    run: async ({ restart, call }) => {
      await restart()
      answered(await call("GET", "/api/workspaces"), 200)
    }
  },
  {
    name: "what is read of large workspaces",
    run: async (target) => {
      for (const user of ["many", "large", "shells"]) {
        const id = await workspaceOf(target, user)
        const { commits } = answered(await target.call("GET", `/api/workspaces/${id}/commits?limit=100`), 200)
        answered(await target.call("GET", `/api/workspaces/${id}/tree`), 200)
        for (const { sha } of commits) answered(await target.call("GET", `/api/workspaces/${id}/commits/${sha}`), 200)
      }
    }
  },
  {
    name: "large workspaces that are brought back as they were",
    run: async (target) => {
      for (const user of ["many", "large", "shells"]) {
        const id = await workspaceOf(target, user)
        const { commits } = answered(await target.call("GET", `/api/workspaces/${id}/commits?limit=100`), 200)
        for (const { sha: commit } of [commits.at(-1), commits[0]])
          answered(await target.call("POST", `/api/workspaces/${id}/restore`, { commit }), 200)
      }
    }
  }
]
