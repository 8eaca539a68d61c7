import { execFile, spawn } from "node:child_process"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"

const source = fileURLToPath(new URL("../../src/mcp.ts", import.meta.url))

/** How to start a program on what runs the tests. */
export const starting = (file: string, ...args: ReadonlyArray<string>) => ({
  command: process.execPath,
  args: [...("Deno" in globalThis ? ["run", "-A"] : []), file, ...args]
})
export const cairnMcp = starting(source)

/** Whether a package is installed in this folder. */
export const isInstalled = (name: string): boolean => {
  try {
    createRequire(import.meta.url).resolve(name)
    return true
  } catch {
    return false
  }
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end. */
export const ran = (command: string, args: ReadonlyArray<string>, env: Record<string, string> = {}): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(command, [...args], { env: { ...process.env, ...env }, maxBuffer: 1e8 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr })
    )
  })

/** `cairn-mcp` to write lines to, and to read lines from one by one. */
export const startCairnMcp = (env: Record<string, string>, ...args: ReadonlyArray<string>) => {
  const child = spawn(cairnMcp.command, [...cairnMcp.args, ...args], { env: { ...process.env, ...env } })
  const lines: Array<string> = []
  const wanted: Array<(line: string) => void> = []
  let [stdout, stderr] = ["", ""]
  child.stderr.on("data", (chunk) => {
    stderr += chunk
  })
  child.stdout.on("data", (chunk) => {
    const parts = (stdout + chunk).split("\n")
    stdout = parts.pop()!
    for (const line of parts) {
      const want = wanted.shift()
      if (want === undefined) lines.push(line)
      else want(line)
    }
  })
  // a program that is gone takes no more lines
  child.stdin.on("error", () => {})
  const exited = new Promise<number | string | null>((resolve) =>
    child.once("exit", (code, signal) => resolve(code ?? signal))
  )
  return {
    exited,
    /** Reads nothing more from it. */
    hangUp: () => child.stdout.destroy(),
    stop: () => child.kill("SIGTERM"),
    write: (message: unknown) =>
      void child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`),
    // biome-ignore lint/suspicious/noExplicitAny: a message is looked at field by field
    next: async (): Promise<any> =>
      JSON.parse(lines.shift() ?? (await new Promise<string>((resolve) => void wanted.push(resolve)))),
    /** Ends its input; gives what is left. */
    end: async () => {
      child.stdin.end()
      const code = await exited
      return { code, lines, stderr }
    }
  }
}
