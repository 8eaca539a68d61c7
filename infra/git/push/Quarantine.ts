import { randomBytes } from "node:crypto"
import fs from "node:fs"
import { PushRefused } from "#ports/PushIntake.ts"
import type { Sha } from "#ports/WorkspaceStore.ts"
import { publish, syncDirectory } from "../../durableFs.ts"
import { lastWords } from "../../lastWords.ts"
import { type NativeGit, startGit } from "../native/git.ts"
import { incoming } from "../repositories.ts"

/** Bytes that git may allocate in one piece: the size that a delta claims to become is not believed. */
const mostAtOnce = 256 * 1024 * 1024
/** Bytes of git's output that are kept. */
const usuallySaid = 64 * 1024 * 1024
const mostComplaint = 4_096

/** The deltas of a small pack may claim to become gigabytes, one after another, and git unpacks each. */
const tooMuch = "it takes more of the processor than a push may"
const tooLarge = "the pack is larger than may be pushed at once"
const brokenOff = "the pack ends too early"
/** Somebody else ended it: the system, say, because of its memory. */
const ended = "git was ended while it looked at it; push again"

interface Said {
  /** `null`: git did not end by itself, or said more than is kept. */
  readonly code: number | null
  readonly out: Buffer
  /** The beginning of its stderr. */
  readonly complaint: string
}

/** Pushed objects beside a repository, on the same disk. The repository has none of them; git reads both. */
export class Quarantine {
  readonly objects: string
  readonly #git: NativeGit
  readonly #gitdir: string
  readonly #processor: number
  readonly #mostSaid: number

  /** `processor`: seconds of processor time for each of git's processes. `mostSaid`: bytes of what each may print. */
  constructor(git: NativeGit, directory: string, gitdir: string, processor: number, mostSaid = usuallySaid) {
    this.#git = git
    this.#gitdir = gitdir
    this.#processor = processor
    this.#mostSaid = mostSaid
    this.objects = `${directory}/${incoming}${randomBytes(8).toString("hex")}`
    fs.mkdirSync(`${this.objects}/pack`, { recursive: true, mode: 0o700 })
  }

  /**
   * Writes a pack to a file as it arrives, and gives the file's path. Calls `came` with the bytes so far. Rejects with
   * `PushRefused` when the pack has more than `most` bytes or its sender goes away, with the system's error when the
   * disk fails.
   */
  async receive(
    pack: AsyncIterable<Uint8Array>,
    most: number,
    came: (bytes: number) => void,
    signal: AbortSignal
  ): Promise<string> {
    const path = `${this.objects}/sent`
    // opened first: if that fails, nothing has to be undone, and no promise rejects unheard
    const file = await fs.promises.open(path, "wx", 0o600)
    let bytes = 0
    const pieces = pack[Symbol.asyncIterator]()
    /** Listens to the signal for each piece anew: a promise that outlasts the pieces would hold them all. */
    const next = async () => {
      const givenUp = Promise.withResolvers<never>()
      const stop = () => givenUp.reject(signal.reason)
      if (signal.aborted) stop()
      else signal.addEventListener("abort", stop)
      const piece = pieces.next().catch(() => {
        throw new PushRefused({ reason: brokenOff })
      })
      try {
        return await Promise.race([piece, givenUp.promise])
      } finally {
        signal.removeEventListener("abort", stop)
      }
    }
    try {
      for (;;) {
        const piece = await next()
        if (piece.done === true) return path
        bytes += piece.value.length
        came(bytes)
        if (bytes > most) throw new PushRefused({ reason: tooLarge })
        await file.writeFile(piece.value)
      }
    } finally {
      // not awaited: a sender that stands still would hold it up for ever
      pieces.return?.().catch(() => {})
      await file.close()
    }
  }

