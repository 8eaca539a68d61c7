import { setImmediate } from "node:timers"
import type { Fiber, Scheduler } from "effect"

/**
 * Milliseconds that fibers run on end, all of them together, before the event loop looks at sockets and timers again.
 */
const stretch = 10

/** Operations of fibers between two looks at the clock, a power of two: a look costs about as much as one of them. */
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
    // what has run is let go, also while there is always more
    if (this.#at === this.#tasks.length || this.#at === 1_024) {
      this.#tasks = this.#tasks.slice(this.#at)
      this.#at = 0
    }
    return task
  }
}

/** The clock, and how something is done once the event loop has gone round. */
export interface Means {
  /** Milliseconds, from whatever beginning. */
  readonly now: () => number
  /** Runs it when the event loop has gone round once. */
  readonly later: (run: () => void) => void
}

/**
 * Runs fibers a stretch at a time. Effect's own scheduler counts operations, and runs everything that waits before the
 * event loop goes on: 64 searches at once would be one stretch of work. Here whoever is at work when the stretch is
 * over waits behind the others, and between two stretches everybody else is heard. What a single operation does stays
 * whole: large pieces of work are to be several operations.
 */
export class FairScheduler implements Scheduler.Scheduler, Scheduler.SchedulerDispatcher {
  readonly executionMode = "async"
  readonly #means: Means
  /** By priority, the lowest number first. */
  readonly #lines: Array<Line> = [new Line(0)]
  #waiting = 0
  /** Whether the event loop comes back here when it has gone round. */
  #comes = false
  #over = 0
  #asks = 0
  /**
   * Whoever is first in a stretch is not sent away, or nothing would move on a machine that stops for longer than one.
   */
  #first = false
  /** The latest fiber that has begun: their ids only grow. */
  #newest = 0
  /** The fiber that was sent away by the last answer, and at which of its operations. */
  #sent = none
  #sentAt = 0

  constructor(means: Means = { now: Date.now, later: setImmediate }) {
    this.#means = means
  }

  shouldYield({ id, currentOpCount, cache }: Fiber.Fiber<unknown, unknown>): boolean {
    if (currentOpCount >= cache.maxOpsBeforeYield) return true
    // a fiber that is begun may have to say so before whoever began it goes on, as it does by Effect's own scheduler: a
    // request of MCP that has not is taken for done when the end of its message is read
    if (currentOpCount === 1 && id > this.#newest) {
      this.#newest = id
      return false
    }
    // who asked of its own accord and is about to give way (engine/pages.ts) would be sent away twice
    const isLeaving = id === this.#sent && currentOpCount === this.#sentAt + 1
    // once: whoever was sent away by others may come to ask at that operation again and again, in steps
    this.#sent = none
    if (isLeaving) return false
    this.#asks = (this.#asks + 1) % looks
    // whoever is woken looks first, before it works on with what it is given: many may be, by one message
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
      // the first that is heard of since the event loop went round
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

  /** What comes meanwhile waits for the next time: whoever gives way lets sockets and timers come first. */
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
