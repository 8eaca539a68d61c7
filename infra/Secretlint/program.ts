import { writeSync } from "node:fs"
import { lintSource } from "@secretlint/core"
import { rules } from "@secretlint/secretlint-rule-preset-recommend"
import type { FoundSecret } from "#ports/SecretScan.ts"

/** The program of a child process: a line of JSON `[path, text]` in, a line of JSON `FoundSecret[]` out, until its stdin ends. */

// Its stdout is the pipe to the service, which nothing else may write to.
for (const method of ["debug", "error", "info", "log", "warn"] as const) console[method] = () => {}

const prefix = "@secretlint/secretlint-rule-"

const used = rules
  // a comment in a file must not decide what everyone gets to see
  .filter(({ meta }) => meta.id !== `${prefix}filter-comments`)
  .map((rule) => ({ id: rule.meta.id, rule }))

/** Findings that are told. */
const most = 20

const scan = async (path: string, text: string): Promise<ReadonlyArray<FoundSecret>> => {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1)
  const dot = name.lastIndexOf(".")
  const { messages } = await lintSource({
    source: { content: text, filePath: `/${name}`, ext: dot > 0 ? name.slice(dot) : "", contentType: "text" },
    options: { noPhysicFilePath: true, config: { rules: used } }
  })
  // lines as an editor counts them, which the linter's own are not where a text has separators of other kinds
  const lineAt = (place: number) => text.slice(0, place).split("\n").length
  return [...messages]
    .sort((one, other) => one.range[0] - other.range[0])
    .slice(0, most)
    .map(({ ruleId, messageId, range }) => ({
      line: lineAt(range[0]),
      kind: `${ruleId.replace(prefix, "")}: ${messageId}`
    }))
}

const say = (value: unknown) => {
  const bytes = Buffer.from(`${JSON.stringify(value)}\n`)
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at)
}

// cut at line feeds only: a line separator within a text is text
let said: Array<string> = []
process.stdin.setEncoding("utf8").on("data", (chunk: string) => {
  const [first = "", ...rest] = chunk.split("\n")
  said.push(first)
  for (const next of rest) {
    const [path, text] = JSON.parse(said.join("")) as [string, string]
    said = [next]
    void scan(path, text).then(say)
  }
})
// what has to be loaded is loaded: from now on it is the text that takes time
say("ready")
process.stdin.once("close", () => process.exit(0)).once("error", () => process.exit(0))
