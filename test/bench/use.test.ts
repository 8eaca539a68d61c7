import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { putOn } from "#bench/eval/groups.ts"
import { type Used, usedFor } from "#bench/eval/use.ts"
import { layer } from "#infra/search/memory/layer.ts"
import { embeddings } from "#test/embeddings.ts"
import { corpus, queries } from "#test/evaluation.ts"

/** What a kind of tasks gains, in MRR@10. */
const gain = ({ before, after }: Used): number => after.mrr - before.mrr

/** What a month of votes was worth (docs/decisions/0081), less a little: all of them right, and a fifth wrong. */
const least = {
  mbpp: { words: [0.06, 0.04], again: [0.19, 0.13] },
  agent30: { words: [0.04, 0.04], again: [0.25, 0.25] }
}

it.effect(
  "a month of votes helps those who ask the same again, in other words, too, and costs others next to nothing",
  () =>
    Effect.gen(function* () {
      yield* putOn([
        { home: "mbpp", documents: corpus("mbpp") },
        { home: "agent30", documents: corpus("agent30") }
      ])
      for (const [name, other] of [
        ["mbpp", "agent30"],
        ["agent30", "mbpp"]
      ] as const) {
        const all = yield* usedFor({ name, homes: [name], queries: queries(name) }, queries(other), other)
        const of = (kind: string) => all.filter((one) => one.kind === kind)
        for (const [at, used] of of("voted tasks in other words").entries())
          assert.isAtLeast(gain(used), least[name].words[at]!, `${name}: ${used.kind} (${used.votes})`)
        const [right, wrong, own] = of("voted tasks again")
        assert.isAtLeast(gain(right!), least[name].again[0]!, name)
        assert.isAtLeast(gain(wrong!), least[name].again[1]!, name)
        // whoever votes for what they stored takes little from the right ones
        assert.isAtLeast(gain(own!), -0.06, name)
        for (const used of [...of("other tasks of its kind"), ...of("other tasks")])
          assert.isAtLeast(gain(used), -0.015, `${name}: ${used.kind} (${used.votes})`)
      }
    }).pipe(Effect.provide(Layer.provideMerge(layer, embeddings))),
  // it is one long reckoning, which took more than five minutes where much else was at work
  1_800_000
)
