/** Work that is done step by step, so that others may have their turn in between. */
export type Steps<A> = Generator<void, A>

/**
 * Takes all steps on end and gives what the last one returns: for who has a thread of their own, or little to go
 * through.
 */
export const atOnce = <A>(steps: Steps<A>): A => {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
