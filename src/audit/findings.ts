/** The check that found something wrong. */
export type Check =
  | "position"
  | "revision"
  | "time"
  | "event_id"
  | "digest"
  | "shape"
  | "text"
  | "read_model"
  | "commit"
  | "ref"
  | "git"

/** Something that is not as it was written. */
export interface Finding {
  /** The position of the event that shows it; `null`: no event does. */
  readonly position: number | null
  readonly check: Check
  readonly message: string
}

/** How many findings are kept. */
const kept = 100

/** Gathers the first findings, and counts all. */
export class Findings {
  readonly first: Array<Finding> = []
  count = 0
  readonly add = (position: number | null, check: Check, message: string): void => {
    this.count += 1
    if (this.first.length < kept) this.first.push({ position, check, message })
  }
}
