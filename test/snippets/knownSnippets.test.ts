import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Asker, Stale } from "#engine/ask.ts"
import { positionOf } from "#engine/Position.ts"
import { KnownSnippets } from "#src/snippets/knownSnippets.ts"

const home = "person/a"
const scope = { homes: [home], includePublic: false, agent: null } as never
const row = { id: "a", tenant: "t", home, name: "n", agent: null, is_public: false }

/**
 * Where a catalogue that has these rows, look by look, says that a snippet is, while it is or is not behind the log.
 */
const seen = (rows: ReadonlyArray<ReadonlyArray<unknown>>, isStale: boolean) => {
  const left = [...rows]
  const standing = { position: positionOf(1), changed: positionOf(1), due: positionOf(2) }
  const services = Context.empty().pipe(
    Context.add(SqlClient.SqlClient, { unsafe: () => Effect.sync(() => left.shift() ?? []) } as never),
    Context.add(Asker, {
      fresh: () =>
        isStale ? Effect.fail(new Stale({ name: "snippets", standing, away: false })) : Effect.succeed(standing)
    } as never)
  )
  return Effect.flatMap(KnownSnippets, ({ seen: look }) => look(scope, "a")).pipe(
    Effect.result,
    Effect.provide(KnownSnippets.layer.pipe(Layer.provide(Layer.succeedContext(services))))
  )
}

it.effect("a snippet is not said to be missing by a catalogue that is behind the log", () =>
  Effect.gen(function* () {
    const none = yield* seen([[], []], true)
    assert.strictEqual(none._tag === "Failure" && none.failure._tag, "Stale")
    const missing = yield* seen([[], []], false)
    assert.isTrue(missing._tag === "Success" && missing.success === undefined)
    for (const found of [yield* seen([[row]], true), yield* seen([[], [row]], true)]) {
      assert.deepStrictEqual(found._tag === "Success" && found.success, row as never)
    }
  })
)
