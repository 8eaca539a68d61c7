import { type ConfinedProcess, type Confinement, startConfined } from "../confined/start.ts"
import type { FromWorker } from "./protocol.ts"
import { Queue, type QueueLimits, type Waiting } from "./Queue.ts"
import { Trust } from "./Trust.ts"

export type Outcome =
  | { readonly type: "done"; readonly value: unknown }
  | { readonly type: "gaveUp"; readonly reason: "time" | "memory" }
  /** `where`: in what code. */
  | { readonly type: "threw"; readonly where: string }

export interface Job extends Waiting {
  readonly name: string
  readonly args: ReadonlyArray<unknown>
  /** Milliseconds that it may take. */
  readonly within: number
  /** Called once, with how the job ended. */
  readonly settle: (outcome: Outcome) => void
}

export interface PoolOptions {
  readonly confinement: Confinement
  readonly queue: QueueLimits
  /** Processes at once. */
  readonly processes: number
  /** Milliseconds until a process has loaded what it needs, on a machine that is busy with everything else. */
  readonly patienceToStart: number
  /** Milliseconds after which a process that nobody needed ends. */
  readonly idle: number
  /** Most jobs of one process, and most bytes that it may hold after one: then another process takes its place. */
  readonly mostJobs: number
  readonly mostMemory: number
}

interface Worker {
  readonly process: ConfinedProcess
  ready: boolean
  /** The job that it does, or will do when it is ready. */
  job: Job | undefined
  jobs: number
  timer: ReturnType<typeof setTimeout> | undefined
}

/** Worker processes, started when there is work and ended when there was none for a while. */
export class Pool {
  readonly #options: PoolOptions
  readonly #queue: Queue<Job>
  readonly #workers = new Set<Worker>()
  /** Jobs whose process died once: a second death is the job's doing. */
  readonly #triedAgain = new WeakSet<Job>()
  readonly #trust = new Trust()
  #ended = false

  constructor(options: PoolOptions) {
    this.#options = options
    this.#queue = new Queue(options.queue)
  }

  /** Adds a job; false: there is no room. Calls `settle` once, unless the job is removed before. */
  add(job: Job): boolean {
    if (!this.#queue.add(job)) return false
    this.#assign()
    return true
  }

  /** Removes a job that waits. A job at work goes on to its end, or until its time is over. */
  remove(job: Job): void {
    this.#queue.remove(job)
  }

  /** Kills all processes; jobs that wait are never settled. */
  async end(): Promise<void> {
    this.#ended = true
    await Promise.all([...this.#workers].map((worker) => this.#drop(worker)))
  }

  #assign(): void {
    while (!this.#ended && this.#queue.hasNext()) {
      const worker = [...this.#workers].find(({ job }) => job === undefined) ?? this.#start()
      if (worker === undefined) return
      worker.job = this.#queue.take()
      if (worker.ready) this.#begin(worker)
    }
  }

  #start(): Worker | undefined {
    const { processes, confinement, patienceToStart } = this.#options
    if (this.#workers.size >= processes) return undefined
    const child = startConfined(
      confinement,
      (message) => this.#receive(worker, message as FromWorker),
      () => this.#died(worker)
    )
    const worker: Worker = { process: child, ready: false, job: undefined, jobs: 0, timer: undefined }
    this.#workers.add(worker)
    this.#within(worker, patienceToStart, () => this.#died(worker))
    return worker
  }

  #begin(worker: Worker): void {
    const { owner, name, args, within } = worker.job!
    this.#within(worker, this.#trust.within(owner, within), () => {
      this.#trust.gaveUp(owner)
      void this.#drop(worker)
      this.#settle(worker.job!, { type: "gaveUp", reason: "time" })
    })
    worker.jobs++
    worker.process.send({ job: name, args })
  }

  #receive(worker: Worker, message: FromWorker): void {
    if (message.type === "ready") {
      worker.ready = true
      if (worker.job !== undefined) this.#begin(worker)
      return
    }
    const { job } = worker
    if (job === undefined) return
    const { mostJobs, mostMemory } = this.#options
    // after a fault nobody knows what state it left
    const isSpent = message.type === "threw" || worker.jobs >= mostJobs || message.memory > mostMemory
    if (isSpent) void this.#drop(worker)
    else this.#rest(worker)
    worker.job = undefined
    this.#settle(job, message)
  }

  #settle(job: Job, outcome: Outcome): void {
    this.#queue.finished(job)
    job.settle(outcome)
    this.#assign()
  }

  #died(worker: Worker): void {
    const { job, ready } = worker
    void this.#drop(worker)
    if (job === undefined || this.#ended) return
    if (this.#triedAgain.has(job)) {
      const noStart = { type: "threw", where: "a worker process can't be started" } as const
      this.#settle(job, ready ? { type: "gaveUp", reason: "memory" } : noStart)
    } else {
      // nobody knows what ended it: the job gets a second try
      this.#triedAgain.add(job)
      this.#start()!.job = job
    }
  }

  #rest(worker: Worker): void {
    this.#within(worker, this.#options.idle, () => void this.#drop(worker))
    worker.timer?.unref()
  }

  #within(worker: Worker, duration: number, then: () => void): void {
    clearTimeout(worker.timer)
    worker.timer = setTimeout(then, duration)
  }

  #drop(worker: Worker): Promise<void> {
    clearTimeout(worker.timer)
    this.#workers.delete(worker)
    return worker.process.kill()
  }
}
