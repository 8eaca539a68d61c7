/**
 * Messages on a pipe, each: the length of all that follows and of its JSON (32 bits each, little-endian), the JSON, and
 * the bytes of a `Uint8Array` in it, of which a message has one at most. Nothing but JSON is ever interpreted.
 */
const header = 8
/** Of one message; a file of a workspace may be that large. */
const most = 1024 ** 3 + 1024 ** 2

const isPlace = (value: unknown) => typeof value === "object" && value !== null && "$bytes" in value

export const frame = (message: object): ReadonlyArray<Uint8Array> => {
  let bytes = new Uint8Array()
  const json = Buffer.from(
    JSON.stringify(message, function (this: { readonly [key: string]: unknown }, key, value) {
      // Not `value`, which a Buffer has turned into something else by now.
      const raw = this[key]
      if (!(raw instanceof Uint8Array)) return value
      bytes = raw as Uint8Array<ArrayBuffer>
      return { $bytes: true }
    })
  )
  const lengths = Buffer.alloc(header)
  lengths.writeUInt32LE(json.length + bytes.length, 0)
  lengths.writeUInt32LE(json.length, 4)
  return [lengths, json, bytes]
}

/** Takes chunks of the pipe as they come; throws on what is no frame. */
export const unframe = (onMessage: (message: unknown) => void): ((chunk: Uint8Array) => void) => {
  let chunks: Array<Uint8Array> = []
  let size = 0
  let needed = header
  return (chunk) => {
    chunks.push(chunk)
    size += chunk.length
    // Chunks of a large message are put together once, when it is whole.
    while (size >= needed) {
      const all =
        chunks.length === 1 ? Buffer.from(chunks[0]!.buffer, chunks[0]!.byteOffset, size) : Buffer.concat(chunks)
      const [length, jsonLength] = [all.readUInt32LE(0), all.readUInt32LE(4)]
      if (length > most || jsonLength > length) throw new Error("not a frame")
      chunks = [all]
      needed = header + length
      if (size < needed) break
      const json = all.subarray(header, header + jsonLength).toString()
      const bytes = new Uint8Array(all.subarray(header + jsonLength, needed))
      const rest = all.subarray(needed)
      chunks = [rest]
      size = rest.length
      needed = header
      onMessage(JSON.parse(json, (_, value) => (isPlace(value) ? bytes : value)))
    }
  }
}
