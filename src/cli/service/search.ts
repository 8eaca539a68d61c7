import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { answer, plain, table } from "../output.ts"
import { service, workspaceFlag } from "./asking.ts"

/** Characters of a description that are shown. */
const shown = 60

export const command = Command.make(
  "search",
  {
    task: Argument.String("task").pipe(Argument.withDescription("What the code should do, in plain words")),
    limit: Flag.Int("limit").pipe(Flag.withDescription("At most so many; 5 unless given"), Flag.withDefault(5)),
    public: Flag.Boolean("public").pipe(
      Flag.withDescription("Find public snippets of others, too"),
      Flag.withDefault(false)
    ),
    workspace: workspaceFlag
  },
  ({ task, limit, public: publicSnips, workspace }) =>
    Effect.gen(function* () {
      const ask = yield* service({ workspace, publicSnips })
      const { data, wire } = yield* ask((cairn, options) => cairn.snippets.search({ task, topK: limit }, options))
      yield* answer(wire, () =>
        data.matches.length === 0
          ? ["Nothing is found."]
          : table(
              ["id", "name", "score", "up", "down", "language", "description"],
              data.matches.map(({ codeBlock, score, thumbsUp, thumbsDown }) => [
                ...[codeBlock.id, codeBlock.name, score.toFixed(2), thumbsUp, thumbsDown, codeBlock.language],
                plain(codeBlock.description).slice(0, shown)
              ])
            )
      )
    })
).pipe(Command.withDescription("Find snippets for a task, the best first; `cairn snippet show ID` prints one"))
