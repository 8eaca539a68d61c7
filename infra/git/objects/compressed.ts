import type fs from "node:fs"
import { pipeline, Readable } from "node:stream"
import zlib from "node:zlib"
import { Breath } from "../Breath.ts"

/** Bytes read, and bytes (de)compressed, at a time. */
export const pieceBytes = 64 * 1024

/**
 * Bytes (de)compressed without a break: a millisecond or two. Longer content goes piece by piece, with a breath after
 * each: Deno does all of zlib's work on this thread, even that of its asynchronous calls.
 */
export const mostAtOnce = 256 * 1024

/** git's own default for loose objects. */
const compression = { level: 1, chunkSize: pieceBytes }

const piecesIn = function* (bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

/** Compresses a head and the content that follows it. */
export const compress = async (head: Uint8Array, content: Uint8Array): Promise<Uint8Array> => {
  if (content.length <= mostAtOnce) return zlib.deflateSync(Buffer.concat([head, content]), compression)
  const source = function* () {
    yield head
    yield* piecesIn(content)
  }
  const deflate = zlib.createDeflate(compression)
  // the loop below throws when either stream fails
  pipeline(Readable.from(source()), deflate, () => {})
  const breath = new Breath()
  const parts: Array<Uint8Array> = []
  for await (const part of deflate as AsyncIterable<Uint8Array>) {
    parts.push(part)
    await breath.take()
  }
  return Buffer.concat(parts)
}

/** Bounds of the chunks that zlib makes: a small object that is kept would hold on to all of a larger chunk. */
const [smallestChunk, largestChunk] = [64, 16 * 1024]

/**
 * Decompresses bytes that become `about` so many, and ignores what follows them. `undefined`: they become more than
 * `most`, or `most` is more than `mostAtOnce`.
 */
export const decompressAtOnce = (bytes: Uint8Array, about: number, most = mostAtOnce): Buffer | undefined => {
  if (most > mostAtOnce) return undefined
  // one byte more: zlib begins another chunk after a full one
  const chunkSize = Math.min(Math.max(about + 1, smallestChunk), largestChunk)
  try {
    // zlib does not take 0
    return zlib.inflateSync(bytes, { chunkSize, maxOutputLength: Math.max(1, most) })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_BUFFER_TOO_LARGE") throw error
    return undefined
  }
}

/** The decompressed beginning of compressed bytes that are cut off. */
export const beginningOf = (bytes: Uint8Array): Buffer =>
  zlib.inflateSync(bytes, { finishFlush: zlib.constants.Z_SYNC_FLUSH, chunkSize: 512, maxOutputLength: mostAtOnce })

/** Where an object's compressed bytes begin in an open file, which stays readable when a repack removes it. */
export interface Compressed {
  readonly file: fs.promises.FileHandle
  readonly start: number
  /** Decompressed bytes in front of the content. */
  readonly head: number
  /** Bytes of the content. */
  readonly size: number
}

/**
 * An object's content piece by piece, each read when the caller asks for it. Closes the file, even when the caller
 * stops early. Throws when the content is longer or shorter than the object says.
 */
export const piecesOf = async function* (of: Compressed): AsyncGenerator<Uint8Array, void, undefined> {
  const { file, start } = of
  let { head, size } = of
  const inflate = zlib.createInflate({ chunkSize: pieceBytes })
  const breath = new Breath()
  try {
    const bytes = file.createReadStream({ highWaterMark: pieceBytes, autoClose: false, start })
    // when either stream fails, the other ends, and the loop below throws
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

/** All of an object's content. Closes the file. */
export const contentOf = async (of: Compressed): Promise<Buffer> => {
  const content = Buffer.allocUnsafe(of.size)
  let at = 0
  for await (const piece of piecesOf(of)) {
    content.set(piece, at)
    at += piece.length
  }
  return content
}
