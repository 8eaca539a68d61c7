/** What steps come to, without a pause between them: for who has a thread of their own, or little to go through. */
export const atOnce = <A>(steps: Generator<unknown, A>): A => {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value
}
