import type { HookEvent } from "./events.ts"

/** Events that are remembered: more than tools that run at the same time. */
const mostTimes = 100
/** Milliseconds that an event may take to get here: a busy machine tells late of what has ended. */
const latest = 2_000

/** A tool's event in the course of its session. */
export interface Moment {
  /** When the tool began, and when its event came: milliseconds since 1970. */
  readonly from: number
  readonly now: number
  /** The folder in which it began. */
  readonly folder: string
}

/** When the events of a session came, and where each left its agent. */
export class Timeline {
  readonly #times: Array<number> = [Date.now()]
  /** The folder in which the main agent's next command runs, and each subagent's. */
  readonly #folders = new Map<string | undefined, string>()

  /** An event came. A tool began after its agent's event before it: there the agent waits for what is answered. */
  passed({ agent_id, cwd, duration_ms }: HookEvent): Moment {
    const now = Date.now()
    const folder = this.#folders.get(agent_id) ?? cwd
    this.#folders.set(agent_id, cwd)
    const begun = duration_ms === undefined ? now : now - duration_ms
    const before = this.#times.findLast((time) => time <= begun) ?? 0
    this.#times.push(now)
    if (this.#times.length > mostTimes) this.#times.shift()
    return { from: duration_ms === undefined ? before : Math.max(before, begun - latest), now, folder }
  }
}
