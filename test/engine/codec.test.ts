import { assert, describe, it } from "@effect/vitest"
import { type DomainEvent, eventSchemas } from "#domain/events.ts"
import { SnippetEvent } from "#domain/Snippet/events.ts"
import { makeCodec, UnreadableEvent, type Upcast } from "#engine/codec.ts"
import { positionOf } from "#engine/Position.ts"
import type { StoredEvent } from "#engine/ports/EventStore.ts"
import { saltedDigest } from "#engine/saltedDigest.ts"
import { decode, decoding, encode, encoding } from "#src/codec.ts"
import { stored } from "#test/laws.ts"

const cast = SnippetEvent.cases.VoteCast.make({
  snippet: "s",
  value: 1,
  count: 2,
  source: "human",
  voter: "eve",
  request: null,
  subject: "snippet/s",
  text: { task: "a task", reason: null, origin: null }
})
const published = SnippetEvent.cases.SnippetPublished.make({ snippet: "s" })

describe("encoding", () => {
  it("puts what a caller typed beside the log, with a salted digest in it", () => {
    const { data, payload, ...head } = encode(cast)
    assert.deepStrictEqual(head, { type: "VoteCast", schemaVersion: 1, erases: [] })
    assert.strictEqual(payload!.subject, "snippet/s")
    assert.strictEqual(JSON.parse(data).text, saltedDigest(payload!.salt, payload!.bytes))
    assert.notInclude(data, "a task")
    assert.lengthOf(payload!.salt, 16)
  })

  it("salts each anew, so that the same text is not recognised", () =>
    assert.notStrictEqual(encode(cast).data, encode(cast).data))

  it("has no payload for an event without text", () => {
    const expected = { type: "SnippetPublished", schemaVersion: 1, data: '{"snippet":"s"}', payload: null, erases: [] }
    assert.deepStrictEqual(encode(published), expected)
  })

  it("takes back what was decoded, also when its text is erased", () => {
    const erased: DomainEvent = { ...cast, text: null }
    assert.isNull(encode(erased).payload)
    assert.deepStrictEqual(decode(stored(erased)).event, erased)
  })
})

describe("decoding", () => {
  it("gives the envelope and the event", () => {
    const { data, payload, ...envelope } = stored(cast)
    assert.deepStrictEqual(decode({ ...envelope, data, payload }), { ...envelope, event: cast })
  })

  const unreadable = (what: Partial<StoredEvent>, read = decode) => {
    const event = { ...stored(cast), position: positionOf(42), ...what }
    try {
      read(event)
    } catch (error) {
      assert.instanceOf(error, UnreadableEvent)
      assert.include(error.message, `event 42 (${event.type} version ${event.schemaVersion})`)
      assert.notInclude(error.message, "a task")
      return
    }
    assert.fail("was read")
  }

  it("says which event it can't read, and none of its text", () => {
    unreadable({ type: "SnippetPraised" })
    unreadable({ type: "toString" })
    unreadable({ type: "__proto__" })
    unreadable({ schemaVersion: 2 })
    unreadable({ data: "{" })
    unreadable({ data: "{}" })
    unreadable({ data: "null" })
    unreadable({ payload: new TextEncoder().encode('{"task":1}') })
  })
})

describe("an event that has changed twice", () => {
  // once it had `up` instead of `value`; then it counted once always, and its reason was called `why`
  const changes: ReadonlyArray<Upcast> = [
    ({ up, ...fields }) => ({ ...fields, value: up ? 1 : -1 }),
    ({ text, ...fields }) => {
      if (text === null) return { ...fields, count: 1, text }
      const { why, ...rest } = text as { why: string }
      return { ...fields, count: 1, text: { ...rest, reason: why } }
    }
  ]
  const { decode: read } = makeCodec<DomainEvent>({ schemas: eventSchemas, upcasts: { VoteCast: changes } })
  const fields = { snippet: "s", source: "human", voter: "eve", request: null, subject: "snippet/s", text: "digest" }
  const text = { task: "a task", why: "it works", origin: null }
  const old = (schemaVersion: number, facts: object, text: object | null): StoredEvent => ({
    ...stored(cast),
    schemaVersion,
    data: JSON.stringify({ ...fields, ...facts }),
    payload: text && new TextEncoder().encode(JSON.stringify(text))
  })
  const down = { ...cast, value: -1, count: 1, text: { task: "a task", reason: "it works", origin: null } } as const

  it("is read from each of its versions", () => {
    assert.deepStrictEqual(read(old(1, { up: false }, text)).event, down)
    assert.deepStrictEqual(read(old(2, { value: -1 }, text)).event, down)
    assert.deepStrictEqual(read(old(3, { value: -1, count: 1 }, down.text)).event, down)
  })

  it("keeps the version that it was stored with", () =>
    assert.strictEqual(read(old(1, { up: false }, text)).schemaVersion, 1))

  it("is read without its text too", () => {
    for (const [version, facts] of [
      [1, { up: false }],
      [2, { value: -1 }],
      [3, { value: -1, count: 1 }]
    ] as const) {
      assert.deepStrictEqual(read(old(version, facts, null)).event, { ...down, text: null })
    }
  })

  it("is not read from a version that is still to come", () =>
    assert.throws(() => read(old(4, { value: -1, count: 1 }, down.text)), UnreadableEvent))

  it("leaves others alone", () => assert.deepStrictEqual(read(stored(published)).event, published))
})

describe("a long text", () => {
  /** The result, and how many steps it took. */
  const counted = <A>(steps: Generator<void, A>): readonly [A, number] => {
    let count = 0
    for (;;) {
      const { done, value } = steps.next()
      if (done) return [value, count]
      count += 1
    }
  }
  const long: DomainEvent = {
    ...cast,
    text: { task: "\n".repeat(1_048_576), reason: `\u0000\ud83d${"字😀".repeat(50_000)}`, origin: null }
  }

  it("is written and read in many steps, as it would be on end", () => {
    const [written, steps] = counted(encoding(long))
    assert.isAtLeast(steps, 15)
    const { salt, bytes } = written.payload!
    assert.strictEqual(new TextDecoder().decode(bytes), JSON.stringify(long.text))
    assert.strictEqual(JSON.parse(written.data).text, saltedDigest(salt, bytes))
    const event = { ...stored(long), data: written.data, payload: bytes }
    const [read, more] = counted(decoding(event))
    assert.isAtLeast(more, 30)
    assert.deepStrictEqual(read.event, long)
    assert.deepStrictEqual(decode(event), read)
  })

  it("is another thing than many short ones: these take no step", () => {
    assert.strictEqual(counted(encoding(cast))[1], 0)
    assert.strictEqual(counted(decoding(stored(cast)))[1], 0)
  })

  it("that is cut off can't be read", () => {
    const event = stored(long)
    assert.throws(() => decode({ ...event, payload: event.payload!.subarray(0, -10) }), UnreadableEvent)
  })
})
