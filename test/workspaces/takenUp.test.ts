import { randomUUID } from "node:crypto"
import { Deferred, Effect } from "effect"
import { assert, it } from "vitest"
import { Chat, ChatCommand } from "#domain/Chat.ts"
import { Dispatcher } from "#engine/dispatch.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { Workers } from "#ports/Workers.ts"
import { carryOut } from "#src/workspaces/run.ts"
import { recordedTurn } from "#src/workspaces/turns.ts"
import { asked, scripts, service, startsAgent } from "#test/http/agent.ts"
import { text, turn } from "#test/languageModel.ts"
import { says } from "#test/MessagesApi.ts"
import { workersHere } from "#test/workers.ts"

startsAgent()

it("asks for no turn again that was on its way to the log when the run's process ended", async () => {
  const prompt = "a turn on its way"
  scripts.set(prompt, () => says("Asked again."))
  const { organization_id: tenant, keys } = (await service.call("POST", "/api/keys/org/list")).json
  const [run, workspace, key] = [randomUUID(), randomUUID(), keys[0].id]
  const facts = {
    run,
    workspace,
    generation: 0,
    homes: [tenant],
    includePublic: false,
    key,
    model: "sonnet",
    maxTurns: 8
  }
  const actor = { key, user: keys[0].user_id, organization: tenant }

  await service.run(
    Effect.gen(function* () {
      const dispatcher = yield* Dispatcher
      const tell = (command: ChatCommand) =>
        dispatcher.dispatch(Chat, {
          tenant,
          stream: `chat-${run}`,
          command,
          commandId: randomUUID(),
          actor,
          correlationId: run
        })
      // as another process has left it; a service that is alone takes up at its start alone what was begun
      yield* tell(ChatCommand.RequestChat({ ...facts, prompt, org: "acme", user: "ada", memory: false }))
      yield* tell(ChatCommand.StartChat({ base: null }))
      const late = tell(
        ChatCommand.RecordTurn({ turn: 1, ...recordedTurn(turn([text("Heard by the other process.")])) })
      )

      const store = yield* EventStore
      let reads = 0
      const slow = EventStore.of({
        ...store,
        readStream: (stream, after, options) =>
          Effect.tap(store.readStream(stream, after, options), () =>
            stream === `chat-${run}` && reads++ === 0 ? Effect.orDie(late) : Effect.void
          )
      })
      yield* carryOut(run, true, yield* Deferred.make<void>()).pipe(
        Effect.provideService(EventStore, slow),
        Effect.provideService(Workers, workersHere)
      )
      assert.isAbove(reads, 1)
    })
  )
  assert.lengthOf(asked(prompt), 0)
  const rows = await service.sql<{ type: string }>("SELECT type FROM events WHERE stream = $1 ORDER BY revision", [
    `chat-${run}`
  ])
  assert.deepStrictEqual(
    rows.map(({ type }) => type),
    ["ChatRequested", "ChatStarted", "ModelTurned", "ChatResumed"]
  )
})
