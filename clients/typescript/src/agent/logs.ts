import { fileOf, type HookEvent, textOf } from "./events.ts"

/** Characters of one output, and of all: their ends, where results and errors are. */
const mostOfOne = 4_000
const mostOfAll = 32_000

/** Tools whose output is a file's content: that a file was read says enough. */
const quiet = new Set(["Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "Glob", "Grep", "LS", "TodoWrite"])

const tail = (text: string, most: number): string => (text.length <= most ? text : `…${text.slice(1 - most)}`)

const outputOf = ({ tool_response }: HookEvent): string => {
  if (typeof tool_response === "string") return tool_response
  const streams = [textOf(tool_response, "stdout"), textOf(tool_response, "stderr")].filter((text) => text)
  if (streams.length > 0 || textOf(tool_response, "stdout") !== undefined) return streams.join("\n")
  return tool_response === undefined ? "" : (JSON.stringify(tool_response) ?? "")
}

/** What the tools of a session printed, an entry each: with another one, and without the first where it gets too long. */
export const logged = (entries: ReadonlyArray<string>, event: HookEvent, succeeded: boolean): ReadonlyArray<string> => {
  const name = event.tool_name ?? "tool"
  const command = textOf(event.tool_input, "command")
  const head = command === undefined ? `[${name}] ${fileOf(event) ?? ""}`.trim() : `$ ${tail(command, mostOfOne)}`
  const output = succeeded ? (quiet.has(name) ? "" : outputOf(event)) : `failed: ${String(event.error ?? "")}`
  const all = [...entries, [head, tail(output, mostOfOne)].filter((text) => text !== "").join("\n")]
  let length = all.reduce((sum, entry) => sum + entry.length + 1, 0)
  while (length > mostOfAll && all.length > 1) length -= all.shift()!.length + 1
  return all
}
