import { JsonReader } from "./json.ts"

/** Characters or bytes that one step reads. */
const stretch = 65_536

/**
 * Reads our own JSON, UTF-8 bytes or a string, in steps of 64 Ki, so that other work can have its turn between them.
 * Its texts may hold anything. Throws `JsonFault`.
 */
export function* jsonInSteps(source: Uint8Array | string): Generator<void, unknown> {
  const reader = new JsonReader({ depth: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY, anyText: true })
  for (let at = 0; at < source.length; at += stretch) {
    if (typeof source === "string") reader.writeText(source.slice(at, at + stretch))
    else reader.write(source.subarray(at, at + stretch))
    yield
  }
  return reader.end()
}
