import { readFile } from "node:fs/promises"
import { basename, isAbsolute, normalize, resolve } from "node:path"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Failed } from "../failure.ts"
import { answer, plain } from "../output.ts"
import { type Around, Surroundings } from "../surroundings.ts"
import { service, workspaceFlag } from "./asking.ts"

/** The text of a file, relative to where the user is. */
const textOf = (name: string, { env }: Around) =>
  Effect.tryPromise({
    try: async () =>
      new TextDecoder("utf-8", { fatal: true }).decode(await readFile(resolve(env["INIT_CWD"] ?? ".", name))),
    catch: (error) =>
      new Failed({
        message: `${plain(name)} can't be read: ${error instanceof TypeError ? "it is no UTF-8 text" : (error as Error).message}`
      })
  })

/** A file's name in the store: as it is typed, unless that leads out of the user's folder. */
const pathOf = (name: string): string => {
  const path = normalize(name)
  return isAbsolute(path) || path.startsWith("..") ? basename(path) : path
}

const flag = (name: string, what: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(what), Flag.withDefault(false))

export const command = Command.make(
  "upload",
  {
    files: Argument.String("file").pipe(
      Argument.withDescription("Source files, each stored as a snippet"),
      Argument.atLeast(1)
    ),
    task: Flag.String("task").pipe(Flag.withDescription("What they are for, in plain words: search finds them by it")),
    failed: flag("failed", "The run that wrote it failed (for one file)"),
    vote: Flag.Literals("vote", ["up", "down"]).pipe(
      Flag.withDescription("Your vote on each file, in place of a grading by the service's model"),
      Flag.optional
    ),
    log: Flag.String("log").pipe(
      Flag.withDescription("A file with the output of the run (for one file)"),
      Flag.optional
    ),
    public: flag("public", "Publish it: everyone who asks for public snippets finds it (for one file)"),
    workspace: workspaceFlag
  },
  ({ files, task, failed, vote, log, public: publish, workspace }) =>
    Effect.gen(function* () {
      if (files.length > 1 && (failed || publish || Option.isSome(log))) {
        return yield* new Failed({ message: "--failed, --log and --public are for one file: upload them one by one." })
      }
      const around = yield* Surroundings
      const written = yield* Effect.forEach(files, (name) =>
        Effect.map(textOf(name, around), (content) => ({ path: pathOf(name), content }))
      )
      const executionLogs = Option.isSome(log) ? yield* textOf(log.value, around) : undefined
      const ask = yield* service({ workspace })
      const value = Option.getOrUndefined(Option.map(vote, (vote) => (vote === "up" ? (1 as const) : (-1 as const))))
      if (written.length === 1) {
        const given = { task, fileWritten: written[0]!, succeeded: !failed, userVote: value, executionLogs }
        const { data, wire } = yield* ask((cairn, options) =>
          cairn.snippets.upload({ ...given, public: publish }, options)
        )
        return yield* answer(wire, () => [
          data.snippetName === null ? plain(data.message) : `Stored ${plain(data.snippetName)}.`
        ])
      }
      const userVotes = value === undefined ? undefined : Object.fromEntries(written.map(({ path }) => [path, value]))
      const given = { prompts: [task], filesWritten: written, userVotes }
      const { data, wire } = yield* ask((cairn, options) => cairn.snippets.uploadBulk(given, options))
      yield* answer(wire, () => [plain(data.message)])
      if (!data.success) return yield* new Failed({ message: "Not all of the files could be stored." })
    })
).pipe(Command.withDescription("Store files that a task produced; the same code again is the same snippet"))
