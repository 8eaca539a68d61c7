import { Effect, Stream } from "effect"
import { slight } from "#src/portions.ts"

type Rows<E, R> = Stream.Stream<ReadonlyArray<string>, E, R>

/**
 * The same texts for two lists of an answer, one behind the other. Slight ones are read once. Longer ones are read for
 * each list, because they would wait in memory until the reader comes to the second list.
 */
export const twice = <E, R>(rows: Rows<E, R>): readonly [first: Rows<E, R>, second: Rows<E, R>] => {
  let kept: ReadonlyArray<ReadonlyArray<string>> | undefined
  const first = Stream.suspend(() => {
    const all: Array<ReadonlyArray<string>> = []
    let bytes = 0
    const note = (batch: ReadonlyArray<string>) =>
      Effect.sync(() => {
        for (const text of batch) bytes += 2 * text.length
        if (bytes <= slight) all.push(batch)
        else all.length = 0
      })
    const end = Effect.sync(() => {
      if (bytes <= slight) kept = all
    })
    return Stream.onEnd(Stream.tap(rows, note), end)
  })
  return [first, Stream.suspend(() => (kept === undefined ? rows : Stream.rechunk(Stream.fromArray(kept), 1)))]
}
