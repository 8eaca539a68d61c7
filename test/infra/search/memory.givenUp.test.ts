import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer } from "effect"
import { vi } from "vitest"
import { asked } from "#domain/search/query.ts"
import { GivenUp, heed } from "#infra/search/givenUp.ts"
import { comparingBy } from "#infra/search/memory/layer.ts"
import { comparing } from "#infra/search/memory/Nearness.ts"
import { SnippetIndex } from "#ports/SnippetIndex.ts"
import { embeddings, encoder } from "#test/embeddings.ts"
import { csv, median, query, snippet } from "../indexed.ts"
import { givenUp } from "./givenUp.ts"

const put = [snippet("home", "a", median), snippet("home", "b", csv)]
const changes = { put, voted: [], removed: [] }

const endsAtIt = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(givenUp(effect)), (exit) => {
    assert.isTrue(Exit.isFailure(exit))
    assert.instanceOf(Exit.isFailure(exit) && Cause.squash(exit.cause), GivenUp)
  })

const candidates = (task: string) =>
  Effect.flatMap(SnippetIndex, (index) => {
    const { limit, task: _, ...rest } = query(task, ["home"])
    return index.candidates({ ...rest, asked: asked(task, encoder) }, limit)
  })

describe("an index whose thread was given up", () => {
  const ways = [
    ["all are compared", comparing],
    ["the nearest are", { exactUpTo: 0, share: 1 }]
  ] as const

  it.effect.each(ways)("ends at whatever it was at, and goes on where it was not (%s)", ([, how]) =>
    Effect.gen(function* () {
      const index = yield* SnippetIndex
      // not as what can't be taken in
      yield* endsAtIt(index.apply(changes, { build: 1, position: 1 }))
      assert.deepStrictEqual(yield* index.stand, { build: undefined, position: 0 })
      yield* index.apply(changes, { build: 1, position: 1 })
      // by their words, by what they mean, and by their words alone
      for (const task of ["median", "a table of values", "csv zzzzqq"]) yield* endsAtIt(candidates(task))
      yield* endsAtIt(index.frequencies({ homes: ["home"], includePublic: false }, ["median"]))
      assert.isNotEmpty((yield* candidates("median")).candidates)
    }).pipe(Effect.provide(Layer.provideMerge(comparingBy(how), embeddings)))
  )

  it.effect("looks whether it was wherever what it does grows with the store", () =>
    Effect.gen(function* () {
      const places = new Set<string | undefined>()
      const look = () => {
        places.add(/memory[/](\w+)[.]ts/.exec(new Error().stack ?? "")?.[1])
        return 0
      }
      const load = vi.spyOn(Atomics, "load").mockImplementation(look as never)
      heed(new SharedArrayBuffer(4))
      const index = yield* SnippetIndex
      yield* index.apply(changes, { build: 1, position: 1 })
      yield* candidates("median")
      yield* index.frequencies({ homes: ["home"], includePublic: false }, ["median"])
      load.mockRestore()
      assert.sameMembers([...places], ["layer", "Index"])
    }).pipe(Effect.provide(Layer.provideMerge(comparingBy({ exactUpTo: 0, share: 1 }), embeddings)))
  )
})
