import { assert, it } from "@effect/vitest"
import { Effect, Layer, PubSub } from "effect"
import type { DomainEvent } from "#domain/events.ts"
import { OrganizationEvent } from "#domain/Organization/events.ts"
import { RetrievalEvent, searchSubject } from "#domain/Retrieval.ts"
import { SnippetEvent } from "#domain/Snippet/events.ts"
import { derivedId } from "#engine/derivedId.ts"
import type { Position } from "#engine/Position.ts"
import { type Projection, schemaOf } from "#engine/Projection.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import { bring, Projector } from "#engine/project.ts"
import { Learned } from "#projections/Learned.ts"
import { Retrievals } from "#projections/Retrievals.ts"
import { encode } from "#src/codec.ts"
import { Learning } from "#src/snippets/learning.ts"
import { embeddings } from "#test/embeddings.ts"
import { catalogue, projector, uploaded } from "./catalogue.ts"

const tenant = "tenant"

const searched = (query: string) =>
  RetrievalEvent.cases.SearchAnswered.make({
    home: tenant,
    snippets: ["s"],
    scores: [0.5],
    total: 1,
    cacheHit: false,
    subject: searchSubject("searches", ["s"]),
    text: { query }
  })

const voted = (voter: string) =>
  SnippetEvent.cases.VoteCast.make({
    snippet: "s",
    value: 1,
    count: 1,
    source: "human",
    voter,
    request: null,
    subject: "snippet/s",
    text: { task: null, reason: null, origin: null }
  })

/** Appends an event of somebody to a stream; gives its position. */
const happened = Effect.fnUntraced(function* (stream: string, user: string, event: DomainEvent) {
  const { append, head } = yield* EventStore
  const actor = { key: null, user, organization: null }
  const id = derivedId(stream, user, event._tag)
  const command = { commandId: id, correlationId: id, causationId: null, actor, request: null, events: [encode(event)] }
  yield* append({ tenant, stream, expected: "any", commands: [command] })
  return yield* head
})

const read = Effect.fnUntraced(function* (projection: Projection, to: Position) {
  yield* bring(yield* (yield* ReadModels).live(projection), to)
  yield* PubSub.publish((yield* Projector).moved, schemaOf(projection))
})

/** Who has voted, of the votes that count. */
const voters = Effect.map(Learning, ({ votesFor }) =>
  Array.from(votesFor({ homes: [tenant], includePublic: false }), ({ bloc }) => bloc)
)

it.live("votes of who was erased do not come back while what searches showed is read from the beginning", () =>
  Effect.gen(function* () {
    yield* happened("snippet-s", "kim", uploaded("s", "def s(): pass"))
    for (const user of ["ada", "bob"]) {
      yield* happened("searches", user, searched(`sort numbers for ${user}`))
      yield* happened("snippet-s", user, voted(user))
    }
    const before = yield* (yield* EventStore).head
    const erased = OrganizationEvent.cases.MemberErased.make({ user: "ada", subject: "user/ada" })
    const end = yield* happened(tenant, "kim", erased)
    // a version that was raised is live while it is built; the other read model is done
    yield* read(Learned, end)
    yield* read(Retrievals, before)
    yield* Effect.gen(function* () {
      yield* (yield* Learning).reach(Number(end))
      assert.deepStrictEqual(yield* voters, [])
      yield* read(Retrievals, end)
      while ((yield* voters).length === 0) yield* Effect.sleep(5)
      assert.deepStrictEqual(yield* voters, ["tenant/bob"])
      // who votes after that is not waited for
      yield* happened("searches", "cleo", searched("sort numbers for cleo"))
      const last = yield* happened("snippet-s", "cleo", voted("cleo"))
      yield* read(Learned, last)
      yield* read(Retrievals, last)
      while ((yield* voters).length < 2) yield* Effect.sleep(5)
      assert.sameMembers(yield* voters, ["tenant/bob", "tenant/cleo"])
    }).pipe(Effect.provide(Learning.layer))
  }).pipe(Effect.provide(Layer.mergeAll(projector, embeddings).pipe(Layer.provideMerge(catalogue))))
)
