import { Context } from "effect"

/** What is this installation's own. */
export class Installation extends Context.Service<
  Installation,
  {
    /** Random, made with the database: ids of persons are derived from it. */
    readonly secret: string
    /**
     * What callers are told before the log's positions; absent unless the log was copied from an engine that counts
     * differently.
     */
    readonly positions?: string
  }
>()("cairn/Installation") {}
