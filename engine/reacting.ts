import { Context } from "effect"

/** How a reaction of this process gets on. */
export interface ReactionProgress {
  /** Positions between it and the log's end, if anything there concerns it; 0: it has done all. */
  readonly lag: number
  /** Why it stands still; `undefined`: it does not. */
  readonly fault: string | undefined
}

/** The reactions that this process runs, by name, for whoever watches them; `undefined`: nobody does. */
export const Reacting = Context.Reference<Map<string, () => ReactionProgress> | undefined>("engine/Reacting", {
  defaultValue: () => undefined
})
