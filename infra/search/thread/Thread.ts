import { Worker } from "node:worker_threads"
import type { FromThread, ThreadData, ToThread } from "./protocol.ts"

export type Outcome =
  | { readonly type: "done"; readonly value: unknown }
  | { readonly type: "threw"; readonly where: string }
  /** The thread has gone, with all that it held. */
  | { readonly type: "lost"; readonly why: string }

export interface Call {
  readonly name: Extract<ToThread, { readonly type: "ask" }>["name"]
  readonly given: ReadonlyArray<unknown>
  /** Called once with the outcome, unless nobody waits for it any more. */
  readonly settle: (outcome: Outcome) => void
}

export interface ThreadOptions {
  readonly program: URL
  /** What the program is given when it begins. */
  readonly data: object
  /** Questions that the thread has at once. The others wait here, where they can be withdrawn. */
  readonly atOnce: number
  /** Milliseconds that the thread may be silent with work to do (ten times that at its start) before it is given up. */
  readonly patience: number
  /** Milliseconds between two starts, at least. */
  readonly pause: number
  /** Milliseconds in which the thread may keep what it holds before it is ended. If absent, it keeps nothing. */
  readonly ending?: number
  /** Which event the log has at a position, for a thread that asks. */
  readonly eventAt?: (position: number) => Promise<string | undefined>
  /** Takes a line that the thread has for the log. */
  readonly says?: (line: string, isWarning: boolean) => void
}

/** Looks into which `patience` is cut. A machine that slept has missed one at the most. */
const looks = 10
/** How many times as long the thread may take to start. */
const beginning = 10

/**
 * Whether the runtime ends a thread that is at work. Deno (2.9) says that it did, and lets the thread go on. If that
 * thread then ends itself, it spins for ever: so on Deno, a thread is only told to end.
 */
const endsAtWork = process.versions["deno"] === undefined
/**
 * With this many threads that were given up and are still at work, because they look nowhere, no other one is begun:
 * each of them takes a core.
 */
const mostLeft = 2

/** A thread that answers questions. It is begun when one comes, and begun anew after it has gone. */
export class Thread {
  readonly #options: ThreadOptions
  #worker: Worker | undefined
  /** Not 0 once the thread was given up. */
  #givenUp = new Int32Array(new SharedArrayBuffer(4))
  /** Threads that were given up and have not ended yet. */
  readonly #left = new Set<Worker>()
  #begunAt = Number.NEGATIVE_INFINITY
  #ended = false
  #next = 1
  #times = 0
  #size = 0
  #silent = 0
  /** What is to be sent once the thread listens; `undefined` as soon as it does. */
  #early: Array<[ToThread, ReadonlyArray<ArrayBuffer>]> | undefined
  #timer: ReturnType<typeof setInterval> | undefined
  readonly #waiting = new Set<Call>()
  readonly #asked = new Map<number, Call>()
  readonly #ids = new Map<Call, number>()

  constructor(options: ThreadOptions) {
    this.#options = options
  }

  /** How often the thread has gone, and lost what it held. */
  get lost(): number {
    return this.#times
  }

  /** How much the thread holds, as it last said. */
  get size(): number {
    return this.#size
  }

  /** Asks as soon as the thread has room for it. */
  ask(call: Call): void {
    this.#waiting.add(call)
    this.#assign()
  }

  /** Asks at once, behind what was sent before. */
  askNow(call: Call): void {
    if (this.#running() === undefined) {
      const isBusy = this.#left.size >= mostLeft
      const why = isBusy ? "threads that were given up are still at work" : "its thread begins anew"
      call.settle({ type: "lost", why })
      return
    }
    const id = this.#next++
    this.#asked.set(id, call)
    this.#ids.set(call, id)
    this.send({ type: "ask", id, name: call.name, given: call.given })
  }

