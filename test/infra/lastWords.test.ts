import { spawn } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it, vi } from "vitest"
import { lastWords } from "#infra/lastWords.ts"
import { collectGarbage } from "#test/collectGarbage.ts"

/** A program with a pipe to it, and what it has said when it is gone. */
const started = (command: string, ...args: ReadonlyArray<string>) => {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] })
  child.stdin.on("error", () => {})
  const said = new Promise<string>((resolve) => {
    let text = ""
    child.stdout.on("data", (chunk) => {
      text += String(chunk)
    })
    child.once("close", () => resolve(text.trim()))
  })
  return { child, said }
}

describe("the last words to a child process", () => {
  it("come whole, and are the end; without any there is the end", async () => {
    for (const [words, bytes] of [
      [new Uint8Array(3_000_000), "3000000"],
      ["words", "5"],
      [undefined, "0"]
    ] as const) {
      const { child, said } = started("wc", "-c")
      lastWords(child.stdin, words)
      assert.strictEqual(await said, bytes)
    }
  })

  it("leave no pipe behind, however the child goes meanwhile", async () => {
    const pipes: Array<WeakRef<object>> = []
    const killed = async (words: string | Uint8Array) => {
      const { child, said } = started("sleep", "1000")
      pipes.push(new WeakRef(child.stdin))
      lastWords(child.stdin, words)
      child.kill("SIGKILL")
      await said
    }
    for (let n = 0; n < 10; n++) await killed(n % 2 === 0 ? "words" : new Uint8Array(1_000_000))
    // the last one may be in sight still
    await vi.waitFor(() => {
      collectGarbage()
      assert.isAtMost(pipes.filter((pipe) => pipe.deref() !== undefined).length, 1)
    }, 10_000)
  })
})

it("nothing that the service starts is told its last words otherwise", () => {
  const infra = new URL("../../infra/", import.meta.url)
  const files = readdirSync(infra, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"))
  assert.isAbove(files.length, 100)
  for (const name of files)
    assert.notMatch(readFileSync(new URL(name, infra), "utf8"), /stdin[!?.]*\.end\(|pipe\([\w.!?]*stdin!?\)/)
})
