import { Context, Effect, type Scope } from "effect"

/** What one process has for itself. */
export interface Claim {
  /** Ends when it is lost before its scope has closed: another process may have it by now. */
  readonly lost: Effect.Effect<void>
  /**
   * Whether the process that had it before gave it up in good order; of one that ended without a word it is `false`.
   * Who had it in between and did not begin changes nothing of that.
   */
  readonly handedOver: boolean
  /**
   * Says that what is claimed is done from here on, and what was left of it is seen to: if it is given up now, that is
   * in good order. Until then what another left in the midst is in the midst still for whoever has it next.
   */
  readonly begin: Effect.Effect<void>
}

/** What only one of several processes is to do at a time. */
export interface Claiming {
  /** Whether there may be other processes at all. */
  readonly shared: boolean
  /** Waits until nobody else has what is called so, and has it until the scope closes, or it is lost. */
  readonly claim: (name: string) => Effect.Effect<Claim, never, Scope.Scope>
}

/** Of a process that is alone. */
export const unshared: Claiming = {
  shared: false,
  claim: () => Effect.succeed({ lost: Effect.never, handedOver: false, begin: Effect.void })
}

/**
 * Who does what, among processes on one log. A process that is alone has all that it asks for. It is no fence: whoever
 * has lost a claim may go on for a moment, until it hears of it.
 */
export const Claims = Context.Reference<Claiming>("cairn/Claims", { defaultValue: () => unshared })

/** Does something for as long as the claim of that name is had, and again whenever it is had again. */
export const whileMine = <E, R>(name: string, work: (claim: Claim) => Effect.Effect<void, E, R>) =>
  Effect.flatMap(Claims, ({ claim }) =>
    Effect.flatMap(claim(name), (mine) => Effect.raceFirst(work(mine), mine.lost)).pipe(Effect.scoped, Effect.forever)
  )
