import { createHmac } from "node:crypto"
import { uuidOf } from "#engine/derivedId.ts"

/** A derived id that nobody can compute without the secret, so that it gives away nothing about its parts. */
export const keyedId = (secret: string, ...parts: ReadonlyArray<string | number | null>): string => {
  const bytes = createHmac("sha256", secret).update(JSON.stringify(parts)).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return uuidOf(Buffer.from(bytes))
}

/** A keyed digest, 64 hexadecimal digits: comparable within one tenant, meaningless outside. */
export const keyedDigest = (secret: string, text: string | Uint8Array): string =>
  createHmac("sha256", secret).update(text).digest("hex")

/** `keyedDigest` of a text that comes in pieces, none of which ends within a character. */
export function* keyedDigesting(secret: string, pieces: Iterable<string>): Generator<void, string> {
  const hash = createHmac("sha256", secret)
  for (const piece of pieces) {
    hash.update(piece)
    yield
  }
  return hash.digest("hex")
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Whether a text has the form of a UUID in lower case, as all ids of this service. */
export const isId = (text: string): boolean => uuid.test(text)

/** A caller's text as an id, whatever its case (RFC 9562); `undefined` if it is not an id. */
export const idIn = (text: string): string | undefined => {
  const id = text.toLowerCase()
  return isId(id) ? id : undefined
}
