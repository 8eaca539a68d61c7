import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { answer, plain } from "../output.ts"
import { service, workspaceFlag } from "./asking.ts"

export const command = Command.make(
  "vote",
  {
    id: Argument.String("id").pipe(Argument.withDescription("The snippet's id")),
    vote: Argument.Literals("vote", ["up", "down"]).pipe(Argument.withDescription("up: it helped; down: it did not")),
    task: Flag.String("task").pipe(Flag.withDescription("What it was used for"), Flag.optional),
    workspace: workspaceFlag
  },
  ({ id, vote, task, workspace }) =>
    Effect.gen(function* () {
      const ask = yield* service({ workspace })
      const given = { codeBlockId: id, succeeded: vote === "up", task: Option.getOrUndefined(task) }
      const { data, wire } = yield* ask((cairn, options) => cairn.snippets.vote(given, options))
      yield* answer(wire, () => [plain(data.message)])
    })
).pipe(Command.withDescription("Say whether a snippet helped with a task"))
