import { Clock, Console, Effect } from "effect"

/** Milliseconds between two looks at what a server says. */
const between = 10_000

const label = "LOG:  "

/**
 * The progress that a starting server reports in a line, if it does; it does so every ten seconds. What a client has
 * sent stands in quotes, and its further lines behind a tab.
 */
const progressOf = (line: string): string | undefined => {
  const at = line.indexOf(label)
  const says = line.slice(at + label.length)
  const isOwn = at >= 0 && !/["\t]/.test(line.slice(0, at))
  return isOwn && says.split('"')[0]!.includes(", elapsed time: ") ? says : undefined
}

const progressIn = (words: string): string | undefined =>
  words
    .split("\n")
    .map(progressOf)
    .findLast((progress) => progress !== undefined)

/**
 * Tells a caller that waits for a server's answer whether it is stuck: it has reported no progress for `patience`
 * milliseconds. After a crash, a server takes in again all that was written last, however long that takes; if it were
 * ended meanwhile, it would begin anew. Prints the progress. `words` gives what the server has said last.
 */
export const makeStuck = (words: () => string, patience: number) =>
  Effect.map(Clock.currentTimeMillis, (began) => {
    let since = began
    let looked = began
    // what an earlier server has said is no progress
    let told = progressIn(words())
    return Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (now - looked < between) return false
      looked = now
      const says = progressIn(words())
      // what was told last may be too long ago to be among its last words
      if (says === undefined || says === told) return now - since >= patience
      told = says
      since = now
      yield* Console.error(`Waiting for Postgres: ${says}`)
      return false
    })
  })
