import { setImmediate } from "node:timers"
import type { Fiber, Scheduler } from "effect"

/** Milliseconds that fibers, all together, run before the event loop looks at sockets and timers again. */
const stretch = 10

/** Operations of fibers between two looks at the clock: a power of two. A look costs about as much as an operation. */
const looks = 4

/** No fiber has it as its id. */
const none = -1

type Task = () => void

/** Tasks of one priority, in the order in which they came. */
class Line {
  readonly priority: number
  #tasks: Array<Task> = []
  #at = 0

  constructor(priority: number) {
    this.priority = priority
  }

  put(task: Task): void {
    this.#tasks.push(task)
  }

  take(): Task | undefined {
    const task = this.#tasks[this.#at]
    if (task === undefined) return undefined
    this.#at += 1
    // tasks that have run are let go, even while new ones keep coming
    if (this.#at === this.#tasks.length || this.#at === 1_024) {
      this.#tasks = this.#tasks.slice(this.#at)
      this.#at = 0
    }
    return task
  }
}

/** The clock, and how something is done once the event loop has gone round. */
export interface Means {
  /** Milliseconds since any fixed time. */
  readonly now: () => number
  /** Runs it when the event loop has gone round once. */
  readonly later: (run: () => void) => void
}

/**
 * Runs fibers a stretch at a time. Effect's own scheduler counts operations, and runs everything that waits before the
 * event loop goes on: 64 searches at once would be one stretch of work. Here, a fiber that is at work when the stretch
 * is over waits behind the others, and sockets and timers have their turn between two stretches. A single operation is
 * never interrupted: large pieces of work must be several operations.
 */
export class FairScheduler implements Scheduler.Scheduler, Scheduler.SchedulerDispatcher {
  readonly executionMode = "async"
  readonly #means: Means
  /** By priority, the lowest number first. */
  readonly #lines: Array<Line> = [new Line(0)]
  #waiting = 0
  /** Whether the event loop comes back here after its next round. */
  #comes = false
  #over = 0
  #asks = 0
  /**
   * Whether the next fiber is a stretch's first. It goes on, or nothing would move on a machine that stops for longer.
   */
  #first = false
  /** The id of the newest fiber that has begun: ids only grow. */
  #newest = 0
  /** The fiber that the last answer sent away, and at which of its operations. */
  #sent = none
  #sentAt = 0

  constructor(means: Means = { now: Date.now, later: setImmediate }) {
    this.#means = means
  }

  shouldYield({ id, currentOpCount, cache }: Fiber.Fiber<unknown, unknown>): boolean {
    if (currentOpCount >= cache.maxOpsBeforeYield) return true
    // a new fiber may have to announce itself before the fiber that began it goes on, as Effect's own scheduler lets
    // it: an MCP request that has not is taken for done once the end of its message is read
    if (currentOpCount === 1 && id > this.#newest) {
      this.#newest = id
      return false
    }
    // a fiber that asked of its own accord, and is about to give way (engine/pages.ts), would be sent away twice
    const isLeaving = id === this.#sent && currentOpCount === this.#sentAt + 1
    // only once: a fiber that others sent away may ask at that operation again and again, in steps
    this.#sent = none
    if (isLeaving) return false
    this.#asks = (this.#asks + 1) % looks
    // a woken fiber asks first, before it works on what it is given: one message may wake many
    const isFirst = currentOpCount === 1 || (currentOpCount === 2 && id === this.#newest)
    if (!((this.#asks === 0 || isFirst) && this.#isOver())) return false
    this.#sent = id
    this.#sentAt = currentOpCount
    return true
  }

  makeDispatcher(): Scheduler.SchedulerDispatcher {
    return this
  }

  scheduleTask(task: Task, priority: number): void {
    this.#line(priority).put(task)
    this.#waiting += 1
    this.#comeBack()
  }

  flush(): void {
    for (let task = this.#take(); task !== undefined; task = this.#take()) task()
  }

  #isOver(): boolean {
    const now = this.#means.now()
    if (!this.#comes) {
      // the first fiber that asks since the event loop went round
      this.#begin(now)
      this.#comeBack()
    }
    if (this.#first) {
      this.#first = false
      return false
    }
    return now >= this.#over
  }

  #begin(now: number): void {
    this.#over = now + stretch
    this.#first = true
  }

  #comeBack(): void {
    if (this.#comes) return
    this.#comes = true
    this.#means.later(this.#run)
  }

  /** Tasks that come meanwhile wait for the next run: a fiber that gives way lets sockets and timers come first. */
  readonly #run = (): void => {
    this.#begin(this.#means.now())
    let left = this.#waiting
    do {
      this.#take()?.()
      left -= 1
    } while (left > 0 && this.#means.now() < this.#over)
    this.#comes = false
    if (this.#waiting > 0) this.#comeBack()
  }

  #take(): Task | undefined {
    for (const line of this.#lines) {
      const task = line.take()
      if (task === undefined) continue
      this.#waiting -= 1
      return task
    }
    return undefined
  }

  #line(priority: number): Line {
    const known = this.#lines.find((line) => line.priority === priority)
    if (known !== undefined) return known
    const line = new Line(priority)
    this.#lines.push(line)
    this.#lines.sort((one, other) => one.priority - other.priority)
    return line
  }
}
