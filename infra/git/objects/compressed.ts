import type fs from "node:fs"
import { pipeline, Readable } from "node:stream"
import zlib from "node:zlib"
import { Breath } from "../Breath.ts"

/** Bytes that are read, and those that are (de)compressed, at a time. */
export const pieceBytes = 64 * 1024

/**
 * Bytes that are (de)compressed on end, a millisecond or two. What is longer goes piece by piece, with a breath between
 * two: Deno does all of zlib's work on this thread, what is called asynchronous too.
 */
export const mostAtOnce = 256 * 1024

/** git's own default for loose objects. */
const compression = { level: 1, chunkSize: pieceBytes }

const piecesIn = function* (bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

/** Compresses a head and what follows it. */
export const compress = async (head: Uint8Array, content: Uint8Array): Promise<Uint8Array> => {
  if (content.length <= mostAtOnce) return zlib.deflateSync(Buffer.concat([head, content]), compression)
  const source = function* () {
    yield head
    yield* piecesIn(content)
  }
  const deflate = zlib.createDeflate(compression)
  // what fails in one of them is thrown by the other below
  pipeline(Readable.from(source()), deflate, () => {})
  const breath = new Breath()
  const parts: Array<Uint8Array> = []
  for await (const part of deflate as AsyncIterable<Uint8Array>) {
    parts.push(part)
    await breath.take()
  }
  return Buffer.concat(parts)
}

/**
 * The pieces that zlib makes, as small and as large as they may be: a small object would hold on to all of its piece
 * while it is kept.
 */
const [smallestChunk, largestChunk] = [64, 16 * 1024]

/**
 * Decompresses what is `about` so long; what follows the compressed bytes is left alone. `undefined`: it is longer than
 * `most`, or than what is done on end.
 */
export const decompressAtOnce = (bytes: Uint8Array, about: number, most = mostAtOnce): Buffer | undefined => {
  if (most > mostAtOnce) return undefined
  // one byte more: a piece that is full is followed by another one
  const chunkSize = Math.min(Math.max(about + 1, smallestChunk), largestChunk)
  try {
    // none at all is no length that zlib takes
    return zlib.inflateSync(bytes, { chunkSize, maxOutputLength: Math.max(1, most) })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_BUFFER_TOO_LARGE") throw error
    return undefined
  }
}

/** What the beginning of compressed bytes begins with. */
export const beginningOf = (bytes: Uint8Array): Buffer =>
  zlib.inflateSync(bytes, { finishFlush: zlib.constants.Z_SYNC_FLUSH, chunkSize: 512, maxOutputLength: mostAtOnce })

/** Where an object's compressed bytes begin in a file that is open, and so stays readable when a repack removes it. */
export interface Compressed {
  readonly file: fs.promises.FileHandle
  readonly start: number
  /** Decompressed bytes in front of the content. */
  readonly head: number
  /** Bytes of the content. */
  readonly size: number
}

/**
 * An object's content piece by piece, each read when it is asked for. Closes the file, also when it is left before its
 * end.
 */
export const piecesOf = async function* (of: Compressed): AsyncGenerator<Uint8Array, void, undefined> {
  const { file, start } = of
  let { head, size } = of
  const inflate = zlib.createInflate({ chunkSize: pieceBytes })
  const breath = new Breath()
  try {
    const bytes = file.createReadStream({ highWaterMark: pieceBytes, autoClose: false, start })
    // what fails in one of them ends the other, and is thrown below
    pipeline(bytes, inflate, () => {})
    for await (const chunk of inflate as AsyncIterable<Uint8Array>) {
      const content = chunk.subarray(Math.min(head, chunk.length))
      head -= chunk.length - content.length
      size -= content.length
      if (size < 0) throw new Error("an object is longer than it says")
      if (content.length > 0) yield content
      await breath.take()
    }
    if (size > 0) throw new Error("an object is shorter than it says")
  } finally {
    inflate.destroy()
    await file.close().catch(() => {})
  }
}

/** All of it. */
export const contentOf = async (of: Compressed): Promise<Buffer> => {
  const content = Buffer.allocUnsafe(of.size)
  let at = 0
  for await (const piece of piecesOf(of)) {
    content.set(piece, at)
    at += piece.length
  }
  return content
}
