import { createHash } from "node:crypto"
import { pipeline, Readable } from "node:stream"
import zlib from "node:zlib"
import type { Sha } from "#ports/WorkspaceStore.ts"
import { Breath } from "../Breath.ts"
import { compress, mostAtOnce, pieceBytes, piecesOf } from "../objects/compressed.ts"
import { headOf, type ObjectType, objectName } from "../objects/object.ts"
import { objectSize, openObject, readObject } from "../objects/read.ts"
import { emptyTree } from "../objects/tree.ts"
import { type Needed, Unreadable } from "./needed.ts"

/** Where an object is in a pack. */
export interface Placed {
  readonly sha: Sha
  readonly crc: number
  readonly offset: number
}

const codes: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 }

/** The head of an entry: type and size, seven bits a byte from the second byte on. */
const entryHead = (type: ObjectType, size: number): Uint8Array => {
  const bytes: Array<number> = []
  let byte = (codes[type] << 4) | (size & 15)
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(byte | 0x80)
    byte = rest & 0x7f
  }
  bytes.push(byte)
  return Uint8Array.from(bytes)
}

async function* small(gitdir: string, { sha, type }: Needed): AsyncGenerator<Uint8Array> {
  const stored =
    (await readObject(gitdir, sha)) ?? (sha === emptyTree.sha ? { type, content: new Uint8Array() } : undefined)
  if (stored?.type !== type || objectName(type, stored.content) !== sha) throw new Unreadable(sha)
  yield entryHead(type, stored.content.length)
  yield await compress(new Uint8Array(), stored.content)
}

/** The same for an object that is too long to be in memory whole. */
async function* large(gitdir: string, { sha, type }: Needed, size: number): AsyncGenerator<Uint8Array> {
  const opened = await openObject(gitdir, sha)
  // stored as a delta, which is read whole
  if (opened === undefined) return yield* small(gitdir, { sha, type })
  const hash = createHash("sha1").update(headOf(type, size))
  const deflate = zlib.createDeflate({ level: 1, chunkSize: pieceBytes })
  const hashed = async function* () {
    for await (const piece of piecesOf(opened)) {
      hash.update(piece)
      yield piece
    }
  }
  let goesOn = false
  try {
    yield entryHead(type, size)
    goesOn = true
  } finally {
    // what closes the file otherwise has not begun yet
    if (!goesOn) await opened.file.close()
  }
  // the loop below throws when either stream fails
  pipeline(Readable.from(hashed()), deflate, () => {})
  for await (const piece of deflate as AsyncIterable<Uint8Array>) yield piece
  if (hash.digest("hex") !== sha) throw new Unreadable(sha)
}

/**
 * A pack of objects, piece by piece. Checks each object against its name. Adds where each one is to `placed`, and
 * returns the pack's own digest.
 */
export async function* packOf(
  gitdir: string,
  objects: ReadonlyArray<Needed>,
  placed: Array<Placed>
): AsyncGenerator<Uint8Array, Uint8Array> {
  const digest = createHash("sha1")
  const breath = new Breath()
  let offset = 0
  const out = (bytes: Uint8Array): Uint8Array => {
    digest.update(bytes)
    offset += bytes.length
    return bytes
  }
  const head = Buffer.alloc(12)
  head.write("PACK", "latin1")
  head.writeUInt32BE(2, 4)
  head.writeUInt32BE(objects.length, 8)
  yield out(head)
  for (const object of objects) {
    const start = offset
    let crc = 0
    const size = object.type === "blob" ? await objectSize(gitdir, object.sha) : 0
    if (size === undefined) throw new Unreadable(object.sha)
    for await (const piece of size > mostAtOnce ? large(gitdir, object, size) : small(gitdir, object)) {
      crc = zlib.crc32(piece, crc)
      yield out(piece)
    }
    placed.push({ sha: object.sha, crc, offset: start })
    await breath.take()
  }
  const own = digest.digest()
  yield own
  return own
}

/** The index (version 2) of a pack. */
export const indexOf = (placed: ReadonlyArray<Placed>, pack: Uint8Array): Uint8Array => {
  const sorted = placed.toSorted((a, b) => (a.sha < b.sha ? -1 : 1))
  const far = sorted.filter(({ offset }) => offset >= 0x80000000)
  const count = sorted.length
  const bytes = Buffer.alloc(8 + 256 * 4 + count * 28 + far.length * 8 + 40)
  bytes.writeUInt32BE(0xff744f63, 0)
  bytes.writeUInt32BE(2, 4)
  const [names, crcs, offsets] = [1032, 1032 + count * 20, 1032 + count * 24]
  const fans = new Array<number>(256).fill(0)
  let distant = 0
  for (const [place, { sha, crc, offset }] of sorted.entries()) {
    const first = Number.parseInt(sha.slice(0, 2), 16)
    fans[first] = place + 1
    bytes.write(sha, names + place * 20, "hex")
    bytes.writeUInt32BE(crc, crcs + place * 4)
    if (offset < 0x80000000) bytes.writeUInt32BE(offset, offsets + place * 4)
    else {
      bytes.writeUInt32BE(0x80000000 + distant, offsets + place * 4)
      bytes.writeBigUInt64BE(BigInt(offset), offsets + count * 4 + distant * 8)
      distant += 1
    }
  }
  let last = 0
  for (const [first, end] of fans.entries()) {
    last = Math.max(last, end)
    bytes.writeUInt32BE(last, 8 + first * 4)
  }
  bytes.set(pack, bytes.length - 40)
  bytes.set(
    createHash("sha1")
      .update(bytes.subarray(0, bytes.length - 20))
      .digest(),
    bytes.length - 20
  )
  return bytes
}
