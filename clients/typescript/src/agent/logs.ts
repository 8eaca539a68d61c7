import { basename } from "node:path"
import { commandOf, fileOf, type HookEvent, textOf } from "./events.ts"
import { redacted, storable } from "./screen.ts"

/**
 * Characters of one output, of what is kept, and of what is sent with a file: their ends, where results and errors are.
 */
const mostOfOne = 4_000
const mostKept = 256_000
const mostSent = 32_000
/**
 * Characters in which secrets are looked for: more than is kept, so that none is cut in two before it is known for one.
 */
const mostScreened = 100_000

/** Tools whose output is a file's content: that a file was read says enough. */
const quiet = new Set(["Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "Glob", "Grep", "LS", "TodoWrite"])

const tail = (text: string, most: number): string => (text.length <= most ? text : `…${text.slice(1 - most)}`)

/** The entries at the end that are no longer than that together. */
const last = (entries: ReadonlyArray<string>, most: number): ReadonlyArray<string> => {
  let length = 0
  const first = entries.findLastIndex((entry) => (length += entry.length + 1) > most)
  return entries.slice(first + 1)
}

const outputOf = ({ tool_response }: HookEvent): string => {
  if (typeof tool_response === "string") return tool_response
  const streams = [textOf(tool_response, "stdout"), textOf(tool_response, "stderr")].filter((text) => text)
  if (streams.length > 0 || textOf(tool_response, "stdout") !== undefined) return streams.join("\n")
  return tool_response === undefined ? "" : (JSON.stringify(tool_response) ?? "")
}

/** What a tool was told and printed, without secrets. */
const entryOf = (event: HookEvent, succeeded: boolean, secrets: ReadonlyArray<string>): string => {
  const clean = (text: string) => tail(redacted(tail(text, mostScreened), secrets), mostOfOne)
  const name = event.tool_name ?? "tool"
  const command = commandOf(event)
  const head = command === undefined ? `[${name}] ${fileOf(event) ?? ""}`.trim() : `$ ${clean(command)}`
  const output = succeeded ? (quiet.has(name) ? "" : outputOf(event)) : `failed: ${String(event.error ?? "")}`
  return storable([head, clean(output)].filter((text) => text !== "").join("\n"))
}

/**
 * What the tools of a session printed, an entry each: with another one, and without the first where it gets too long.
 */
export const logged = (
  entries: ReadonlyArray<string>,
  event: HookEvent,
  succeeded: boolean,
  secrets: ReadonlyArray<string>
): ReadonlyArray<string> => last([...entries, entryOf(event, succeeded, secrets)], mostKept)

const named = (path: string): RegExp => {
  const name = basename(path).replace(/[\\^$*+?.()|{}[\]]/g, "\\$&")
  return new RegExp(`(?<![\\w.-])${name}(?![\\w-])`)
}

/**
 * What concerns a file of the session: entries that name it, and those that name none of its files, such as `make
 * test`.
 */
export const logsOf = (entries: ReadonlyArray<string>, path: string, paths: ReadonlyArray<string>): string => {
  const own = named(path)
  const all = paths.map(named)
  return last(
    entries.filter((entry) => own.test(entry) || !all.some((form) => form.test(entry))),
    mostSent
  ).join("\n")
}
