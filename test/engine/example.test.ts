import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { example } from "#engine/example.ts"

it.live(
  "the engine's example overdraws no account, whatever is asked for at once, and each transfer arrives once",
  () =>
    Effect.map(example, (came) =>
      assert.deepStrictEqual(came, {
        ada: { id: "account-ada", cents: 100, entries: 4 },
        bob: { id: "account-bob", cents: 900, entries: 3 },
        paid: 3,
        refused: 7
      })
    )
)
