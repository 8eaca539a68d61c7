import fs from "node:fs"
import { afterAll, assert, it, vi } from "@effect/vitest"
import { Effect, Exit, Fiber, Scheduler, Stream } from "effect"
import { TestClock } from "effect/testing"
import { layer } from "#infra/git/native/transport.ts"
import { repositoryPath } from "#infra/git/repositories.ts"
import { GitTransport } from "#ports/GitTransport.ts"
import { temporaryDirectory } from "./git.ts"

const directory = temporaryDirectory()
afterAll(() => fs.rmSync(directory, { recursive: true }))

/** A busy service: between the steps of a fiber others have their turn, in which processes begin and end. */
const busy = new Scheduler.MixedScheduler("async", (next) => {
  const timer = setTimeout(next, 5)
  return () => clearTimeout(timer)
})

it.live("all that git says arrives, and its place is left, also when it has ended before anybody reads", () =>
  Effect.gen(function* () {
    const program = `${directory}/git`
    fs.writeFileSync(program, "#!/bin/sh\necho all\n", { mode: 0o755 })
    fs.mkdirSync(repositoryPath(directory, "one"), { recursive: true })
    const transport = yield* Effect.provide(GitTransport, layer({ directory, git: { program } }))
    const { advertise } = transport.smart!
    // one tenant has two places, so that one that is not left is missed by the third
    for (let clone = 0; clone < 4; clone++) {
      const said = yield* Stream.runCollect(advertise("tenant", "one", "version=2")).pipe(
        Effect.provideService(Scheduler.Scheduler, busy),
        Effect.provideService(Scheduler.MaxOpsBeforeYield, 4),
        Effect.timeout("20 seconds")
      )
      assert.strictEqual(Buffer.concat([...said]).toString(), "all\n")
    }
  })
)

it.live("a clone fails, and does not wait, when git can't be started any more", () =>
  Effect.gen(function* () {
    fs.mkdirSync(repositoryPath(directory, "two"), { recursive: true })
    const removed = { program: `${directory}/removed` }
    const { advertise } = (yield* Effect.provide(GitTransport, layer({ directory, git: removed }))).smart!
    // more than there are places: each is left
    for (let clone = 0; clone < 3; clone++) {
      const said = Effect.exit(Stream.runCollect(advertise("tenant", "two", "version=2")))
      assert.isTrue(Exit.isFailure(yield* Effect.timeout(said, "10 seconds")))
    }
  })
)

/** A git that notes that it was begun, and goes on until it is ended. */
const endless = (name: string, goesOn: string) => {
  const program = `${directory}/${name}`
  fs.writeFileSync(program, `#!/bin/sh\necho $$ >> begun\n${goesOn}\n`, { mode: 0o755 })
  const repository = repositoryPath(directory, name)
  fs.mkdirSync(repository, { recursive: true })
  const begun = () => {
    const file = `${repository}/begun`
    return fs.existsSync(file) ? fs.readFileSync(file, "utf8").split("\n").slice(0, -1).map(Number) : []
  }
  const lives = () =>
    begun().filter((id) => {
      try {
        return process.kill(id, 0)
      } catch {
        return false
      }
    }).length
  return { program, begun, lives }
}

const patience = { timeout: 60_000, interval: 10 }
const until = (check: () => void) => Effect.promise(() => vi.waitFor(check, patience))

it.effect(
  "a tenant's third clone waits for two minutes, while others' begin; what nobody reads any more is ended",
  () =>
    Effect.gen(function* () {
      const { program, begun, lives } = endless("waiting", "exec sleep 1000")
      const { advertise } = (yield* Effect.provide(GitTransport, layer({ directory, git: { program } }))).smart!
      const clone = (tenant: string) =>
        Effect.forkChild(Effect.exit(Stream.runDrain(advertise(tenant, "waiting", "version=2"))), {
          startImmediately: true
        })
      const first = [yield* clone("a"), yield* clone("a")]
      yield* until(() => assert.lengthOf(begun(), 2))
      const third = yield* clone("a")
      const other = yield* clone("b")
      yield* until(() => assert.lengthOf(begun(), 3))
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual((yield* Fiber.join(third))._tag, "Failure")
      assert.lengthOf(begun(), 3)
      yield* Fiber.interruptAll([...first, other])
      yield* until(() => assert.strictEqual(lives(), 0))
      // all places were left
      const next = [yield* clone("a"), yield* clone("a"), yield* clone("b")]
      yield* until(() => assert.lengthOf(begun(), 6))
      yield* Fiber.interruptAll(next)
      yield* until(() => assert.strictEqual(lives(), 0))
    })
)

