import { Context, type Effect } from "effect"

/** What was seen of a language model since this process began. Times are milliseconds since the epoch. */
export interface SeenModel {
  /** When it last answered; `null` if it has not. */
  readonly answeredAt: number | null
  /** When it last failed; `null` if it has not. */
  readonly failedAt: number | null
  /** Why it last failed, in words that are all our own. */
  readonly fault: string | null
}

/** How language models do, by the requests that they get anyway: none is made only to find out. */
export class ModelsSeen extends Context.Service<
  ModelsSeen,
  {
    /** By the names that callers may ask for; a model that nobody has asked is absent. */
    readonly seen: Effect.Effect<ReadonlyMap<string, SeenModel>>
  }
>()("cairn/ModelsSeen") {}
