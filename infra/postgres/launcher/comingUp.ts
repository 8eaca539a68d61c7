import { Clock, Console, Effect } from "effect"

/** Milliseconds between two looks at what a server says. */
const between = 10_000

/** What a server that recovers says of how far it is, as often as every ten seconds. */
const progressIn = (words: string): string | undefined =>
  words.match(/[a-z][^\n:]* in progress, elapsed time: .*/g)?.at(-1)

/**
 * For who waits until a server answers: whether it has said for so many milliseconds neither that nor that it goes on.
 * After a crash it takes in again all that was written last, however long that is; one that is ended meanwhile would
 * begin anew. How far it is is printed. `words`: what it has said last.
 */
export const makeStuck = (words: () => string, patience: number) =>
  Effect.map(Clock.currentTimeMillis, (began) => {
    let since = began
    let looked = began
    // what an earlier one has said is no progress
    let told = progressIn(words())
    return Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (now - looked < between) return false
      looked = now
      const progress = progressIn(words())
      if (progress === told) return now - since >= patience
      told = progress
      since = now
      yield* Console.error(`Waiting for Postgres: ${progress}`)
      return false
    })
  })
