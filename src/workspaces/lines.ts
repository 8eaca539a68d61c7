import { isAfter, type Position } from "#engine/Position.ts"
import type { Waiting } from "./carry.ts"

/**
 * The runs that this process knows: a line for each workspace, in the order in which its runs were requested, and which
 * run is at work. A line lives for as long as it has a run; its carrier looks at it again and again.
 */
export class Lines {
  readonly #lines = new Map<string, Array<Waiting>>()
  readonly #known = new Map<string, Waiting>()
  readonly #atWork = new Map<string, Waiting>()

  find(run: string): Waiting | undefined {
    return this.#known.get(run)
  }

  get all(): ReadonlyArray<Waiting> {
    return [...this.#known.values()]
  }

  /** Puts a run that was not known into its line. `isNew`: it is the first in its line, which nobody carries yet. */
  join(one: Waiting): { readonly line: ReadonlyArray<Waiting>; readonly isNew: boolean } {
    this.#known.set(one.run, one)
    const line = this.#lines.get(one.workspace)
    if (line === undefined) {
      const begun = [one]
      this.#lines.set(one.workspace, begun)
      return { line: begun, isNew: true }
    }
    // the one at work stays where it is: nothing goes before what has begun
    const begins = line[0] === this.#atWork.get(one.workspace) ? 1 : 0
    const later = line.findIndex(({ position }, index) => index >= begins && isAfter(position, one.position))
    line.splice(later === -1 ? line.length : later, 0, one)
    return { line, isNew: false }
  }

  leave(one: Waiting): void {
    const line = this.#lines.get(one.workspace)
    if (line?.includes(one)) line.splice(line.indexOf(one), 1)
    if (line?.length === 0) this.#lines.delete(one.workspace)
    this.#known.delete(one.run)
  }

  /** Takes a workspace's runs from before a position out of its line, except the one at work, which `all` has, too. */
  drop(workspace: string, before: Position): { readonly all: Array<Waiting>; readonly waiting: Array<Waiting> } {
    const all = (this.#lines.get(workspace) ?? []).filter(({ position }) => isAfter(before, position))
    const waiting = all.filter((one) => !this.isAtWork(one))
    for (const one of waiting) this.leave(one)
    return { all, waiting }
  }

  begin(one: Waiting): void {
    this.#atWork.set(one.workspace, one)
  }

  end({ workspace }: Waiting): void {
    this.#atWork.delete(workspace)
  }

  isAtWork(one: Waiting): boolean {
    return this.#atWork.get(one.workspace) === one
  }

  /** Whether this process is at work on any run of the workspace. */
  works(workspace: string): boolean {
    return this.#atWork.has(workspace)
  }

  get counts(): { readonly running: number; readonly waiting: number } {
    return { running: this.#atWork.size, waiting: this.#known.size - this.#atWork.size }
  }
}