  /** Sends something that is no question. If the thread has gone, it is lost. */
  send(message: ToThread, transfer: ReadonlyArray<ArrayBuffer> = []): void {
    const worker = this.#running()
    if (worker === undefined) return
    if (this.#early === undefined) worker.postMessage(message, transfer)
    else this.#early.push([message, transfer])
  }

  /** Says that nobody waits for a call any more. If the thread is at it, it gives up at its next step. */
  leave(call: Call): void {
    if (this.#waiting.delete(call)) return
    const id = this.#ids.get(call)
    if (id !== undefined) this.send({ type: "leave", id })
  }

  /** Begins the thread if there is none. */
  begin(): void {
    this.#running()
  }

  /** Ends the thread once it has kept what it may. What it was asked is never answered. */
  async end(): Promise<void> {
    this.#ended = true
    clearInterval(this.#timer)
    this.#waiting.clear()
    this.#asked.clear()
    this.#ids.clear()
    const { ending } = this.#options
    if (this.#worker !== undefined && this.#early === undefined && ending !== undefined)
      await this.#finished(this.#worker, ending)
    const worker = this.#worker
    this.#worker = undefined
    if (worker === undefined) return
    this.#tellToEnd(worker)
    if (endsAtWork) await worker.terminate()
  }

  /** Waits until the thread has ended by itself, or its time is over. */
  #finished(worker: Worker, ending: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ending)
      const ended = () => {
        clearTimeout(timer)
        resolve()
      }
      worker.once("exit", ended)
      worker.once("error", ended)
      worker.postMessage({ type: "finish" } satisfies ToThread)
    })
  }

  #assign(): void {
    for (const call of this.#waiting) {
      if (this.#asked.size >= this.#options.atOnce) return
      this.#waiting.delete(call)
      this.askNow(call)
    }
  }

  #running(): Worker | undefined {
    if (this.#worker !== undefined || this.#ended) return this.#worker
    const { program, data, pause, patience } = this.#options
    if (performance.now() - this.#begunAt < pause || this.#left.size >= mostLeft) return undefined
    this.#begunAt = performance.now()
    const givenUp = new SharedArrayBuffer(4)
    this.#givenUp = new Int32Array(givenUp)
    const workerData: ThreadData = { ...data, givenUp, beat: patience / looks }
    const worker = new Worker(program, { workerData })
    worker.on("message", (message: FromThread) => this.#receive(worker, message))
    worker.on("messageerror", () => this.#giveUp(worker, "its thread said what can't be read"))
    const ended = (how: string) => {
      this.#left.delete(worker)
      this.#gone(worker, `its thread has ended ${how}`)
    }
    // on either runtime, the thread then ends by itself
    worker.on("error", ({ name }: Error) => ended(`with a fault (${name})`))
    worker.on("exit", (code) => ended(`(${code})`))
    // a server keeps the process alive by itself; anything else need not wait for the thread
    worker.unref()
    this.#silent = 0
    this.#early = []
    this.#timer = setInterval(() => {
      if (this.#asked.size === 0) this.#silent = 0
      else if (++this.#silent > (this.#early === undefined ? looks : looks * beginning))
        this.#giveUp(worker, "its thread does not answer")
    }, patience / looks)
    this.#timer.unref()
    this.#worker = worker
    return worker
  }

  #receive(worker: Worker, message: FromThread): void {
    // a thread that was given up may still have said something
    if (worker !== this.#worker) return
    this.#silent = 0
    if (message.type === "ready") {
      for (const [early, transfer] of this.#early ?? []) worker.postMessage(early, transfer)
      this.#early = undefined
      return
    }
    if (message.type === "alive") return
    if (message.type === "says") {
      this.#options.says?.(message.line, message.isWarning)
      return
    }
    if (message.type === "asks") {
      void this.#tell(worker, message.id, message.position)
      return
    }
    const call = this.#asked.get(message.id)
    if (call === undefined) return
    this.#asked.delete(message.id)
    this.#ids.delete(call)
    if (message.type === "done") this.#size = message.size
    if (message.type !== "left") call.settle(message)
    this.#assign()
  }

  async #tell(worker: Worker, id: number, position: number): Promise<void> {
    const told = { type: "told", id } as const
    const message: ToThread = await (this.#options.eventAt?.(position) ?? Promise.reject()).then(
      (event) => ({ ...told, event, failed: false }),
      () => ({ ...told, event: undefined, failed: true })
    )
    if (worker === this.#worker) worker.postMessage(message)
  }

  #tellToEnd(worker: Worker): void {
    Atomics.store(this.#givenUp, 0, 1)
    worker.postMessage({ type: "end" } satisfies ToThread)
  }

  #giveUp(worker: Worker, why: string): void {
    if (worker !== this.#worker) return
    this.#left.add(worker)
    this.#tellToEnd(worker)
    if (endsAtWork) void worker.terminate()
    this.#gone(worker, why)
  }

  #gone(worker: Worker, why: string): void {
    if (worker !== this.#worker) return
    clearInterval(this.#timer)
    this.#worker = undefined
    this.#times++
    this.#size = 0
    const calls = [...this.#asked.values(), ...this.#waiting]
    this.#asked.clear()
    this.#ids.clear()
    this.#waiting.clear()
    for (const { settle } of calls) settle({ type: "lost", why })
  }
}
