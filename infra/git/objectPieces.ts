import type fs from "node:fs"
import { pipeline } from "node:stream"
import zlib from "node:zlib"

/** Bytes that are read, and about those that are decompressed, at a time. */
export const pieceBytes = 64 * 1024

/** Where an object's compressed bytes are in a file that is open, and so stays readable when a repack removes it. */
export interface Compressed {
  readonly file: fs.promises.FileHandle
  readonly start: number
  /** The last byte; `undefined`: that of the file. */
  readonly end: number | undefined
  /** Decompressed bytes in front of the content. */
  readonly head: number
}

/** An object's content piece by piece, each read when it is asked for. Closes the file, also when it is left before its end. */
export const piecesOf = async function* (of: Compressed): AsyncGenerator<Uint8Array, void, undefined> {
  const { file, start, end } = of
  let { head } = of
  const inflate = zlib.createInflate({ chunkSize: pieceBytes })
  try {
    const bytes = file.createReadStream({
      highWaterMark: pieceBytes,
      autoClose: false,
      start,
      ...(end === undefined ? {} : { end })
    })
    // what fails in one of them ends the other, and is thrown below
    pipeline(bytes, inflate, () => {})
    for await (const chunk of inflate as AsyncIterable<Uint8Array>) {
      const content = chunk.subarray(Math.min(head, chunk.length))
      head -= chunk.length - content.length
      if (content.length > 0) yield content
    }
  } finally {
    inflate.destroy()
    await file.close().catch(() => {})
  }
}
