import { execFileSync } from "node:child_process"
import fs from "node:fs"
import { afterAll, assert, describe, it, vi } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { findGit, withinProcessor } from "#infra/git/native/git.ts"
import * as PushIntakeLayer from "#infra/git/push/layer.ts"
import { Quarantine } from "#infra/git/push/Quarantine.ts"
import { PushIntake } from "#ports/PushIntake.ts"
import { fsck, git, noGit, temporaryDirectory } from "./git.ts"
import { copy, nameOf, packOf, varint } from "./packOf.ts"

const directory = temporaryDirectory()
afterAll(() => fs.rmSync(directory, { recursive: true }))

const mebibyte = 1024 * 1024

/** A pack of a few kilobytes whose deltas become so many objects of 16 MiB each. */
const bomb = (objects: number) => {
  const size = 64 * 1024
  const copies = (16 * mebibyte) / size
  const delta = (last: number) =>
    Buffer.from([
      ...varint(size),
      ...varint(copies * size + 2),
      ...Array.from({ length: copies }, () => copy(0, size)).flat(),
      2,
      last & 255,
      last >> 8
    ])
  return packOf([
    { sha: nameOf("base"), type: 3, data: Buffer.alloc(size, "a") },
    ...Array.from({ length: objects }, (_, n) => ({ sha: nameOf(`${n}`), type: 6, base: 0, data: delta(n) }) as const)
  ])
}

const pushed = (pack: Uint8Array, from = nameOf("from"), to = nameOf("to")) => ({
  from,
  to,
  pack: (async function* () {
    yield pack
  })()
})

/** A git whose first look into a pack never ends, and a wait until it has begun. */
const stuckAtFirst = () => {
  const folder = fs.mkdtempSync(`${directory}-`)
  const program = `${folder}/git`
  const script = [
    "#!/bin/sh",
    `case " $* " in *" index-pack "*) mkdir ${folder}/first 2>/dev/null && exec sleep 100000;; esac`,
    `exec ${findGit()?.program} "$@"`
  ]
  fs.writeFileSync(program, script.join("\n"), { mode: 0o755 })
  afterAll(() => fs.rmSync(folder, { recursive: true }))
  const began = Effect.promise(() =>
    vi.waitFor(() => assert.isTrue(fs.existsSync(`${folder}/first`)), { timeout: 240_000 })
  )
  return { stuck: { program }, began }
}

/** However slowly. */
const any = { still: 1_000, window: 1_000, least: 0 }

