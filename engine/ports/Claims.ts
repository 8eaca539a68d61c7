import { Context, Effect, type Scope } from "effect"

/** What one process has claimed for itself. */
export interface Claim {
  /** Completes if the claim is lost before its scope closes: another process may have it by now. */
  readonly lost: Effect.Effect<void>
  /**
   * Whether the last holder that began the claimed work gave the claim up in good order; `false` if it ended without a
   * word. A holder that did not begin changes nothing about this.
   */
  readonly handedOver: boolean
  /**
   * Says that this holder is at the claimed work and has seen to what was left of it: giving the claim up is now in
   * good order. Until then, what an earlier holder left unfinished counts as unfinished for the next one, too.
   */
  readonly begin: Effect.Effect<void>
}

/** Lets only one of several processes do something at a time. */
export interface Claiming {
  /** Whether there may be other processes at all. */
  readonly shared: boolean
  /** Waits until nobody else has the claim of this name, and has it until the scope closes or the claim is lost. */
  readonly claim: (name: string) => Effect.Effect<Claim, never, Scope.Scope>
}

/** For a process that is alone: it has every claim at once. */
export const unshared: Claiming = {
  shared: false,
  claim: () => Effect.succeed({ lost: Effect.never, handedOver: false, begin: Effect.void })
}

/**
 * Who does what, among processes on one log. A process that is alone has every claim that it asks for. A claim is no
 * fence: a process that has lost one may go on for a moment, until it hears of it.
 */
export const Claims = Context.Reference<Claiming>("engine/Claims", { defaultValue: () => unshared })

/** Does the work for as long as this process has the claim of that name, and again whenever it gets the claim again. */
export const whileMine = <E, R>(name: string, work: (claim: Claim) => Effect.Effect<void, E, R>) =>
  Effect.flatMap(Claims, ({ claim }) =>
    Effect.flatMap(claim(name), (mine) => Effect.raceFirst(work(mine), mine.lost)).pipe(Effect.scoped, Effect.forever)
  )
