import { Clock, Console, Effect } from "effect"

/** Milliseconds between two looks at what a server says. */
const between = 10_000

const label = "LOG:  "

/**
 * How far a server that comes up is, where it says so in a line: as often as every ten seconds. What somebody has sent
 * to it stands in quotes, and behind a tab where it has lines.
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
      const says = progressIn(words())
      // what it has said before may be too long ago to be among its last words
      if (says === undefined || says === told) return now - since >= patience
      told = says
      since = now
      yield* Console.error(`Waiting for Postgres: ${says}`)
      return false
    })
  })
