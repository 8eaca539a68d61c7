import { Context } from "effect"

/** How a reaction of this process gets on. */
export interface ReactionProgress {
  /** Positions that it is behind what concerns it; 0: it has done all. */
  readonly lag: number
  /** Why it stands still; `undefined`: it does not. */
  readonly fault: string | undefined
}

/**
 * The reactions that this process runs, by their names, for who watches over them; where nobody does it is `undefined`.
 */
export const Reacting = Context.Reference<Map<string, () => ReactionProgress> | undefined>("engine/Reacting", {
  defaultValue: () => undefined
})