describe.skipIf(noGit)("a push", () => {
  it.effect("gets no more of the processor than it may, however little is sent, and leaves nothing", () =>
    Effect.gen(function* () {
      git(directory, ["init", "-q", "--bare", "one.git"])
      const take = (yield* PushIntake).take!
      const reasonOf = (pack: Uint8Array) =>
        take("tenant", "one", pushed(pack)).pipe(
          Effect.scoped,
          Effect.flip,
          Effect.map((refused) => ("reason" in refused ? refused.reason : refused))
        )
      const small = bomb(600)
      assert.isBelow(small.length, mebibyte)
      assert.strictEqual(yield* reasonOf(small), "it takes more of the processor than a push may")
      assert.deepStrictEqual(fs.readdirSync(directory), ["one.git"])
      // of what is looked at in time something else is told
      assert.strictEqual(yield* reasonOf(bomb(1)), "what is pushed is no commit")
    }).pipe(Effect.provide(PushIntakeLayer.layer({ directory, git: findGit(), processor: 2 })))
  )

  it.effect(
    "is let in while others send theirs as slowly as they may, also from more tenants than are looked at at once",
    () =>
      Effect.gen(function* () {
        git(directory, ["init", "-q", "--bare", "held.git"])
        const take = (yield* PushIntake).take!
        const never = Promise.withResolvers<void>()
        const slowly = (tenant: string) =>
          Effect.gen(function* () {
            const asked = Promise.withResolvers<void>()
            const pack = (async function* () {
              asked.resolve()
              yield bomb(1).subarray(0, 100)
              await never.promise
            })()
            const sending = take(tenant, "held", { ...pushed(new Uint8Array()), pack })
            const fiber = yield* Effect.forkScoped(sending.pipe(Effect.scoped, Effect.flip))
            // its pack is being read
            yield* Effect.promise(() => asked.promise)
            return fiber
          })
        const slow = yield* Effect.forEach(["first", "second", "third", "third"], slowly)
        const refused = yield* take("fourth", "held", pushed(bomb(1))).pipe(Effect.scoped, Effect.flip)
        assert.deepInclude(refused, { reason: "what is pushed is no commit" })
        // of one tenant no more than two come at once: the clock of tests says that the third has waited its minute
        const third = yield* Effect.forkScoped(take("third", "held", pushed(bomb(1))).pipe(Effect.scoped, Effect.flip))
        yield* TestClock.adjust("1 minute")
        assert.deepInclude(yield* Fiber.join(third), { reason: "too many pushes at once; push again" })
        yield* TestClock.adjust("9 minutes")
        for (const one of slow) assert.deepInclude(yield* Fiber.join(one), { reason: "it took too long" })
      }).pipe(Effect.scoped, Effect.provide(PushIntakeLayer.layer({ directory, git: findGit(), pace: any })))
  )

  it.effect("waits with its place for one of its tenant's that is looked at, which takes five minutes at most", () => {
    const { stuck, began } = stuckAtFirst()
    return Effect.gen(function* () {
      git(directory, ["init", "-q", "--bare", "waiting.git"])
      const take = (yield* PushIntake).take!
      const send = Effect.fnUntraced(function* (bytes: Uint8Array) {
        const read = Promise.withResolvers<void>()
        const pack = (async function* () {
          yield bytes
          read.resolve()
        })()
        const pushing = take("tenant", "waiting", { ...pushed(bytes), pack }).pipe(Effect.scoped, Effect.flip)
        return { fiber: yield* Effect.forkScoped(pushing), read: Effect.promise(() => read.promise) }
      })
      const long = yield* send(bomb(1))
      yield* long.read
      // its five minutes run from here on
      yield* began
      const next = yield* send(bomb(1))
      yield* next.read
      const further = yield* send(bomb(1))
      yield* further.read
      // two wait with what they sent: a third one is not read
      const one = yield* send(bomb(1))
      const outcome = yield* Effect.forkScoped(
        Effect.raceFirst(Fiber.join(one.fiber), Effect.as(one.read, "it was read" as const))
      )
      yield* TestClock.adjust("1 minute")
      assert.deepInclude(yield* Fiber.join(outcome), { reason: "too many pushes at once; push again" })
      yield* TestClock.adjust("4 minutes")
      assert.deepInclude(yield* Fiber.join(long.fiber), { reason: "it took too long" })
      for (const { fiber } of [next, further])
        assert.deepInclude(yield* Fiber.join(fiber), { reason: "what is pushed is no commit" })
    }).pipe(Effect.scoped, Effect.provide(PushIntakeLayer.layer({ directory, git: stuck, pace: any })))
  })

  it("that is given up before its file is open is nobody's fault", async () => {
    git(directory, ["init", "-q", "--bare", "early.git"])
    const quarantine = new Quarantine(findGit()!, directory, `${directory}/early.git`, 1)
    const reason = new Error("given up")
    try {
      const receiving = quarantine.receive(pushed(bomb(1)).pack, mebibyte, () => {}, AbortSignal.abort(reason))
      assert.strictEqual(await receiving.then(String, (error) => error), reason)
    } finally {
      await quarantine.remove()
    }
  })

  it.effect("is refused as soon as it is larger than may be, and leaves nothing", () =>
    Effect.gen(function* () {
      git(directory, ["init", "-q", "--bare", "large.git"])
      const take = (yield* PushIntake).take!
      let read = 0
      const pack = (async function* () {
        for (;;) {
          read += 1
          yield new Uint8Array(1_000)
        }
      })()
      const refused = yield* take("tenant", "large", { ...pushed(new Uint8Array()), pack }).pipe(
        Effect.scoped,
        Effect.flip
      )
      assert.deepInclude(refused, { reason: "the pack is larger than may be pushed at once" })
      assert.isBelow(read, 200)
      assert.isEmpty(fs.readdirSync(directory).filter((name) => !/^[a-z]+\.git$/.test(name)))
    }).pipe(Effect.provide(PushIntakeLayer.layer({ directory, git: findGit(), mostPacked: 10_000 })))
  )

  it("is looked at within a lower bound of the processor, where the service was started with one", () => {
    const bound = (held: string, asked: number) =>
      execFileSync("/bin/sh", ["-c", `${held} ${withinProcessor(asked)}`, "git", "/bin/sh", "-c", "ulimit -S -t"], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"]
      }).trim()
    assert.strictEqual(bound("", 120), "120")
    assert.strictEqual(bound("ulimit -t 60;", 120), "60")
    assert.strictEqual(bound("ulimit -t 60;", 20), "20")
  })

  it.effect("keeps what its commits reach, and nothing else that was sent", () =>
    Effect.gen(function* () {
      const [clone, bare] = [`${directory}/clone`, `${directory}/two.git`]
      git(directory, ["init", "-q", "-b", "main", "clone"])
      const commit = (content: string) => {
        fs.writeFileSync(`${clone}/a.txt`, content)
        git(clone, ["add", "-A"])
        git(clone, ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "c"])
        return git(clone, ["rev-parse", "HEAD"]).trim()
      }
      const from = commit("one")
      git(directory, ["clone", "-q", "--bare", "clone", "two.git"])
      const to = commit("two")
      const junk = [1, 2, 3].map((n) => git(clone, ["hash-object", "-w", "--stdin"], `junk ${n}`).trim())
      const news = git(clone, ["rev-list", "--objects", to, `^${from}`])
        .trim()
        .split("\n")
        .map((line) => line.slice(0, 40))
      const packed = git(clone, ["pack-objects", "-q", `${directory}/sent`], [...news, ...junk, ""].join("\n")).trim()
      const take = (yield* PushIntake).take!
      yield* take("tenant", "two", pushed(fs.readFileSync(`${directory}/sent-${packed}.pack`), from, to)).pipe(
        Effect.flatMap(({ commits, keep }) => {
          assert.strictEqual(commits, 1)
          return keep
        }),
        Effect.scoped
      )
      const there = git(bare, ["cat-file", "--batch-all-objects", "--batch-check=%(objectname)"]).trim().split("\n")
      for (const one of news) assert.include(there, one)
      for (const one of junk) assert.notInclude(there, one)
      assert.strictEqual(fsck(bare), "")
    }).pipe(Effect.provide(PushIntakeLayer.layer({ directory, git: findGit() })))
  )
})
