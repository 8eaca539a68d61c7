import zlib from "node:zlib"

/** zlib takes no smaller ones. */
const smallest = 64
/** What it takes unless told. */
const largest = 16 * 1024

/**
 * What zlib bytes hold, decompressed right here; `size`: about how many they are. The runtime reserves room by the piece, 16 KiB unless told,
 * and a small object would hold on to all of it for as long as it is kept.
 */
export const inflated = (bytes: Uint8Array, size: number): Buffer =>
  // one byte more: a piece that is full is followed by another one
  zlib.inflateSync(bytes, { chunkSize: Math.min(Math.max(size + 1, smallest), largest) })

/** As much as bytes hold that end before their stream does. */
export const inflatedStart = (bytes: Uint8Array): Buffer =>
  zlib.inflateSync(bytes, { finishFlush: zlib.constants.Z_SYNC_FLUSH, chunkSize: 512 })
