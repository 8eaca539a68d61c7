import { Schema } from "effect"
import type { Steps } from "#engine/steps.ts"
import { Index } from "../Index.ts"
import type { Comparing } from "../Nearness.ts"
import type { TermsImage } from "../Postings.ts"
import type { Segment, SlotsImage } from "../Segment.ts"
import { Damaged, type Frame } from "./frames.ts"

/** The version of the frames' layout and meaning: a change of either needs another number. */
export const format = 3

/** What a snapshot says of itself. */
export const Head = Schema.Struct({
  /** Whose it is, by which rules it was made, and in which format. */
  of: Schema.String,
  /** How many numbers its vectors have. */
  dimensions: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 8_192 })),
  build: Schema.Finite,
  position: Schema.Finite,
  /** The id of the event that the log has at that position. */
  event: Schema.String,
  /** The ids of what the index could not take. */
  refused: Schema.Array(Schema.String),
  documents: Schema.Finite
})
export type Head = typeof Head.Type

const kinds = { head: 0x43524e31, segment: 1, slots: 2, terms: 3, end: 4 } as const

const toUtf8 = new TextEncoder()
const fromUtf8 = new TextDecoder()
const json = (value: unknown): Uint8Array => toUtf8.encode(JSON.stringify(value))
const fromJson = (part: Uint8Array): unknown => JSON.parse(fromUtf8.decode(part))
const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

const u16 = ({ buffer, byteOffset, byteLength }: Uint8Array) => new Uint16Array(buffer, byteOffset, byteLength / 2)
const u32 = ({ buffer, byteOffset, byteLength }: Uint8Array) => new Uint32Array(buffer, byteOffset, byteLength / 4)
const f32 = ({ buffer, byteOffset, byteLength }: Uint8Array) => new Float32Array(buffer, byteOffset, byteLength / 4)
const f64 = ({ buffer, byteOffset, byteLength }: Uint8Array) => new Float64Array(buffer, byteOffset, byteLength / 8)

const slotsFrame = (image: SlotsImage): Frame => {
  const { ids, agents, languages, profiles, vectors } = image
  return {
    kind: kinds.slots,
    parts: [
      json({ ids, agents, kinds: image.kinds, languages, room: vectors?.vectors ?? 0 }),
      ...[image.lengths, image.verdicts, image.completeness, image.humanUps, image.termCounts, image.terms].map(
        bytesOf
      ),
      ...[profiles.counts, profiles.hubs, profiles.characters, profiles.words].map(bytesOf),
      vectors?.bytes ?? new Uint8Array(0)
    ]
  }
}

const slotsIn = ([texts, ...parts]: ReadonlyArray<Uint8Array>): SlotsImage => {
  const { room, ...named } = fromJson(texts!) as Pick<SlotsImage, "ids" | "agents" | "kinds" | "languages"> & {
    readonly room: number
  }
  const [lengths, verdicts, completeness, humanUps, termCounts, terms, counts, hubs, characters, words, vectors] = parts
  return {
    ...named,
    lengths: u16(lengths!),
    verdicts: f64(verdicts!),
    completeness: f64(completeness!),
    humanUps: u32(humanUps!),
    termCounts: u32(termCounts!),
    terms: u32(terms!),
    profiles: { counts: u16(counts!), hubs: f32(hubs!), characters: u32(characters!), words: u32(words!) },
    vectors: room === 0 ? undefined : { vectors: room, bytes: vectors! }
  }
}

const termsFrame = ({ terms, lengths, words }: TermsImage): Frame => ({
  kind: kinds.terms,
  parts: [json(terms), bytesOf(lengths), bytesOf(words)]
})

const termsIn = ([terms, lengths, words]: ReadonlyArray<Uint8Array>): TermsImage => ({
  terms: fromJson(terms!) as ReadonlyArray<string>,
  lengths: u32(lengths!),
  words: u32(words!)
})

/** An index, frame by frame; each is valid until the next change. What has gone from it is in none of them. */
export function* framesOf(head: Head, index: Index): Generator<Frame> {
  yield { kind: kinds.head, parts: [json(head)] }
  for (const segment of index.segments()) {
    const { home, isPublic } = segment
    yield { kind: kinds.segment, parts: [json({ home, isPublic }), bytesOf(segment.profiles.frequencies)] }
    for (const image of segment.images()) yield slotsFrame(image)
    for (const image of segment.postings.images()) yield termsFrame(image)
  }
  yield { kind: kinds.end, parts: [] }
}

/** What the first frame says. Throws if it is not the head of a snapshot. */
export const headIn = ({ kind, parts }: Frame): Head => {
  if (kind !== kinds.head) throw new Damaged("it does not begin as a snapshot does")
  return Schema.decodeUnknownSync(Head)(fromJson(parts[0]!))
}

/** An index made of the frames behind the first one. Throws if they are not an index's. */
export class Restoring {
  readonly head: Head
  readonly index: Index
  #segment: Segment | undefined
  #home = ""
  #isPublic = false
  #ended = false

  constructor(head: Head, how: Comparing) {
    this.head = head
    this.index = new Index(this.head.dimensions, how)
  }

  /** Whether all frames have come. */
  get isWhole(): boolean {
    return this.#ended && this.index.size === this.head.documents
  }

  *taking({ kind, parts }: Frame): Steps<void> {
    if (this.#ended) throw new Damaged("there is something behind its end")
    if (kind === kinds.end) this.#ended = true
    else if (kind === kinds.segment) {
      const { home, isPublic } = fromJson(parts[0]!) as { readonly home: string; readonly isPublic: boolean }
      this.#home = home
      this.#isPublic = isPublic
      this.#segment = this.index.segment(home, isPublic)
      this.#segment.profiles.frequencies = u32(parts[1]!)
    } else if (kind === kinds.slots) yield* this.index.restore(this.#home, this.#isPublic, slotsIn(parts))
    else if (kind === kinds.terms) yield* this.#segment!.postings.restore(termsIn(parts))
    else throw new Damaged("there is a frame of a kind that is not known")
  }
}
