import { assert, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Asker } from "#engine/ask.ts"
import { Dispatcher } from "#engine/dispatch.ts"
import { makeProcesses } from "#engine/memory/Claims.ts"
import { Claims } from "#engine/ports/Claims.ts"
import { WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { type Disk, type DiskStanding, Disks } from "#src/disks.ts"
import { Packing } from "#src/workspaces/packing.ts"
import { claimOf } from "#src/workspaces/restore.ts"

/** What packing stands on where no chat has yet to end. */
const ofQuiet = (pack: (repository: string, how: { readonly prune: boolean }) => void) =>
  Context.empty().pipe(
    Context.add(WorkspaceStore, {
      ref: () => Effect.succeed("head"),
      pack: (repository: string, how: { readonly prune: boolean }) => Effect.sync(() => pack(repository, how))
    } as never),
    Context.add(Dispatcher, {
      state: () => Effect.succeed({ generation: 0, head: { commit: "head", tree: "t" } })
    } as never),
    Context.add(Asker, { fresh: () => Effect.void } as never),
    Context.add(SqlClient.SqlClient, (() => Effect.sync(() => [{ count: 0 }])) as never)
  )

it.effect("a repository is pruned only when no chat of its workspace has yet to end", () => {
  let open = 0
  let fresh = 0
  const packed: Array<{ readonly repository: string; readonly prune: boolean; readonly fresh: number }> = []
  const services = Context.empty().pipe(
    Context.add(WorkspaceStore, {
      ref: () => Effect.succeed("head"),
      pack: (repository: string, { prune }: { readonly prune: boolean }) =>
        Effect.sync(() => void packed.push({ repository, prune, fresh }))
    } as never),
    Context.add(Dispatcher, {
      state: () => Effect.succeed({ generation: 0, head: { commit: "head", tree: "t" } })
    } as never),
    Context.add(Asker, { fresh: () => Effect.sync(() => void (fresh += 1)) } as never),
    Context.add(SqlClient.SqlClient, (() => Effect.sync(() => [{ count: open }])) as never)
  )
  return Effect.gen(function* () {
    const packing = yield* Packing
    const until = (count: number) =>
      Effect.gen(function* () {
        while (packed.length < count) yield* Effect.yieldNow
      })
    for (const [index, count] of [1, 0, 2].entries()) {
      open = count
      // twice before it is looked after is once
      yield* packing.offer("w")
      yield* packing.offer("w")
      yield* until(index + 1)
      yield* TestClock.adjust("1 second")
    }
    // whether one is open is asked of a read model that knows of all that were
    assert.deepStrictEqual(packed, [
      { repository: "w", prune: false, fresh: 1 },
      { repository: "w", prune: true, fresh: 2 },
      { repository: "w", prune: false, fresh: 3 }
    ])
  }).pipe(Effect.provide(Packing.layer.pipe(Layer.provide(Layer.succeedContext(services)))))
})

it.effect("a repository is not packed while its disk is nearly full, and is when there is room", () => {
  const standings = new Map<Disk, DiskStanding>()
  const stands = (nearlyFull: boolean) =>
    standings.set("workspaces", { free: 1, reserve: { refuse: 1, resume: 1 }, nearlyFull })
  const packed: Array<string> = []
  const services = ofQuiet((repository) => void packed.push(repository)).pipe(Context.add(Disks, () => standings))
  return Effect.gen(function* () {
    const packing = yield* Packing
    stands(true)
    yield* packing.offer("w")
    for (let second = 0; second < 61; second++) yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(packed, [])
    stands(false)
    for (let second = 0; second < 61; second++) yield* TestClock.adjust("1 second")
    while (packed.length === 0) yield* Effect.yieldNow
    assert.deepStrictEqual(packed, ["w"])
  }).pipe(Effect.provide(Packing.layer.pipe(Layer.provide(Layer.succeedContext(services)))))
})

it.effect("a repository is pruned only while no other process has its workspace's claim", () => {
  let isTaken = true
  const asked: Array<string> = []
  const packed: Array<boolean> = []
  const claim = (name: string) => {
    asked.push(name)
    return isTaken ? Effect.never : Effect.succeed({ lost: Effect.never, handedOver: false, begin: Effect.void })
  }
  const services = ofQuiet((_, { prune }) => void packed.push(prune)).pipe(Context.add(Claims, { shared: true, claim }))
  return Effect.gen(function* () {
    const packing = yield* Packing
    for (const [index, taken] of [true, false, true].entries()) {
      isTaken = taken
      yield* packing.offer("w")
      while (packed.length <= index) yield* Effect.andThen(Effect.yieldNow, TestClock.adjust("1 second"))
      yield* TestClock.adjust("1 second")
    }
    assert.deepStrictEqual([packed, asked.length, new Set(asked).size], [[false, true, false], 3, 1])
  }).pipe(Effect.provide(Packing.layer.pipe(Layer.provide(Layer.succeedContext(services)))))
})

it.effect(
  "a chat whose process ended without a word is in its midst still when its repository was packed since",
  () => {
    const next = makeProcesses()
    const [killed, packs, later] = [next(), next(), next()]
    const [packing, packed] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    const services = Context.empty().pipe(
      Context.add(WorkspaceStore, {
        ref: () => Effect.succeed("head"),
        pack: () => Effect.andThen(Deferred.succeed(packing, undefined), Deferred.await(packed))
      } as never),
      Context.add(Dispatcher, {
        state: () => Effect.succeed({ generation: 0, head: { commit: "head", tree: "t" } })
      } as never),
      Context.add(Asker, { fresh: () => Effect.void } as never),
      Context.add(SqlClient.SqlClient, (() => Effect.sync(() => [{ count: 1 }])) as never),
      Context.add(Claims, packs)
    )
    return Effect.gen(function* () {
      yield* killed.claim(claimOf("w"))
      yield* (yield* Packing).offer("w")
      yield* TestClock.adjust(0)
      yield* killed.lose
      yield* Deferred.await(packing)
      const takingUp = yield* Effect.forkChild(later.claim(claimOf("w")), { startImmediately: true })
      yield* Deferred.succeed(packed, undefined)
      assert.isFalse((yield* Fiber.join(takingUp)).handedOver)
    }).pipe(Effect.scoped, Effect.provide(Packing.layer.pipe(Layer.provide(Layer.succeedContext(services)))))
  }
)

it.effect(
  "that repositories can't be packed is said once; they are tried again each minute, and once it is said that it is over",
  () => {
    const lines: Array<string> = []
    const broken = new Set(["a", "b"])
    const tried: Array<string> = []
    const services = Context.empty().pipe(
      Context.add(WorkspaceStore, {
        ref: () => Effect.succeed("head"),
        pack: (repository: string) =>
          Effect.suspend(() => {
            tried.push(repository)
            return broken.has(repository)
              ? Effect.die(new RangeError(`in ${repository}, ${tried.length}`))
              : Effect.void
          })
      } as never),
      Context.add(Dispatcher, {
        state: () => Effect.succeed({ generation: 0, head: { commit: "head", tree: "t" } })
      } as never),
      Context.add(Asker, { fresh: () => Effect.void } as never),
      Context.add(SqlClient.SqlClient, (() => Effect.sync(() => [{ count: 0 }])) as never),
      Context.add(Claims, makeProcesses()())
    )
    const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${[message].flat()[0]}`))
    return Effect.gen(function* () {
      const packing = yield* Packing
      const minute = Effect.gen(function* () {
        const before = tried.length
        for (let second = 0; second < 61; second++) yield* TestClock.adjust("1 second")
        while (tried.length === before) yield* Effect.yieldNow
      })
      for (const workspace of ["a", "b", "c"]) yield* packing.offer(workspace)
      while (tried.length < 3) yield* Effect.yieldNow
      yield* minute
      yield* minute
      assert.sameMembers(tried.slice(3, 7), ["a", "b", "a", "b"])
      const begins = "Warn a repository could not be packed"
      assert.deepStrictEqual(lines, [begins])
      // one of two is still broken
      broken.delete("a")
      yield* minute
      assert.deepStrictEqual(lines, [begins])
      broken.delete("b")
      yield* minute
      assert.deepStrictEqual(lines, [begins, "Info repositories are packed again"])
      // nothing is tried that has gone well
      const all = tried.length
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(tried.length, all)
    }).pipe(Effect.provide(Packing.layer.pipe(Layer.provide([Layer.succeedContext(services), Logger.layer([logger])]))))
  }
)
