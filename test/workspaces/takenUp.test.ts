import { Effect, Fiber, Layer } from "effect"
import { assert, it, vi } from "vitest"
import { ChatCommand } from "#domain/Chat.ts"
import { Busy } from "#engine/decide.ts"
import { Dispatcher } from "#engine/dispatch.ts"
import { makeProcesses } from "#engine/memory/Claims.ts"
import { positionOf } from "#engine/Position.ts"
import { Claims } from "#engine/ports/Claims.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { Runs } from "#src/workspaces/queue.ts"
import type { Got } from "#src/workspaces/run.ts"
import { recordedTurn } from "#src/workspaces/turns.ts"
import { asked, ended, scripts, service, startsAgent } from "#test/http/agent.ts"
import { text, turn } from "#test/languageModel.ts"
import { says } from "#test/MessagesApi.ts"
import { requestedRun } from "./requestedRun.ts"

startsAgent()

/** A run as a process has begun it; who carries it is told here. */
const begunRun = Effect.fnUntraced(function* (prompt: string) {
  const requested = yield* requestedRun(prompt, false)
  yield* requested.tell(ChatCommand.StartChat({ base: null }))
  return requested
})

const typesOf = async (run: string) => {
  const rows = await service.sql<{ type: string }>("SELECT type FROM events WHERE stream = $1 ORDER BY revision", [
    `chat-${run}`
  ])
  return rows.map(({ type }) => type)
}

it("asks for no turn again that was on its way to the log when the run's process ended", async () => {
  const prompt = "a turn on its way"
  scripts.set(prompt, () => says("Asked again."))
  const run = await service.run(
    Effect.scoped(
      Effect.gen(function* () {
        const { run, tell, carry } = yield* begunRun(prompt)
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
        yield* carry({ left: true, again: false }).pipe(Effect.provideService(EventStore, slow))
        assert.isAbove(reads, 1)
        return run
      })
    )
  )
  assert.lengthOf(asked(prompt), 0)
  assert.deepStrictEqual(await typesOf(run), ["ChatRequested", "ChatStarted", "ModelTurned", "ChatResumed"])
})

it("goes on with a run that was its own all along without taking it up, and takes it up behind each other process", async () => {
  const prompt = "lost and had again"
  scripts.set(prompt, () => new Promise(() => {}))
  const run = await service.run(
    Effect.scoped(
      Effect.gen(function* () {
        const { run, tell, carry } = yield* begunRun(prompt)
        let times = 0
        /** Until it has asked the model, which does not answer: then it is lost. */
        const lose = Effect.fnUntraced(function* (got: Omit<Got, "begin">) {
          const carrying = yield* Effect.forkChild(carry(got))
          times += 1
          yield* Effect.promise(() => vi.waitFor(() => assert.lengthOf(asked(prompt), times), { timeout: 60_000 }))
          yield* Fiber.interrupt(carrying)
        })
        const expect = Effect.fnUntraced(function* (resumed: number) {
          const found = (yield* Effect.promise(() => typesOf(run))).filter((type) => type === "ChatResumed")
          assert.lengthOf(found, resumed)
        })
        yield* lose({ left: true, again: true })
        yield* expect(0)
        // another one took it up, and ended
        yield* tell(ChatCommand.ResumeChat())
        yield* lose({ left: true, again: true })
        yield* expect(2)
        yield* lose({ left: true, again: true })
        yield* lose({ left: false, again: true })
        // it had said that it took it up, and could not begin
        yield* lose({ left: true, again: false })
        yield* expect(2)
        yield* tell(ChatCommand.ResumeChat())
        // it has stuck: three times
        yield* carry({ left: true, again: true })
        yield* expect(3)
        return run
      })
    )
  )
  assert.lengthOf(asked(prompt), 5)
  const failed = await service.sql<{ code: string }>(
    "SELECT data::json ->> 'code' AS code FROM events WHERE type = 'ChatFailed' AND data::json ->> 'run' = $1",
    [run]
  )
  assert.deepStrictEqual(failed, [{ code: "interrupted" }])
})

it("takes up what a killed process left also when the log is away as it is about to say so", async () => {
  const prompt = "said at the second try"
  scripts.set(prompt, () => says("Done."))
  const run = await service.run(
    Effect.scoped(
      Effect.gen(function* () {
        const { run, workspace } = yield* begunRun(prompt)
        const dispatcher = yield* Dispatcher
        let refused = 0
        const away = Dispatcher.of({
          ...dispatcher,
          dispatch: (decider, envelope) => {
            const resumes = (envelope.command as { readonly _tag?: string })._tag === "ResumeChat"
            return resumes && refused++ === 0 ? Effect.fail(new Busy()) : dispatcher.dispatch(decider, envelope)
          }
        })
        const next = yield* Layer.build(Layer.fresh(Runs.layer)).pipe(
          Effect.provideService(Dispatcher, away),
          Effect.provideService(Claims, makeProcesses()())
        )
        yield* Effect.provide(
          Effect.flatMap(Runs, ({ end }) => end({ run, workspace, position: positionOf(1) })),
          next
        )
        assert.strictEqual(refused, 2)
        return run
      })
    )
  )
  assert.lengthOf(asked(prompt), 1)
  assert.deepStrictEqual(await typesOf(run), ["ChatRequested", "ChatStarted", "ChatResumed", "ModelTurned"])
})

it("a service that has lost what it claims, and has it again, goes on with its run without taking it up", async () => {
  const prompt = "its session ended"
  const answered = Promise.withResolvers<void>()
  scripts.set(prompt, () =>
    asked(prompt).length === 1 ? new Promise(() => {}) : answered.promise.then(() => says("Done."))
  )
  const chatting = ended(service.call, prompt, "ada")
  await vi.waitFor(() => assert.lengthOf(asked(prompt), 1), { timeout: 60_000 })
  await service.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'cairn process %'`)
  await vi.waitFor(() => assert.lengthOf(asked(prompt), 2), { timeout: 60_000 })
  answered.resolve()
  const { session_id } = await chatting
  assert.notInclude(await typesOf(session_id), "ChatResumed")
})
