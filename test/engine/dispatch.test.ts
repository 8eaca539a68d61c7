import { randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Exit, Layer } from "effect"
import type { DomainEvent } from "#domain/events.ts"
import type { Codec as EngineCodec } from "#engine/codec.ts"
import type { Led } from "#engine/decide.ts"
import { Dispatcher } from "#engine/dispatch.ts"
import type { Recorded } from "#engine/Event.ts"
import * as MemoryEventStore from "#engine/memory/EventStore.ts"
import type { EventStore } from "#engine/ports/EventStore.ts"
import * as Codec from "#src/codec.ts"
import { decode } from "#src/codec.ts"
import { castVote, createKey, deleteSnippet, register, uploadSnippet } from "#test/commands.ts"
import { freshStore } from "#test/infra/stores.ts"
import { upTo } from "./appends.ts"
import { whole } from "./whole.ts"

const together = { concurrency: "unbounded" } as const

/** As after a restart, or in another process: a dispatcher that knows nothing, on the same store. */
const another = Effect.map(Layer.build(Layer.fresh(Dispatcher.layer)), Context.get(Dispatcher))

const log = Effect.fnUntraced(function* (stream: string) {
  const { readStream } = yield* whole
  return (yield* readStream(stream, -1)).map(decode)
})

/** Events of one command each, as its giver is told of them. */
const told = (stored: ReadonlyArray<Recorded<DomainEvent>>): Array<Led<never>> =>
  stored.map(({ event, revision, position, recordedAt }) => ({ event: event as never, revision, position, recordedAt }))