  /**
   * Runs git. It is killed when the signal aborts or its output is longer than `mostSaid`. Rejects with `PushRefused`
   * when it uses up its processor time, or somebody else ends it, and with the system's error when it can't be started.
   * `input`: a text, or the stream of a file.
   */
  ask(args: ReadonlyArray<string>, signal: AbortSignal, input?: string | fs.ReadStream): Promise<Said> {
    return new Promise((resolve, reject) => {
      const child = startGit(this.#git, this.#gitdir, args, {
        environment: {
          GIT_OBJECT_DIRECTORY: this.objects,
          GIT_ALTERNATE_OBJECT_DIRECTORIES: `${this.#gitdir}/objects`,
          GIT_ALLOC_LIMIT: String(mostAtOnce)
        },
        low: true,
        processor: this.#processor
      })
      let stopped = false
      const stop = () => {
        stopped = true
        child.kill("SIGKILL")
      }
      if (signal.aborted) stop()
      signal.addEventListener("abort", stop, { once: true })
      const chunks: Array<Buffer> = []
      let bytes = 0
      let complaint = ""
      child.stdout.on("data", (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > this.#mostSaid) stop()
        else chunks.push(chunk)
      })
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        complaint = (complaint + text).slice(0, mostComplaint)
      })
      child.once("error", (error) => {
        signal.removeEventListener("abort", stop)
        reject(error)
      })
      child.once("close", (code, endedBy) => {
        signal.removeEventListener("abort", stop)
        if (endedBy === "SIGXCPU") reject(new PushRefused({ reason: tooMuch }))
        else if (endedBy !== null && !stopped) reject(new PushRefused({ reason: ended }))
        // git may have ended well before it could be killed: the end of its output was in the pipe still
        else resolve({ code: bytes > this.#mostSaid ? null : code, out: Buffer.concat(chunks), complaint })
      })
      if (input === undefined || typeof input === "string") lastWords(child.stdin, input)
      else {
        for (const over of ["close", "error"]) child.once(over, () => input.destroy())
        // git would wait for the rest of its input
        input.once("error", (error) => {
          reject(error)
          stop()
        })
        input.once("end", () => lastWords(child.stdin))
        input.pipe(child.stdin, { end: false })
      }
    })
  }

  /** What git prints when it succeeds; rejects with `PushRefused` and the reason when it does not. */
  async need(args: ReadonlyArray<string>, signal: AbortSignal, reason: string, input?: string): Promise<Buffer> {
    const { code, out } = await this.ask(args, signal, input)
    if (code !== 0) throw new PushRefused({ reason })
    return out
  }

  /**
   * Replaces the pack that was sent by one that git makes of what `to` needs beside `from`. The sent one may hold
   * objects that nothing reaches: a later repack would write out each at the full size that it claims.
   */
  async narrow(from: Sha, to: Sha, signal: AbortSignal): Promise<void> {
    const folder = `${this.objects}/pack`
    const sent = fs.readdirSync(folder)
    const settings = ["-c", "pack.threads=1", "-c", "pack.windowMemory=64m"]
    const packing = ["pack-objects", "-q", "--revs", "--delta-base-offset", `${folder}/pack`]
    const wanted = `${to}\n^${from}\n`
    const made = await this.need([...settings, ...packing], signal, "what is pushed can't be packed", wanted)
    const name = `pack-${made.toString("latin1").trim()}.`
    for (const other of sent) if (!other.startsWith(name)) fs.rmSync(`${folder}/${other}`)
  }

  /** Moves its packs into the repository, each index after its pack, so that nobody finds one without the other. */
  async keep(): Promise<void> {
    const folder = `${this.#gitdir}/objects/pack`
    const names = fs.readdirSync(`${this.objects}/pack`)
    const order = ["pack", "rev", "idx"]
    const rank = (name: string) => order.indexOf(name.split(".").at(-1)!)
    const kept = names.filter((name) => rank(name) >= 0).sort((a, b) => rank(a) - rank(b))
    for (const name of kept) publish(`${this.objects}/pack/${name}`, `${folder}/${name}`)
    await syncDirectory(folder)
  }

  remove(): Promise<void> {
    return fs.promises.rm(this.objects, { recursive: true, force: true })
  }
}
