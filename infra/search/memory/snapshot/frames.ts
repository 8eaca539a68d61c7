import { crc32 } from "node:zlib"

/** A piece of a snapshot: its kind, and its bytes in some parts. */
export interface Frame {
  readonly kind: number
  readonly parts: ReadonlyArray<Uint8Array>
}

/** Something is not as it was written. */
export class Damaged extends Error {}

/** Bytes before a frame's parts: its kind, the number of its parts, the size of them all, and the checksum. */
const head = 16
const checked = 12

/** Bytes of a frame at the most: several times what snippets with the most terms make. */
const most = 64 * 1024 * 1024

const aligned = (bytes: number): number => Math.ceil(bytes / 8) * 8

/** The checksum of a frame. It covers all frames before it, too, so none can be left out or change places. */
const summed = (before: number, bytes: Uint8Array): number =>
  crc32(bytes.subarray(head), crc32(bytes.subarray(0, checked), before))

/** Writes frames, one after another. Numbers of more than a byte are in this machine's byte order. */
export class FrameWriter {
  #sum = 0

  bytesOf({ kind, parts }: Frame): Uint8Array<ArrayBuffer> {
    const lengths = aligned(4 * parts.length)
    const size = parts.reduce((sum, { byteLength }) => sum + aligned(byteLength), lengths)
    if (size > most) throw new Error("a frame is too long")
    const bytes = new Uint8Array(head + size)
    const numbers = new Uint32Array(bytes.buffer)
    numbers.set([kind, parts.length, size])
    let at = head + lengths
    for (const [place, part] of parts.entries()) {
      numbers[head / 4 + place] = part.byteLength
      bytes.set(part, at)
      at += aligned(part.byteLength)
    }
    this.#sum = summed(this.#sum, bytes)
    numbers[checked / 4] = this.#sum
    return bytes
  }
}

const partsOf = (bytes: Uint8Array<ArrayBuffer>): ReadonlyArray<Uint8Array<ArrayBuffer>> => {
  const numbers = new Uint32Array(bytes.buffer)
  const count = numbers[1]!
  let at = head + aligned(4 * count)
  return Array.from({ length: count }, (_, place) => {
    const length = numbers[head / 4 + place]!
    const part = bytes.subarray(at, at + length)
    at += aligned(length)
    return part
  })
}

/** Reads frames from this many bytes, which come piece by piece. Each part is aligned for numbers of any size. */
export class FrameReader {
  /** Bytes that have not come yet. */
  #left: number
  #sum = 0
  #head = new Uint8Array(head)
  #frame: Uint8Array<ArrayBuffer> | undefined
  #has = 0

  constructor(bytes: number) {
    this.#left = bytes
  }

  /** Whether all bytes have come and no frame is cut off. */
  get isWhole(): boolean {
    return this.#has === 0 && this.#left === 0
  }

  /** The frames that end in these bytes. Throws `Damaged`. */
  *read(bytes: Uint8Array): Generator<Frame> {
    for (let at = 0; at < bytes.length; ) {
      const into = this.#frame ?? this.#head
      const some = bytes.subarray(at, at + into.length - this.#has)
      into.set(some, this.#has)
      this.#has += some.length
      this.#left -= some.length
      at += some.length
      if (this.#has < into.length) return
      const frame = this.#frame ?? this.#begun()
      if (this.#has < frame.length) continue
      this.#frame = undefined
      this.#has = 0
      yield this.#whole(frame)
    }
  }

  #begun(): Uint8Array<ArrayBuffer> {
    const size = new Uint32Array(this.#head.buffer)[2]!
    if (size % 8 !== 0 || size > this.#left) throw new Damaged("a frame is longer than what is there")
    if (size > most) throw new Damaged("a frame is longer than any that is written")
    this.#frame = new Uint8Array(head + size)
    this.#frame.set(this.#head)
    return this.#frame
  }

  #whole(bytes: Uint8Array<ArrayBuffer>): Frame {
    this.#sum = summed(this.#sum, bytes)
    const numbers = new Uint32Array(bytes.buffer)
    if (numbers[checked / 4] !== this.#sum) throw new Damaged("a checksum is another")
    return { kind: numbers[0]!, parts: partsOf(bytes) }
  }
}
