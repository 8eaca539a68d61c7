import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { currentVersion, type EventType, eventSchemas } from "#domain/events.ts"
import { positionOf } from "#engine/Position.ts"
import type { StoredEvent } from "#engine/ports/EventStore.ts"
import { saltedDigest } from "#engine/saltedDigest.ts"
import { decode, encode } from "#src/codec.ts"

/**
 * An event as some version of this service stored it. These files are never changed: what they stand for is in
 * people's logs. A changed event gets a further file, and its older ones an `event`: what they are read as now.
 */
interface Golden {
  readonly data: { readonly [field: string]: unknown }
  readonly text?: { readonly [field: string]: unknown }
  readonly event?: { readonly [field: string]: unknown }
}

const directory = join(import.meta.dirname, "golden")
const fileOf = (type: EventType, version: number) => `${type}.${version}.json`
const golden = (type: EventType, version: number): Golden =>
  JSON.parse(readFileSync(join(directory, fileOf(type, version)), "utf8"))

const utf8 = new TextEncoder()

const stored = (type: EventType, schemaVersion: number, { data, text }: Golden): StoredEvent => ({
  position: positionOf(7),
  tenant: "tenant",
  stream: "stream",
  revision: 3,
  eventId: "event",
  actor: { key: null, user: null, organization: null },
  commandId: "command",
  correlationId: "correlation",
  causationId: null,
  request: null,
  recordedAt: 1_700_000_000_000,
  type,
  schemaVersion,
  data: JSON.stringify(data),
  payload: text === undefined ? null : utf8.encode(JSON.stringify(text))
})

const types = Object.keys(eventSchemas) as Array<EventType>
const versions = (type: EventType) => Array.from({ length: currentVersion(type) }, (_, index) => index + 1)

describe.each(types)("%s", (type) => {
  it.each(versions(type))("is read from version %i", (version) => {
    const file = golden(type, version)
    const { data, text, event } = file
    const fields = text === undefined ? data : { ...data, text }
    const { event: read, ...envelope } = decode(stored(type, version, file))
    assert.deepStrictEqual(read as unknown, { _tag: type, ...(event ?? fields) })
    const { data: _data, payload, ...before } = stored(type, version, file)
    assert.deepStrictEqual(envelope, before)
  })

  it.each(versions(type))("is read from version %i without its text", (version) => {
    const file = golden(type, version)
    const { event } = decode({ ...stored(type, version, file), payload: null })
    if (file.text === undefined) assert.notProperty(event, "text")
    else assert.isNull((event as unknown as Golden)["text"])
  })

  it("is written as it is read", () => {
    const version = currentVersion(type)
    const file = golden(type, version)
    const { type: name, schemaVersion, data, payload } = encode(decode(stored(type, version, file)).event)
    assert.deepStrictEqual([name, schemaVersion], [type, version])
    const { text: digest, ...facts } = JSON.parse(data)
    const { text: _text, ...expected } = file.data
    assert.deepStrictEqual(facts, expected)
    if (file.text === undefined) {
      assert.isNull(payload)
      return assert.isUndefined(digest)
    }
    assert.deepStrictEqual(JSON.parse(new TextDecoder().decode(payload!.bytes)), file.text)
    assert.strictEqual(payload!.subject, file.data["subject"])
    assert.strictEqual(digest, saltedDigest(payload!.salt, payload!.bytes))
    // nothing that a caller typed is in the log
    assert.isAtMost(data.length, 64 * 1024)
  })
})

describe("the golden files", () => {
  it("are one for every version of every event", () => {
    const expected = types.flatMap((type) => versions(type).map((version) => fileOf(type, version)))
    assert.deepStrictEqual(readdirSync(directory).sort(), expected.sort())
  })

  it("say what their older versions are read as", () => {
    for (const type of types) {
      for (const version of versions(type).slice(0, -1))
        assert.property(golden(type, version), "event", fileOf(type, version))
    }
  })
})
