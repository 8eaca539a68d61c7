import { Data, Effect } from "effect"
import { Flag, GlobalFlag } from "effect/cli"
import { Surroundings } from "./surroundings.ts"

/** `--json`, which every verb takes. */
export const Json = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(
    Flag.withDescription("Print one JSON object instead of text for people"),
    Flag.withDefault(false)
  )
})

/** The reader of the output has gone (`cairn export | head`): there is nobody to tell. */
export class OutputClosed extends Data.TaggedError("OutputClosed") {}

/** Writes text, or bytes as they are, to stdout; completes when all is written, so that the process may end. */
export const write = (text: string | Uint8Array): Effect.Effect<void, OutputClosed> =>
  Effect.flatMap(Surroundings, ({ stdout }) =>
    Effect.callback((resume) => {
      stdout.write(text, (error) => resume(error == null ? Effect.void : Effect.fail(new OutputClosed())))
    })
  )

/** Writes a line for people to stderr. */
export const note = (line: string): Effect.Effect<void> =>
  Effect.map(Surroundings, ({ stderr }) => void stderr.write(`${line}\n`))

/** Prints an answer: as one JSON object, or as lines for people. */
export const answer = Effect.fnUntraced(function* (value: object, lines: () => ReadonlyArray<string>) {
  const json = yield* Json
  const text = json ? JSON.stringify(value) : lines().join("\n")
  yield* write(text === "" ? "" : `${text}\n`)
})

/** A text on one line without control characters: what callers typed must not steer the terminal. */
export const plain = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, " ")

/** The same for text of several lines, such as code. */
export const plainText = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => line.split("\t").map(plain).join("\t"))
    .join("\n")

const cell = (value: unknown) => (value == null ? "-" : plain(String(value)))

/** Rows under a headline, in columns as wide as their widest cell. */
export const table = (columns: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<unknown>>): Array<string> => {
  const cells = [columns.map((name) => name.toUpperCase()), ...rows.map((row) => row.map(cell))]
  const widths = columns.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)))
  return cells.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column]!))
      .join("  ")
      .trimEnd()
  )
}
