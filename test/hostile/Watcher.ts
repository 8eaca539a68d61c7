import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { Seen } from "./watch.ts"

const program = fileURLToPath(new URL("./watch.ts", import.meta.url))
const flags = process.versions["deno"] === undefined ? ["--disable-warning=ExperimentalWarning"] : ["run", "-A"]

/** The process that watches a service (`watch.ts`). */
export const startWatcher = () => {
  const child = spawn(process.execPath, [...flags, program, "watch"], { stdio: ["pipe", "pipe", "inherit"] })
  const lines = createInterface({ input: child.stdout })
  const say = (line: string) => void child.stdin.write(`${line}\n`)
  return {
    watch: (url: string, pid: number) => say(`watch ${url} ${pid}`),
    /** Looks at nothing: a service that is being started again owes nobody an answer. */
    blind: () => say("blind"),
    begin: () => say("begin"),
    end: async (): Promise<Seen> => {
      const answer = once(lines, "line")
      say("end")
      const [line] = await answer
      return JSON.parse(line as string)
    },
    close: async () => {
      const ended = once(child, "exit")
      child.stdin.end()
      await ended
    }
  }
}

export type Watcher = ReturnType<typeof startWatcher>
