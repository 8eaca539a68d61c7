import { parseJson } from "#engine/parseJson.ts"

/**
 * A message on a pipe: the lengths of all that follows and of its head (32 bits each, little-endian), the head, then
 * its parts. The head is JSON `[message, parts]`, a part `[path, kind, bytes]`. Bytes and long texts are taken out of
 * the message, so that the JSON is small whatever the message carries. Nothing but JSON is ever interpreted.
 */
const lengths = 8
/** Characters of a text that stays in the head. */
const short = 4096
/** How deep in a message bytes and long texts are looked for. */
const deepest = 4

type Kind = "bytes" | "utf8" | "utf16"
type Path = ReadonlyArray<string | number>
type Part = readonly [path: Path, kind: Kind, bytes: number]

interface Taken {
  readonly parts: Array<Part>
  readonly contents: Array<Uint8Array>
}

const taken = (value: unknown, path: Path, into: Taken): unknown => {
  const take = (kind: Kind, bytes: Uint8Array) => {
    into.parts.push([path, kind, bytes.length])
    into.contents.push(bytes)
    return null
  }
  if (value instanceof Uint8Array) return take("bytes", value)
  if (typeof value === "string" && value.length > short) {
    // half a character is no UTF-8
    return value.isWellFormed() ? take("utf8", Buffer.from(value)) : take("utf16", Buffer.from(value, "utf16le"))
  }
  if (typeof value !== "object" || value === null || path.length === deepest) return value
  if (Array.isArray(value)) return value.map((item, index) => taken(item, [...path, index], into))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, taken(item, [...path, key], into)]))
}

/** A message as it goes over a pipe, in pieces: its length, its JSON, and its bytes as they are. */
export const frame = (message: object): ReadonlyArray<Uint8Array> => {
  const into: Taken = { parts: [], contents: [] }
  const head = Buffer.from(JSON.stringify([taken(message, [], into), into.parts]))
  const start = Buffer.alloc(lengths)
  start.writeUInt32LE(
    into.parts.reduce((sum, [, , bytes]) => sum + bytes, head.length),
    0
  )
  start.writeUInt32LE(head.length, 4)
  return [start, head, ...into.contents]
}

const contentOf = (kind: Kind, bytes: Buffer): unknown => {
  if (kind === "bytes") return new Uint8Array(bytes)
  return bytes.toString(kind === "utf8" ? "utf8" : "utf16le")
}

const put = (message: unknown, path: Path, content: unknown) => {
  let place = message as { [key: string | number]: unknown }
  for (const key of path.slice(0, -1)) {
    if (!Object.hasOwn(place, key)) throw new Error("not a frame")
    place = place[key] as typeof place
  }
  const last = path.at(-1)!
  if (!Object.hasOwn(place, last) || place[last] !== null) throw new Error("not a frame")
  Object.defineProperty(place, last, { value: content, enumerable: true, writable: true, configurable: true })
}

const messageOf = (body: Buffer, headLength: number): unknown => {
  const [message, parts] = parseJson(body.toString("utf8", 0, headLength)) as [unknown, ReadonlyArray<Part>]
  let at = headLength
  for (const [path, kind, bytes] of parts) {
    if (at + bytes > body.length) throw new Error("not a frame")
    put(message, path, contentOf(kind, body.subarray(at, at + bytes)))
    at += bytes
  }
  return message
}

/** Bytes that a frame may have, and its head: more ends the conversation. */
export interface FrameLimits {
  readonly frame: number
  readonly head: number
}

/** Takes chunks of the pipe as they come; throws on what is no frame within the limits. */
export const unframe = (limits: FrameLimits, onMessage: (message: unknown) => void): ((chunk: Uint8Array) => void) => {
  let chunks: Array<Uint8Array> = []
  let size = 0
  let needed = lengths
  return (chunk) => {
    chunks.push(chunk)
    size += chunk.length
    // Chunks of a large message are put together once, when it is whole.
    while (size >= needed) {
      const all =
        chunks.length === 1 ? Buffer.from(chunks[0]!.buffer, chunks[0]!.byteOffset, size) : Buffer.concat(chunks)
      const [length, headLength] = [all.readUInt32LE(0), all.readUInt32LE(4)]
      if (length > limits.frame || headLength > Math.min(limits.head, length)) throw new Error("not a frame")
      chunks = [all]
      needed = lengths + length
      if (size < needed) break
      const body = all.subarray(lengths, needed)
      const rest = all.subarray(needed)
      chunks = [rest]
      size = rest.length
      needed = lengths
      onMessage(messageOf(body, headLength))
    }
  }
}
