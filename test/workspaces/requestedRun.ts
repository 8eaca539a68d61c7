import { randomUUID } from "node:crypto"
import { Deferred, Effect } from "effect"
import { Chat, ChatCommand } from "#domain/Chat.ts"
import { Dispatcher } from "#engine/dispatch.ts"
import { Claims } from "#engine/ports/Claims.ts"
import { Workers } from "#ports/Workers.ts"
import { claimOf } from "#src/workspaces/restore.ts"
import { carryOut, type Got } from "#src/workspaces/run.ts"
import { service } from "#test/http/agent.ts"
import { workersHere } from "#test/workers.ts"

/** Has the log say that a chat was asked for, which nobody carries but who is told of it here. */
export const requestedRun = Effect.fnUntraced(function* (prompt: string, memory: boolean) {
  const { organization_id: tenant, keys } = yield* Effect.promise(
    async () => (await service.call("POST", "/api/keys/org/list")).json
  )
  const key: string = keys[0].id
  const dispatcher = yield* Dispatcher
  const [run, workspace] = [randomUUID(), randomUUID()]
  // the service would take the run up when it sees that nobody has it
  yield* (yield* Claims).claim(claimOf(workspace))
  const actor = { key, user: keys[0].user_id, organization: tenant }
  const tell = (command: ChatCommand) =>
    dispatcher.dispatch(Chat, {
      tenant,
      stream: `chat-${run}`,
      command,
      commandId: randomUUID(),
      actor,
      correlationId: run
    })
  yield* tell(
    ChatCommand.RequestChat({
      run,
      workspace,
      generation: 0,
      homes: [tenant],
      includePublic: false,
      key,
      model: "sonnet",
      maxTurns: 8,
      prompt,
      org: "acme",
      user: "ada",
      memory
    })
  )
  const carry = (got: Omit<Got, "begin">) =>
    Effect.flatMap(Deferred.make<void>(), (stopped) => carryOut(run, { ...got, begin: Effect.void }, stopped)).pipe(
      Effect.provideService(Workers, workersHere)
    )
  return { run, workspace, tell, carry }
})
