import type { Result } from "effect"

/** How one kind of stream judges commands. `decide` may refuse, `evolve` may not; both are pure. */
export interface Decider<Command, Event, State, Refusal> {
  readonly initial: State
  /** The events that the command leads to; none when it is already so. */
  readonly decide: (command: Command, state: State) => Result.Result<ReadonlyArray<Event>, Refusal>
  readonly evolve: (state: State, event: Event) => State
}