const suite = <E>(name: string, store: Layer.Layer<EventStore | EngineCodec, E>) =>
  layer(Dispatcher.layer.pipe(Layer.provideMerge(store)), { excludeTestServices: true })(`dispatch (${name})`, (it) => {
    it.effect("answers with the events as they are in the log", () =>
      Effect.gen(function* () {
        const snippet = randomUUID()
        const id = randomUUID()
        const answer = [...(yield* uploadSnippet(snippet)), ...(yield* castVote(snippet, id, 3))]
        const stored = yield* log(`snippet-${snippet}`)
        assert.deepStrictEqual(answer, told(stored))
        const { position, recordedAt, eventId, event, ...envelope } = stored[1]!
        assert.deepStrictEqual(envelope, {
          tenant: "tenant",
          stream: `snippet-${snippet}`,
          revision: 1,
          type: "VoteCast",
          schemaVersion: 1,
          commandId: id,
          correlationId: id,
          causationId: null,
          request: null,
          actor: { key: "key", user: "user", organization: "tenant" }
        })
      })
    )

    it.effect("answers a command that is given again as the first time", () =>
      Effect.gen(function* () {
        const snippet = randomUUID()
        const [upload, vote] = [randomUUID(), randomUUID()]
        const first = [yield* uploadSnippet(snippet, upload), yield* castVote(snippet, vote)]
        yield* castVote(snippet)
        const again = Effect.all([uploadSnippet(snippet, upload), castVote(snippet, vote)])
        assert.deepStrictEqual(yield* again, first)
        assert.deepStrictEqual(yield* Effect.provideService(again, Dispatcher, yield* another), first)
        assert.lengthOf(yield* log(`snippet-${snippet}`), 3)
        // and what comes after is decided on the stream as it is
        assert.strictEqual((yield* castVote(snippet))[0]!.revision, 3)
      })
    )

    it.effect("answers so also when it comes together with new ones", () =>
      Effect.gen(function* () {
        for (const dispatcher of [yield* Dispatcher, yield* another]) {
          const snippet = randomUUID()
          yield* uploadSnippet(snippet)
          const ids = upTo(5).map(() => randomUUID())
          const first = yield* Effect.forEach(ids, (id) => castVote(snippet, id))
          const mixed = yield* Effect.forEach(
            ids.flatMap((id) => [id, randomUUID()]),
            (id) => castVote(snippet, id),
            together
          ).pipe(Effect.provideService(Dispatcher, dispatcher))
          assert.deepStrictEqual(
            mixed.filter((_, n) => n % 2 === 0),
            first
          )
          const added = mixed.filter((_, n) => n % 2 === 1).flat()
          assert.sameMembers(
            added.map(({ revision }) => revision),
            [6, 7, 8, 9, 10]
          )
          assert.lengthOf(yield* log(`snippet-${snippet}`), 11)
        }
      })
    )

    it.effect("answers so also when it would refuse by now", () =>
      Effect.gen(function* () {
        const snippet = randomUUID()
        const [vote, removal] = [randomUUID(), randomUUID()]
        yield* uploadSnippet(snippet)
        const [voted] = yield* castVote(snippet, vote, 7)
        const removed = yield* deleteSnippet(snippet, removal)
        assert.lengthOf(removed, 1)
        for (const dispatcher of [yield* Dispatcher, yield* another]) {
          yield* Effect.gen(function* () {
            assert.deepStrictEqual(yield* deleteSnippet(snippet, removal), removed)
            // its text is gone since
            const [again] = yield* castVote(snippet, vote, 7)
            assert.deepStrictEqual(again, { ...voted!, event: { ...voted!.event, text: null } as never })
            const refusals = [yield* Effect.flip(deleteSnippet(snippet)), yield* Effect.flip(castVote(snippet))]
            for (const { _tag } of refusals) assert.strictEqual(_tag, "SnippetNotFound")
            assert.strictEqual((yield* Effect.flip(uploadSnippet(snippet)))._tag, "SnippetGone")
          }).pipe(Effect.provideService(Dispatcher, dispatcher))
        }
        assert.lengthOf(yield* log(`snippet-${snippet}`), 3)
      })
    )

    it.effect("carries a command out once, however many give it at once", () =>
      Effect.gen(function* () {
        const snippet = randomUUID()
        yield* uploadSnippet(snippet)
        const dispatchers = [yield* Dispatcher, yield* another]
        for (const give of [castVote, deleteSnippet]) {
          const id = randomUUID()
          const answers = yield* Effect.forEach(
            upTo(16),
            (n) => Effect.provideService(give(snippet, id), Dispatcher, dispatchers[n % 2]!),
            together
          )
          const [event] = (yield* log(`snippet-${snippet}`)).slice(-1)
          const position = event!.position
          for (const answer of answers)
            assert.deepStrictEqual(
              answer.map((one) => one.position),
              [position]
            )
        }
        assert.lengthOf(yield* log(`snippet-${snippet}`), 3)
      })
    )

    it.effect("does not make a refusal out of what was already so", () =>
      Effect.gen(function* () {
        const snippet = randomUUID()
        const id = randomUUID()
        yield* Effect.flip(castVote(snippet, id))
        yield* uploadSnippet(snippet)
        // a refusal is not kept: the same command may go through later
        assert.lengthOf(yield* castVote(snippet, id), 1)
      })
    )

    it.effect("records parallel commands of one stream each, without a gap", () =>
      Effect.gen(function* () {
        const snippet = randomUUID()
        yield* uploadSnippet(snippet)
        const answers = yield* Effect.forEach(upTo(64), (n) => castVote(snippet, undefined, n + 1), together)
        const stored = yield* log(`snippet-${snippet}`)
        assert.deepStrictEqual(
          stored.map(({ revision }) => revision),
          upTo(65)
        )
        assert.deepStrictEqual(
          answers.flat().sort((a, b) => a.revision - b.revision),
          told(stored.slice(1))
        )
        const counts = answers.map(([cast]) => cast!.event._tag === "VoteCast" && cast!.event.count)
        assert.deepStrictEqual(
          counts,
          upTo(64).map((n) => n + 1)
        )
      })
    )

    it.effect("loses, doubles and misjudges nothing between two processes", () =>
      Effect.gen(function* () {
        const dispatchers = [yield* Dispatcher, yield* another]
        for (const round of upTo(5)) {
          const snippet = randomUUID()
          yield* uploadSnippet(snippet)
          const ids = upTo(60).map(() => randomUUID())
          const voted = yield* Effect.forEach(
            ids,
            (id, n) =>
              (n === 20 + round * 7 ? deleteSnippet(snippet, id) : castVote(snippet, id)).pipe(
                Effect.provideService(Dispatcher, dispatchers[n % 2]!),
                Effect.exit
              ),
            { concurrency: 12 }
          )
          const stored = yield* log(`snippet-${snippet}`)
          assert.deepStrictEqual(
            stored.map(({ revision }) => revision),
            upTo(stored.length)
          )
          // nothing was taken after the deletion, and all before it was answered so
          assert.strictEqual(stored.at(-1)!.type, "SnippetDeleted")
          const answered = ids.filter((_, n) => Exit.isSuccess(voted[n]!))
          assert.sameMembers(
            stored.slice(1).map(({ commandId }) => commandId),
            answered
          )
          for (const exit of voted.filter(Exit.isFailure)) assert.include(JSON.stringify(exit.cause), "SnippetNotFound")
        }
      })
    )

    it.effect("looks again before it refuses what another process made possible", () =>
      Effect.gen(function* () {
        const [here, there] = [yield* Dispatcher, yield* another]
        const snippet = randomUUID()
        // both know the stream now, as empty
        yield* Effect.flip(castVote(snippet))
        yield* Effect.provideService(Effect.flip(castVote(snippet)), Dispatcher, there)
        yield* uploadSnippet(snippet)
        yield* Effect.provideService(castVote(snippet), Dispatcher, there)
        yield* Effect.provideService(deleteSnippet(snippet), Dispatcher, here)
        const refusal = yield* Effect.provideService(Effect.flip(castVote(snippet)), Dispatcher, there)
        assert.strictEqual(refusal._tag, "SnippetNotFound")
      })
    )

    it.effect("answers with what the first process made, though it would make another", () =>
      Effect.gen(function* () {
        const there = yield* another
        const organization = randomUUID()
        yield* register(organization)
        for (const user of ["eve", "max"]) {
          const id = randomUUID()
          // this one's fold ends right where the other's command goes
          const first = yield* Effect.provideService(createKey(organization, user, id), Dispatcher, there)
          assert.deepStrictEqual(yield* createKey(organization, user, id), first)
        }
        const stored = yield* log(`organization-${organization}`)
        assert.lengthOf(stored, 7)
      })
    )
  })

suite("memory", Layer.merge(MemoryEventStore.layer, Codec.layer))
suite("Postgres", freshStore)
