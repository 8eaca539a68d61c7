import { randomUUID } from "node:crypto"
import { assert, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { beginning, type Position, positionOf } from "#engine/Position.ts"
import { EventStore, type ReadAll, type StoredEvent } from "#engine/ports/EventStore.ts"
import { command, fresh, noted, plain, revisions, to, typed, upTo } from "./appends.ts"
import { whole } from "./whole.ts"

/** Everything after a position, in small pieces. */
export const rest = Effect.fnUntraced(function* (after: Position, types?: ReadonlyArray<string>) {
  const store = yield* whole
  const seen: Array<StoredEvent> = []
  for (;;) {
    const page = yield* store.readAll(seen.at(-1)?.position ?? after, { limit: 7, ...(types && { types }) })
    if (page.length === 0) return seen
    seen.push(...page)
  }
})

export const strictlyIncrease = (events: ReadonlyArray<StoredEvent>): void => {
  for (const [index, event] of events.entries()) {
    if (index > 0) assert.isAbove(event.position, events[index - 1]!.position)
  }
}

/** The part of the contract that is about reading what all streams hold. */
export const reading = (it: Vitest.MethodsNonLive<EventStore>) => {
  it.effect("reads on from any position, of the types asked for", () =>
    Effect.gen(function* () {
      const { append, readAll, head } = yield* whole
      const before = yield* head
      const types = ["A", "B", "C"]
      for (const n of upTo(30))
        yield* append(to(fresh(), "any", [command({ events: [noted({ type: types[n % 3]! })] })]))
      const all = yield* rest(before)
      assert.lengthOf(all, 30)
      const wanted = all.filter(({ type }) => type !== "B")
      assert.deepStrictEqual(yield* readAll(before, { types: ["A", "C"], limit: 8 }), wanted.slice(0, 8))
      assert.deepStrictEqual(yield* rest(before, ["A", "C"]), wanted)
      assert.deepStrictEqual(yield* readAll(all[10]!.position), all.slice(11))
      assert.deepStrictEqual(yield* readAll(before, { types: [] }), [])
      assert.deepStrictEqual(yield* readAll(before, { types: ["D"] }), [])
    })
  )

  it.effect("knows the event at a position", () =>
    Effect.gen(function* () {
      const { append, eventAt, head } = yield* EventStore
      const stream = fresh()
      for (const _ of upTo(3)) yield* append(to(stream, "any", [command({ events: [noted(), noted()] })]))
      const events = (yield* rest(beginning)).filter((event) => event.stream === stream)
      assert.lengthOf(events, 6)
      for (const { position, eventId } of events) assert.strictEqual(yield* eventAt(position), eventId)
      assert.isUndefined(yield* eventAt(beginning))
      assert.isUndefined(yield* eventAt(positionOf((yield* head) + 1)))
    })
  )

  it.effect("reads what one key or person of the tenant did, and of others nothing by who it was", () =>
    Effect.gen(function* () {
      const { append, readAll } = yield* whole
      const { newest, head } = yield* EventStore
      const [before, stream, tenant] = [yield* head, fresh(), fresh("tenant")]
      const [key, user, stranger] = [fresh("key"), fresh("user"), fresh("user")]
      const by = [
        { key, user, organization: tenant },
        { key: fresh("key"), user, organization: tenant },
        { key: fresh("key"), user: stranger, organization: fresh("tenant") },
        { key: null, user: null, organization: null }
      ]
      for (const n of upTo(12)) yield* append(to(stream, "any", [command({ actor: by[n % 4]! })], tenant))
      const all = yield* readAll(before, { tenant })
      const of = (places: ReadonlyArray<number>) => all.filter((_, place) => places.includes(place % 4))
      assert.deepStrictEqual(yield* readAll(before, { tenant, actor: key }), of([0]))
      assert.deepStrictEqual(yield* readAll(before, { tenant, actor: user }), of([0, 1]))
      assert.deepStrictEqual(yield* readAll(before, { tenant, stream, actor: user, limit: 3 }), of([0, 1]).slice(0, 3))
      assert.deepStrictEqual(yield* readAll(before, { tenant, actor: stranger }), [])
      assert.deepStrictEqual(
        yield* newest({ tenant, actor: user, limit: 4 }),
        of([0, 1])
          .map(({ position }) => position)
          .slice(-4)
          .reverse()
      )
      assert.deepStrictEqual(yield* newest({ tenant, stream, actor: stranger, limit: 4 }), [])
    })
  )

  it.effect("reads what followed from one request, wherever it is", () =>
    Effect.gen(function* () {
      const { append, readAll } = yield* whole
      const { head } = yield* EventStore
      const [before, tenant] = [yield* head, fresh("tenant")]
      const [id, other] = [randomUUID(), randomUUID()]
      yield* append(to(fresh(), "any", [command()], tenant))
      const [first, second] = [fresh(), fresh()]
      yield* append(to(first, "any", [command({ commandId: other, correlationId: other })], tenant))
      yield* append(
        to(first, "any", [command({ commandId: id, correlationId: id, events: [noted(), noted()] })], tenant)
      )
      yield* append(to(first, "any", [command({ correlationId: other, causationId: randomUUID() })], tenant))
      yield* append(to(second, "any", [command({ correlationId: id, causationId: randomUUID() })], tenant))
      yield* append(to(first, "any", [command({ correlationId: id })], tenant))
      yield* append(to(fresh(), "any", [command({ correlationId: id })]))
      const all = yield* readAll(before, { tenant })
      const wanted = all.filter(({ correlationId }) => correlationId === id)
      assert.lengthOf(wanted, 4)
      assert.deepStrictEqual(yield* readAll(before, { tenant, correlation: id }), wanted)
      assert.deepStrictEqual(yield* readAll(before, { tenant, correlation: id, limit: 2 }), wanted.slice(0, 2))
      assert.deepStrictEqual(yield* readAll(wanted[1]!.position, { tenant, correlation: id }), wanted.slice(2))
      assert.deepStrictEqual(
        yield* readAll(before, { tenant, stream: first, correlation: id }),
        wanted.filter(({ stream }) => stream === first)
      )
      assert.deepStrictEqual(yield* readAll(before, { tenant, correlation: randomUUID() }), [])
    })
  )

  it.effect("finds the newest events, of those that are asked for, from the end or from a position", () =>
    Effect.gen(function* () {
      const { append, newest, head } = yield* EventStore
      const [before, stream, tenant] = [yield* head, fresh(), fresh("tenant")]
      for (const n of upTo(20))
        yield* append(
          to(
            n % 2 === 0 ? stream : fresh(),
            "any",
            [command({ events: [noted({ type: n % 3 === 0 ? "A" : "B" })] })],
            tenant
          )
        )
      const all = (yield* rest(before)).filter((event) => event.tenant === tenant)
      const last = (count: number, which: (event: StoredEvent) => boolean = () => true) =>
        all
          .filter(which)
          .map(({ position }) => position)
          .slice(-count)
          .reverse()
      assert.deepStrictEqual(yield* newest({ tenant, limit: 5 }), last(5))
      assert.deepStrictEqual(yield* newest({ limit: 3 }), last(3))
      assert.deepStrictEqual(yield* newest({ tenant, limit: 100 }), last(100))
      assert.deepStrictEqual(
        yield* newest({ tenant, types: ["A"], limit: 4 }),
        last(4, ({ type }) => type === "A")
      )
      assert.deepStrictEqual(
        yield* newest({ tenant, stream, limit: 4 }),
        last(4, (event) => event.stream === stream)
      )
      const middle = all[9]!.position
      assert.deepStrictEqual(
        yield* newest({ tenant, limit: 4, before: middle }),
        last(4, ({ position }) => position < middle)
      )
      assert.deepStrictEqual(
        yield* newest({ tenant, stream, limit: 3, before: middle }),
        last(3, (event) => event.stream === stream && event.position < middle)
      )
      assert.deepStrictEqual(yield* newest({ tenant: fresh("tenant"), limit: 5 }), [])
      assert.deepStrictEqual(yield* newest({ tenant, types: [], limit: 5 }), [])
      assert.deepStrictEqual(yield* newest({ tenant, limit: 5, before: all[0]!.position }), [])
    })
  )

  it.effect("reads only what requests led to, for who asks for that", () =>
    Effect.gen(function* () {
      const { append, readAll, head } = yield* whole
      const [before, stream, tenant] = [yield* head, fresh(), fresh("tenant")]
      const requests = upTo(12).map((n) =>
        n % 3 === 0 ? { digest: fresh("digest"), n, fingerprint: n === 0 ? "of the body" : null } : null
      )
      for (const [n, request] of requests.entries()) {
        const events = [noted({ type: n < 6 ? "A" : "B", payload: typed(fresh("subject")) }), noted()]
        yield* append(to(n % 2 === 0 ? stream : fresh(), "any", [command({ request, events })], tenant))
      }
      const asked = requests.filter((request) => request !== null)
      const of = (events: ReadonlyArray<StoredEvent>) => events.map(({ request }) => request)
      assert.deepStrictEqual(of(yield* readAll(before, { requested: true })), asked)
      assert.deepStrictEqual(of(yield* readAll(before, { requested: true, types: ["B"] })), asked.slice(2))
      assert.deepStrictEqual(
        of(yield* readAll(before, { requested: true, stream, factsOnly: true })),
        asked.filter(({ n }) => n % 2 === 0)
      )
      assert.deepStrictEqual(of(yield* readAll(before, { tenant, limit: 3 })), [requests[0], null, null])
    })
  )

  it.effect("reads events without their texts for who has no use of them", () =>
    Effect.gen(function* () {
      const { append, readAll, head } = yield* whole
      const before = yield* head
      const text = (length: number) => typed(fresh("subject"), new Uint8Array(length).fill(97))
      const events = [noted({}), noted({ payload: text(10) }), noted({ payload: text(700_000) })]
      const stream = fresh()
      for (const event of events) yield* append(to(stream, "any", [command({ events: [event] })]))
      const withTexts = yield* rest(before)
      assert.deepStrictEqual(
        withTexts.map(({ payload }) => payload?.length),
        [undefined, 10, 700_000]
      )
      const facts = withTexts.map((event) => ({ ...event, payload: null }))
      assert.deepStrictEqual(yield* readAll(before, { factsOnly: true }), facts)
      assert.deepStrictEqual(yield* readAll(before, { factsOnly: true, stream }), facts)
    })
  )

  it.effect("tells whose events of which types lie behind a position, and where they end", () =>
    Effect.gen(function* () {
      const { append, since, head } = yield* EventStore
      const before = yield* head
      assert.deepStrictEqual(yield* since(before), { head: before, kinds: [] })
      const kind = (tenant: string, type: string) => ({ tenant, type })
      const at = (place: number) => ({ ...appended[place]!, last: all[place]!.position })
      const appended = [kind("one", "A"), kind("one", "B"), kind("two", "A"), kind("one", "A")]
      for (const { tenant, type } of appended)
        yield* append(to(fresh(), "any", [command({ events: [noted({ type })] })], tenant))
      const all = yield* rest(before)
      const { kinds, head: end } = yield* since(before)
      assert.sameDeepMembers([...kinds], [at(1), at(2), at(3)])
      assert.strictEqual(end, all.at(-1)!.position)
      assert.deepStrictEqual(yield* since(all[2]!.position), { head: all[3]!.position, kinds: [at(3)] })
    })
  )

  it.effect("shows a reader each event once and in order while others write", () =>
    Effect.gen(function* () {
      const { append, readAll, head } = yield* whole
      const before = yield* head
      const shared = fresh("shared")
      const writer = Effect.forEach(upTo(60), (n) =>
        append(to(n % 3 === 0 ? shared : fresh(), "any", [command({ events: [noted(), noted()] })]))
      )
      const seen: Array<StoredEvent> = []
      const reader = Effect.gen(function* () {
        while (seen.length < 8 * 60 * 2) seen.push(...(yield* readAll(seen.at(-1)?.position ?? before, { limit: 50 })))
      })
      yield* Effect.all([reader, ...upTo(8).map(() => writer)], { concurrency: "unbounded" })
      strictlyIncrease(seen)
      assert.deepStrictEqual(plain(seen), plain(yield* rest(before)))
      assert.deepStrictEqual(revisions(seen.filter(({ stream }) => stream === shared)), upTo(8 * 20 * 2))
    })
  )

  it.effect("reads what belongs to a tenant or a stream, of some types", () =>
    Effect.gen(function* () {
      const { append, readAll, head } = yield* whole
      const before = yield* head
      const [mine, theirs] = [fresh("tenant"), fresh("tenant")]
      const [one, two, three] = [fresh(), fresh(), fresh()]
      const both = () => [command({ events: [noted({ type: "A" }), noted({ type: "B" })] })]
      for (const _ of upTo(3)) {
        yield* append(to(one, "any", both(), mine))
        yield* append(to(two, "any", both(), mine))
        yield* append(to(three, "any", both(), theirs))
      }
      const all = yield* rest(before)
      const where = (keep: (event: StoredEvent) => boolean) => all.filter(keep)
      const read = (options: ReadAll) => readAll(before, options)
      assert.deepStrictEqual(
        yield* read({ tenant: mine }),
        where(({ tenant }) => tenant === mine)
      )
      assert.deepStrictEqual(
        yield* read({ stream: two }),
        where(({ stream }) => stream === two)
      )
      // from wherever the reader comes, also from another stream's event
      for (const { position } of all) {
        const behind = where((event) => event.stream === two && event.position > position)
        assert.deepStrictEqual(yield* readAll(position, { stream: two }), behind)
        assert.deepStrictEqual(yield* readAll(position, { stream: two, limit: 2 }), behind.slice(0, 2))
      }
      const some = { types: ["B"], tenant: mine, stream: one }
      assert.deepStrictEqual(
        yield* read(some),
        where(({ stream, type }) => stream === one && type === "B")
      )
      assert.deepStrictEqual(yield* read({ tenant: theirs, stream: one }), [])
      const third = where(({ tenant, type }) => tenant === mine && type === "A")
      assert.deepStrictEqual(yield* read({ types: ["A"], tenant: mine, limit: 3 }), third.slice(0, 3))
      assert.deepStrictEqual(yield* readAll(third[2]!.position, { types: ["A"], tenant: mine }), third.slice(3))
    })
  )
}
