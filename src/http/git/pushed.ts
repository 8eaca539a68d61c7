import { Stream } from "effect"

/** A client's request to move a ref. Forty zeros stand for no commit. */
export interface RefUpdate {
  readonly from: string
  readonly to: string
  readonly ref: string
}

/** A request to move refs, up to its pack, which is read as it is asked for. */
export interface PushRequest {
  readonly updates: ReadonlyArray<RefUpdate>
  readonly capabilities: ReadonlyArray<string>
  readonly pack: AsyncIterable<Uint8Array>
  /** Reads the rest of the pack, so that its sender comes to read the answer. */
  readonly drain: () => Promise<void>
}

/** The body is not a push as git makes it. */
export class MalformedPush extends Error {
  override readonly name = "MalformedPush"
}

/** The most refs of one push: more than in any push that is accepted. */
const mostUpdates = 100
/** The most commits at which the shallow clone of one push ends. */
const mostShallow = 10_000
const shallowLine = /^shallow [0-9a-f]{40}\n?$/
/** The most bytes that are read of a refused push. */
const mostDrained = 512 * 1024 * 1024
const updateLine = /^([0-9a-f]{40}) ([0-9a-f]{40}) ([^\0\n]{1,1000})(?:\0([^\n]{0,2000}))?\n?$/

/** Reads exactly as many bytes as are asked for, and keeps the rest for the next read. */
class Reader {
  readonly #chunks: AsyncIterator<Uint8Array>
  #held: Buffer = Buffer.alloc(0)

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#chunks = bytes[Symbol.asyncIterator]()
  }

  async take(count: number): Promise<Buffer> {
    while (this.#held.length < count) {
      const { done, value } = await this.#chunks.next()
      if (done === true) throw new MalformedPush("it ends too early")
      this.#held = Buffer.concat([this.#held, value])
    }
    const taken = this.#held.subarray(0, count)
    this.#held = this.#held.subarray(count)
    return taken
  }

  async drain(): Promise<void> {
    for (let bytes = 0; bytes < mostDrained; ) {
      const { done, value } = await this.#chunks.next()
      if (done === true) return
      bytes += value.length
    }
  }

  async *rest(): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.#held.length > 0) yield this.#held
    this.#held = Buffer.alloc(0)
    for (;;) {
      const { done, value } = await this.#chunks.next()
      if (done === true) return
      yield value
    }
  }
}

/** Reads the lines that come before a pack; throws `MalformedPush`. */
export const readPush = async (body: AsyncIterable<Uint8Array>): Promise<PushRequest> => {
  const reader = new Reader(body)
  const updates: Array<RefUpdate> = []
  let capabilities: ReadonlyArray<string> = []
  let shallow = 0
  for (;;) {
    const head = (await reader.take(4)).toString("latin1")
    if (head === "0000") return { updates, capabilities, pack: reader.rest(), drain: () => reader.drain() }
    const length = /^[0-9a-f]{4}$/.test(head) ? Number.parseInt(head, 16) : 0
    if (length < 5 || updates.length === mostUpdates) throw new MalformedPush("a line has no length")
    const text = (await reader.take(length - 4)).toString("utf8")
    // what a shallow clone lacks is here, or the push is refused because it is missing
    if (updates.length === 0 && shallowLine.test(text)) {
      if (++shallow > mostShallow) throw new MalformedPush("its clone ends at too many commits")
      continue
    }
    const line = updateLine.exec(text)
    if (line === null) throw new MalformedPush("a line says nothing of a ref")
    const [, from = "", to = "", ref = "", said] = line
    if (said !== undefined) capabilities = said.trim().split(" ")
    updates.push({ from, to, ref })
  }
}

/** A line as git's protocols write it. */
export const packetLine = (text: string | Uint8Array): Buffer => {
  const bytes = Buffer.from(text as string)
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, "0"), "latin1"), bytes])
}
const flush = Buffer.from("0000", "latin1")

/** The capabilities that a client may use; the service has no others of git's. */
const offered = "report-status side-band-64k quiet ofs-delta object-format=sha1 agent=cairn"

/** The answer of `info/refs` to a client that wants to push. */
export const advertised = (head: string): Stream.Stream<Uint8Array> =>
  Stream.make(
    packetLine("# service=git-receive-pack\n"),
    flush,
    packetLine(`${head} refs/heads/main\0${offered}\n`),
    flush
  )

/** The most bytes of a side band's packet. */
const mostInBand = 65_000

/** Git's report on each ref. `refused` gives the reason; `undefined`: the ref was moved. */
export const report = (
  { updates, capabilities }: Pick<PushRequest, "updates" | "capabilities">,
  refused: (update: RefUpdate) => string | undefined
): Uint8Array => {
  const lines = updates.map((update) => {
    const reason = refused(update)
    return packetLine(reason === undefined ? `ok ${update.ref}\n` : `ng ${update.ref} ${oneLine(reason)}\n`)
  })
  const said = Buffer.concat([packetLine("unpack ok\n"), ...lines, flush])
  if (!capabilities.includes("side-band-64k")) return said
  const packets: Array<Buffer> = []
  for (let at = 0; at < said.length; at += mostInBand) {
    packets.push(packetLine(Buffer.concat([Buffer.of(1), said.subarray(at, at + mostInBand)])))
  }
  return Buffer.concat([...packets, flush])
}

const oneLine = (reason: string) =>
  reason
    .replace(/[\s\p{Cc}]+/gu, " ")
    .slice(0, 300)
    .toWellFormed()
