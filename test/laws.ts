import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Arbitrary, Result, type Schema } from "effect"
import type { DomainEvent } from "#domain/events.ts"
import type { Decider } from "#engine/Decider.ts"
import { positionOf } from "#engine/Position.ts"
import { parseJson } from "#engine/parseJson.ts"
import type { StoredEvent } from "#engine/ports/EventStore.ts"
import { decode, encode } from "#src/codec.ts"

/** The event as a store would hold it, and give it back. */
export const stored = (event: DomainEvent, place = 0): StoredEvent => {
  const { payload, erases: _, ...written } = encode(event)
  return {
    position: positionOf(place + 1),
    tenant: "tenant",
    stream: "stream",
    revision: place,
    eventId: randomUUID(),
    actor: { key: null, user: null, organization: null },
    commandId: randomUUID(),
    correlationId: randomUUID(),
    causationId: null,
    request: null,
    recordedAt: 1_700_000_000_000 + place,
    ...written,
    payload: payload?.bytes ?? null
  }
}

/** JSON has no -0, and an object that was read from it has the usual prototype. */
const asRead = <A>(value: A): A => {
  if (Array.isArray(value)) return value.map(asRead) as A
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).map(([key, field]) => [key, asRead(field)])
    return Object.fromEntries(fields) as A
  }
  return Object.is(value, -0) ? (0 as A) : value
}

/** What holds of every decider, on any history, be it one that its own commands could lead to or not. */
export const laws = <C, E extends DomainEvent, S, R>(
  decider: Decider<C, E, S, R>,
  event: Schema.Codec<E, unknown>,
  commands: ReadonlyArray<C>
) => {
  const history = Arbitrary.array(Arbitrary.schema(event), { maxLength: 12 })
  const options = { arbitrary: { runs: 60 } }
  const fold = (events: ReadonlyArray<E>) => events.reduce(decider.evolve, decider.initial)
  const read = (events: ReadonlyArray<StoredEvent>) => events.map((event) => decode(event).event as E)

  it.prop(
    "events survive storage",
    [history],
    ([events]) => assert.deepStrictEqual(read(events.map(stored)), asRead(events)),
    options
  )

  it.prop(
    "what is stored can be sent on: it has no text of a caller, and the text is beside it",
    [history],
    ([events]) => {
      for (const event of events) {
        const { data, payload } = encode(event)
        const facts = JSON.parse(data) as Record<string, unknown>
        if (!("text" in event) || event.text === null) assert.isNull(payload)
        else {
          assert.match(facts["text"] as string, /^[0-9a-f]{64}$/)
          assert.deepStrictEqual(parseJson(new TextDecoder().decode(payload!.bytes)), asRead(event.text))
          assert.strictEqual(payload!.subject, (event as { subject: string }).subject)
        }
      }
    },
    options
  )

  it.prop(
    "an erased text is null, and every history folds without its texts",
    [history],
    ([events]) => {
      const erased = read(events.map(stored).map((event) => ({ ...event, payload: null })))
      for (const [index, event] of erased.entries()) {
        const before = asRead(events[index]!)
        assert.deepStrictEqual(event, "text" in before ? { ...before, text: null } : before)
      }
      // nothing is decided on what can be erased
      assert.deepStrictEqual(fold(erased), fold(asRead(events)))
    },
    options
  )

  it.prop(
    "the same command in the same state leads to the same, and changes neither",
    [history],
    ([events]) => {
      for (const command of commands) {
        const state = fold(events)
        const before = structuredClone([command, state])
        const first = decider.decide(command, state)
        assert.deepStrictEqual(decider.decide(command, state), first)
        assert.deepStrictEqual(decider.decide(structuredClone(command), fold(events)), first)
        assert.deepStrictEqual(structuredClone([command, state]), before)
        // and what it leads to can be stored, and folded
        if (Result.isSuccess(first)) {
          assert.deepStrictEqual(read(first.success.map(stored)), asRead(first.success))
          first.success.reduce(decider.evolve, state)
          assert.deepStrictEqual(structuredClone(state), before[1])
        }
      }
    },
    options
  )
}
