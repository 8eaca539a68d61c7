import { Context, type Effect } from "effect"

/** What was seen of a language model since this process began. Times are milliseconds since the epoch. */
export interface SeenModel {
  /** When it last answered; `null`: it has not. */
  readonly answeredAt: number | null
  /** When it last failed; `null`: it has not. */
  readonly failedAt: number | null
  /** Why it last failed, in words that are all our own. */
  readonly fault: string | null
}

/** How language models do, from what they are asked anyway: no question is put to one only to see. */
export class ModelsSeen extends Context.Service<
  ModelsSeen,
  {
    /** By the names that callers may ask for; one that nobody has asked is not there. */
    readonly seen: Effect.Effect<ReadonlyMap<string, SeenModel>>
  }
>()("cairn/ModelsSeen") {}
