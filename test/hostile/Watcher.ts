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
  const answerTo = async (line: string): Promise<string> => {
    const answer = once(lines, "line")
    say(line)
    return String((await answer)[0])
  }
  return {
    watch: (url: string, pid: number) => say(`watch ${url} ${pid}`),
    /**
     * Looks at nothing: a service that is being started again owes nobody an answer. Until this resolves it is looked
     * at, and must not be stopped yet.
     */
    blind: () => answerTo("blind"),
    begin: () => say("begin"),
    end: async (): Promise<Seen> => JSON.parse(await answerTo("end")),
    close: async () => {
      const ended = once(child, "exit")
      child.stdin.end()
      await ended
    }
  }
}

export type Watcher = ReturnType<typeof startWatcher>
