import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { type Access, operations } from "#domain/access/operations.ts"
import { DiskSpace, type Space } from "#ports/DiskSpace.ts"
import { Disks, disksOf, nearlyFull, type Reserve, standingAfter, watched } from "#src/disks.ts"

const mebibyte = 1024 * 1024
const reserve: Reserve = { refuse: 100, resume: 150 }

describe("a disk", () => {
  it("is nearly full below one bound, and has room again from the other on", () => {
    const seen: Array<boolean> = []
    let standing: ReturnType<typeof standingAfter> | undefined
    for (const free of [149, 100, 99, 100, 149, 150, 149, 100, 0]) {
      standing = standingAfter(standing, { free, size: 1_000 }, reserve)
      seen.push(standing.nearlyFull)
    }
    assert.deepStrictEqual(seen, [false, false, true, true, true, false, false, false, true])
  })

  it("keeps 512 MiB unless it is told, of a small one a twentieth", () => {
    const isFull = (free: number, size: number, before = false) =>
      standingAfter({ free: 0, reserve, nearlyFull: before }, { free, size }, undefined).nearlyFull
    const large = 100_000 * mebibyte
    assert.deepStrictEqual([isFull(512 * mebibyte, large), isFull(512 * mebibyte - 1, large)], [false, true])
    assert.deepStrictEqual(
      [isFull(640 * mebibyte - 1, large, true), isFull(640 * mebibyte, large, true)],
      [true, false]
    )
    assert.deepStrictEqual([isFull(50, 1_000), isFull(49, 1_000), isFull(62, 1_000, true)], [false, true, true])
    assert.isFalse(isFull(63, 1_000, true))
  })
})

describe("what wants room", () => {
  const wants = (disks: string) => Object.keys(operations).filter((id) => disksOf(id).join() === disks)

  it("on both disks is what writes to workspaces, on the database's what else writes", () => {
    assert.deepStrictEqual(wants("database,workspaces"), [
      "chat.chat",
      "workspaces.openWorkspace",
      "workspaces.putFile",
      "workspaces.deleteFile",
      "workspaces.unpackArchive",
      "git.push",
      "workspaces.restoreWorkspace"
    ])
    assert.deepStrictEqual(wants("database"), [
      "snippets.upload",
      "snippets.storeCodeBlock",
      "snippets.vote",
      "uploads.bulkUpload",
      "repos.storeRepo",
      "comments.addComment",
      "executions.recordExecution",
      "executions.autoReview",
      "usage.setBounds",
      "keys.createKey",
      "keys.limitKey",
      "organization.rename",
      "users.changeRole",
      "replays.replay",
      "asOf.makeAsOf"
    ])
  })

  it("on the data folder's is a backup that is sent, which waits there", () => {
    assert.deepStrictEqual(wants("data"), ["backups.backup"])
  })

  it("is nothing that stops, shuts out or removes", () => {
    const taking = Object.entries<Access>(operations).flatMap(([id, { takesAway }]) => (takesAway ? [id] : []))
    assert.deepStrictEqual(taking, [
      "runs.cancel",
      "workspaces.eraseWorkspace",
      "snippets.delete",
      "snippets.deleteCodeBlock",
      "comments.deleteComment",
      "keys.revokeKey",
      "organization.erase",
      "users.eraseUser",
      "replays.cancelReplay",
      "asOf.dropAsOf"
    ])
    for (const id of taking) assert.deepStrictEqual(disksOf(id), [], id)
  })
})

describe("watching", () => {
  /** Free bytes by folder, which a test changes. */
  const folders = (free: Map<string, number>) =>
    Layer.succeed(DiskSpace, {
      of: (folder) =>
        Effect.sync((): Space | undefined => {
          const bytes = free.get(folder)
          return bytes === undefined ? undefined : { free: bytes, size: 1_000 }
        })
    })
  const both = [
    ["database", "/d"],
    ["workspaces", "/w"]
  ] as const
  const full = Effect.map(Disks, (disks) => nearlyFull(disks()))

  it.effect("knows from the start on, follows each disk by itself, and keeps what can't be looked at as it was", () => {
    const free = new Map([
      ["/d", 1_000],
      ["/w", 99]
    ])
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* full, ["workspaces"])
      free.set("/d", 10)
      free.set("/w", 149)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* full, ["database", "workspaces"])
      free.delete("/d")
      free.set("/w", 150)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* full, ["database"])
      free.set("/d", 150)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* full, [])
    }).pipe(Effect.provide(Layer.provide(watched(both, reserve), folders(free))))
  })

  it.effect("is off when it is told so", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual([...(yield* Disks)()], [])
    }).pipe(Effect.provide(Layer.provide(watched(both, "off"), folders(new Map([["/d", 0]])))))
  )
})
