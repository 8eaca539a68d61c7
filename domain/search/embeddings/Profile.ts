/** What the second stage of ranking needs of a snippet, beside what the first one has: `secondStage.ts`. */
export interface Profile {
  /**
   * Its pieces, each once, as numbers of the table's rows: first those of its name, then what its description adds, its
   * source, and the tasks that it was used for.
   */
  readonly pieces: Uint16Array
  /** How many of the pieces are of its name; of its name and description; of all but its tasks. */
  readonly named: number
  readonly told: number
  readonly own: number
  /** How near it is to everything, −1…1: see `HubBank`. */
  readonly hub: number
  /** Characters of its source. */
  readonly characters: number
}

/** The profile of a snippet of which nothing could be read. */
export const noProfile: Profile = { pieces: new Uint16Array(0), named: 0, told: 0, own: 0, hub: 0, characters: 0 }

/** Bytes before the pieces: a 32-bit float, a 32-bit and three 16-bit integers, all little-endian. */
const head = 14

/** A profile as base64 text, to store in a row; `""` if nothing of the snippet could be read. */
export const profileToText = ({ pieces, named, told, own, hub, characters }: Profile): string => {
  if (pieces.length === 0 && characters === 0) return ""
  const bytes = new DataView(new ArrayBuffer(head + 2 * pieces.length))
  bytes.setFloat32(0, hub, true)
  bytes.setUint32(4, characters, true)
  for (const [place, count] of [named, told, own].entries()) bytes.setUint16(8 + 2 * place, count, true)
  for (const [place, piece] of pieces.entries()) bytes.setUint16(head + 2 * place, piece, true)
  return Buffer.from(bytes.buffer).toString("base64")
}

/** The profile that `profileToText` wrote, from the bytes of that text; throws an `Error` for any others. */
export const profileIn = (bytes: DataView): Profile => {
  if (bytes.byteLength === 0) return noProfile
  if (bytes.byteLength < head || bytes.byteLength % 2 !== 0) throw new Error("this is no snippet's profile")
  const pieces = new Uint16Array((bytes.byteLength - head) / 2)
  for (let place = 0; place < pieces.length; place++) pieces[place] = bytes.getUint16(head + 2 * place, true)
  const [named, told, own] = [bytes.getUint16(8, true), bytes.getUint16(10, true), bytes.getUint16(12, true)]
  if (named > told || told > own || own > pieces.length) throw new Error("this is no snippet's profile")
  return { pieces, named, told, own, hub: bytes.getFloat32(0, true), characters: bytes.getUint32(4, true) }
}

/** The profile that `profileToText` wrote; throws an `Error` for any other text. */
export const profileOf = (text: string): Profile => {
  const bytes = Buffer.from(text, "base64")
  // text that is not base64 is not an empty profile
  if (text !== "" && bytes.length === 0) throw new Error("this is no snippet's profile")
  return profileIn(new DataView(bytes.buffer, bytes.byteOffset, bytes.length))
}
