import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { answer, plain, plainText } from "../output.ts"
import { service, workspaceFlag } from "./asking.ts"

const named = (what: string) => Argument.String("id").pipe(Argument.withDescription(what))

const show = Command.make("show", { id: named("The snippet's id"), workspace: workspaceFlag }, ({ id, workspace }) =>
  Effect.gen(function* () {
    const ask = yield* service({ publicSnips: true, workspace })
    const { data } = yield* ask((cairn, options) => cairn.snippets.markdown(id, options))
    yield* answer({ id, markdown: data }, () => [plainText(data).trimEnd()])
  })
).pipe(Command.withDescription("Print a snippet with its tasks, votes, source and latest logs, as Markdown"))

const comment = Command.make(
  "comment",
  {
    id: named("The snippet's id, or its name: the newest of that name"),
    text: Argument.String("text").pipe(Argument.withDescription("The comment")),
    workspace: workspaceFlag
  },
  ({ id, text, workspace }) =>
    Effect.gen(function* () {
      const ask = yield* service({ workspace })
      const { data, wire } = yield* ask((cairn, options) => cairn.snippets.comment(id, text, options))
      yield* answer(wire, () => [`Comment ${data.comment.id}.`])
    })
).pipe(Command.withDescription("Comment on a snippet; everyone who finds the snippet sees it"))

const once = named("The snippet's id, or its name if only one has it")

const remove = Command.make("delete", { id: once, workspace: workspaceFlag }, ({ id, workspace }) =>
  Effect.gen(function* () {
    const ask = yield* service({ workspace })
    const { data, wire } = yield* ask((cairn, options) => cairn.snippets.delete(id, options))
    yield* answer(wire, () => [plain(data.message)])
  })
).pipe(Command.withDescription("Delete a snippet and everything that belongs to it"))

export const command = Command.make("snippet").pipe(
  Command.withDescription("Single snippets: `cairn search` finds them"),
  Command.withSubcommands([show, comment, remove])
)
