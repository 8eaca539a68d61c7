import { Context } from "effect"

/** What is this installation's own. */
export class Installation extends Context.Service<
  Installation,
  {
    /** Random, made with the database: ids of persons are derived from it. */
    readonly secret: string
    /**
     * What stands before the log's positions where they are told; not there until the log was copied from an engine
     * that counts otherwise.
     */
    readonly positions?: string
  }
>()("cairn/Installation") {}
