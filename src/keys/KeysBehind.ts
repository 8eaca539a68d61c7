import { Data } from "effect"

/** The keys' read model does not catch up with the log: nobody can be let in. */
export class KeysBehind extends Data.TaggedError("KeysBehind") {
  override readonly message =
    "the read model of the keys does not catch up with the log: none has moved on for a minute. Start the service again."
}