it.live("a clone that nobody takes is ended, and its place left", () =>
  Effect.gen(function* () {
    const { program, begun, lives } = endless("untaken", "exec yes")
    const { advertise } = (yield* Effect.provide(GitTransport, layer({ directory, git: { program } }))).smart!
    let taken = 0
    const take = Stream.runForEach(advertise("a", "untaken", "version=2"), () => {
      taken += 1
      return Effect.never
    })
    const untaken = Effect.forkChild(take, { startImmediately: true })
    yield* untaken
    yield* untaken
    yield* until(() => assert.strictEqual(taken, 2))
    const third = yield* untaken
    const now = vi.spyOn(Date, "now").mockImplementation(() => performance.timeOrigin + performance.now() + 600_000)
    yield* until(() => assert.strictEqual(taken, 3))
    // each clone looks at the clock by itself: it goes back only when both have
    yield* until(() => assert.strictEqual(lives(), 1))
    now.mockRestore()
    assert.lengthOf(begun(), 3)
    yield* Fiber.interrupt(third)
    yield* until(() => assert.strictEqual(lives(), 0))
  })
)

it.live("a file that is served is closed, also when nobody takes all of it", () =>
  Effect.gen(function* () {
    const { program } = endless("files", "")
    const name = `pack/pack-${"a".repeat(40)}.pack`
    const path = `${repositoryPath(directory, "files")}/objects/${name}`
    fs.mkdirSync(`${repositoryPath(directory, "files")}/objects/pack`, { recursive: true })
    fs.writeFileSync(path, Buffer.alloc(1_000_000, 1))
    const open = vi.spyOn(fs.promises, "open")
    const { file } = yield* Effect.provide(GitTransport, layer({ directory, git: { program } }))
    for (const some of [1, 100]) {
      const served = yield* file("files", `objects/${name}`)
      yield* Stream.runDrain(Stream.take(served!.bytes, some))
      const handle = yield* Effect.promise(() => open.mock.results.at(-1)!.value as Promise<fs.promises.FileHandle>)
      yield* until(() => assert.strictEqual(handle.fd, -1))
    }
    open.mockRestore()
  })
)

it.live("a file that nobody takes is not opened, as when only its size is asked for", () =>
  Effect.gen(function* () {
    const { program } = endless("untakenfiles", "")
    const objects = `${repositoryPath(directory, "untakenfiles")}/objects`
    const sizes = [10, 1_000_000]
    const names = sizes.map((_, n) => `pack/pack-${`${n}`.repeat(40)}.pack`)
    fs.mkdirSync(`${objects}/pack`, { recursive: true })
    for (const [n, name] of names.entries()) fs.writeFileSync(`${objects}/${name}`, Buffer.alloc(sizes[n]!, 1))
    const open = vi.spyOn(fs.promises, "open")
    const { file } = yield* Effect.provide(GitTransport, layer({ directory, git: { program } }))
    for (const [n, name] of names.entries()) {
      const served = yield* file("untakenfiles", `objects/${name}`)
      assert.strictEqual(served?.size, sizes[n])
      assert.lengthOf(open.mock.calls, 0)
      const bytes = yield* Stream.runCollect(served!.bytes)
      assert.strictEqual(Buffer.concat([...bytes]).length, sizes[n])
      open.mockClear()
    }
    open.mockRestore()
  })
)

it.live("a file that can't be read now is not said to be missing", () =>
  Effect.gen(function* () {
    const { program } = endless("unread", "")
    const objects = `${repositoryPath(directory, "unread")}/objects`
    fs.mkdirSync(`${objects}/pack`, { recursive: true })
    const { file } = yield* Effect.provide(GitTransport, layer({ directory, git: { program } }))
    const name = `objects/pack/pack-${"a".repeat(40)}.pack`
    assert.isUndefined(yield* file("unread", name))
    const none = Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" })
    for (const look of ["stat", "open"] as const) vi.spyOn(fs.promises, look).mockRejectedValue(none)
    assert.strictEqual((yield* Effect.flip(file("unread", name))).code, "EMFILE")
  })
)
