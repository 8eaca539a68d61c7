import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { example } from "#engine/example.ts"

it.live("the engine's example keeps its account from being overdrawn, whatever is asked for at once", () =>
  Effect.map(example, (came) => assert.deepStrictEqual(came, { balance: 100, paid: 3, refused: 7 }))
)
