/** Work that is done step by step, so that other work can have its turn in between. */
export type Steps<A> = Generator<void, A>

/**
 * Takes all steps in one go and gives what the generator returns: for callers that have a thread of their own, or
 * little to do.
 */
export const atOnce = <A>(steps: Steps<A>): A => {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
