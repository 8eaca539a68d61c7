import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { Dispatcher } from "#engine/dispatch.ts"
import { PushIntake } from "#ports/PushIntake.ts"
import { WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { Storage } from "#src/usage/Storage.ts"
import { push } from "#src/workspaces/push.ts"

it.effect("a push whose head moves while it is looked at keeps nothing", () =>
  Effect.gen(function* () {
    let head = "a"
    let kept = 0
    const intake = {
      take: () =>
        Effect.sync(() => {
          head = "b"
          return { commits: 1, bytes: 0, keep: Effect.sync(() => void kept++) }
        })
    }
    const services = Context.empty().pipe(
      Context.add(PushIntake, intake),
      Context.add(Dispatcher, {
        state: () => Effect.sync(() => ({ generation: 1, head: { commit: head, tree: "t" } })),
        dispatch: () => Effect.die("nothing is to be recorded")
      } as never),
      Context.add(WorkspaceStore, {} as never),
      Context.add(Storage, { check: () => Effect.void, within: (_, store) => store })
    )
    const pushed = { from: "a", to: "c", pack: (async function* () {})() }
    const refused = yield* push({ id: "w", generation: 1 }, pushed, "tenant", { key: "k", user: "u" } as never).pipe(
      Effect.flip,
      Effect.provideContext(services as never)
    )
    assert.deepInclude(refused, { _tag: "PushRefused", reason: "fetch first: main has moved" })
    assert.strictEqual(kept, 0)
  })
)
