import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Failed } from "../failure.ts"
import { answer, plain, plainText } from "../output.ts"
import { service } from "./asking.ts"

export const command = Command.make(
  "chat",
  {
    query: Argument.String("query").pipe(Argument.withDescription("The task or question")),
    orgId: Flag.String("org-id").pipe(
      Flag.withDescription("With --user-id, the name of the workspace: any text, not an organization of the service")
    ),
    userId: Flag.String("user-id").pipe(Flag.withDescription("The same pair finds its files again")),
    model: Flag.String("model").pipe(Flag.withDescription("The model (default: sonnet)"), Flag.optional),
    maxTurns: Flag.Int("max-turns").pipe(
      Flag.withDescription("How many turns the agent may take, 1 to 100"),
      Flag.optional
    ),
    memory: Flag.Boolean("memory").pipe(
      Flag.withDescription("Tell the agent the results of earlier chats (.cairn/memory.md), and let it add this one's"),
      Flag.withDefault(false)
    )
  },
  ({ query, orgId: org, userId: user, model, maxTurns, memory }) =>
    Effect.gen(function* () {
      const ask = yield* service()
      const asked = { model: Option.getOrUndefined(model), maxTurns: Option.getOrUndefined(maxTurns) }
      const given = { user, org, ...asked, ...(memory ? { memory } : {}) }
      const { data, wire } = yield* ask((cairn, options) => cairn.workspaces.chat(query, given, options))
      yield* answer(wire, () => [
        ...(data.output === "" ? [] : [plainText(data.output).trimEnd()]),
        ...data.changedFiles.map((path) => `  ${plain(path)}`),
        `Commit ${data.commit} of workspace ${data.workspaceId}.`
      ])
      if (!data.success) return yield* new Failed({ message: `The run failed: ${data.error}` })
    })
).pipe(Command.withDescription("Give the agent a task in a workspace, and wait until it is done"))
