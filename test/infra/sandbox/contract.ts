import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, type Layer } from "effect"
import type { Sandbox } from "#ports/Sandbox.ts"
import { type Overlay, WorkspacesUnavailable } from "#ports/WorkspaceStore.ts"
import { worked } from "#test/hostile/processor.ts"
import { emptyOverlay, put, textAt } from "#test/overlay.ts"
import { attacks, setUp, type Test } from "./attacks.ts"

/** Lines that no other file has. */
const unlike = (name: string, lines: number) =>
  Array.from({ length: lines }, (_, index) => `${name}${index}\n`).join("")

interface Traits {
  /**
   * Each write reaches the Overlay when it is made, and can be refused then; otherwise all do when the command ends.
   */
  readonly writesThrough: boolean
}

/** What every sandbox promises. A command's time here is real. */
export const contract = <E>(name: string, layer: Layer.Layer<Sandbox, E>, { writesThrough }: Traits) =>
  describe(`Sandbox: ${name}`, () => {
    // five bombs may each take all of their time
    const longest = 90_000
    const test: Test = (title, body) => it.live(title, () => Effect.scoped(Effect.provide(body, layer)), longest)

    test(
      "runs pipes and tells exit codes, stdout and stderr apart",
      Effect.gen(function* () {
        const shell = yield* setUp(yield* emptyOverlay())
        const sorted = yield* shell.exec("printf 'b\\na\\nb\\n' | sort | uniq -c | tr -s ' '")
        assert.deepStrictEqual([sorted.stdout, sorted.exit], [" 1 a\n 2 b\n", 0])
        const failed = yield* shell.exec("echo said; echo wrong >&2; exit 3")
        assert.match((yield* shell.exec("ls -la / /workspace")).stdout, /workspace[\s\S]*total/)
        assert.deepStrictEqual(failed, { stdout: "said\n", stderr: "wrong\n", exit: 3, workspaceFull: false })
        assert.strictEqual((yield* shell.exec("echo 'an é and a 猫'")).stdout, "an é and a 猫\n")
        assert.strictEqual((yield* shell.exec("no-such-command")).exit, 127)
        assert.notStrictEqual((yield* shell.exec("if then (")).exit, 0)
      })
    )

    test(
      "works on the run's files, in /workspace",
      Effect.gen(function* () {
        const overlay = yield* emptyOverlay()
        yield* put(overlay, "src/given.txt", "given\n")
        const shell = yield* setUp(overlay)
        assert.strictEqual((yield* shell.exec("pwd; cat src/given.txt")).stdout, "/workspace\ngiven\n")
        const script = [
          "ls -l src | wc -l > /dev/null && mkdir -p made/deep && echo one > made/deep/a.txt && echo two >> /workspace/made/deep/a.txt",
          "cp src/given.txt made/copy.txt && mv made/copy.txt made/moved.txt",
          "printf '#!/bin/bash\\necho ran $1\\n' > run.sh && chmod +x run.sh && ./run.sh well",
          "ln -s made/deep/a.txt link && cat link && rm src/given.txt",
          "find . -type f | sort && grep -rl two made"
        ].join("\n")
        const done = yield* shell.exec(script)
        assert.strictEqual(done.exit, 0, done.stderr)
        assert.strictEqual(
          done.stdout,
          "ran well\none\ntwo\n./made/deep/a.txt\n./made/moved.txt\n./run.sh\nmade/deep/a.txt\n"
        )
        assert.strictEqual(yield* textAt(overlay, "made/deep/a.txt"), "one\ntwo\n")
        assert.strictEqual((yield* overlay.lstat("run.sh")).kind, "executable")
        assert.strictEqual(yield* overlay.readlink("link"), "made/deep/a.txt")
        assert.deepStrictEqual(overlay.paths(), ["link", "made/deep/a.txt", "made/moved.txt", "run.sh"])
      })
    )

    test(
      "removes links and not what they lead to, and folders only when told",
      Effect.gen(function* () {
        const overlay = yield* emptyOverlay()
        const shell = yield* setUp(overlay)
        yield* shell.exec(
          "mkdir d; echo x > d/x; ln -s nowhere l1; ln -s d l2; ln -s /etc l3; ln -s d/x l4; echo y > /tmp/y"
        )
        const { stderr, exit } = yield* shell.exec("rm l1 l2 l3 && rm -rf l4 && rm /tmp/y && rm -f none && ls /tmp")
        assert.deepStrictEqual([stderr, exit], ["", 0])
        assert.deepStrictEqual(overlay.paths(), ["d/x"])
        assert.notStrictEqual((yield* shell.exec("rm d")).exit, 0)
        assert.notStrictEqual((yield* shell.exec("rm none")).exit, 0)
        assert.deepStrictEqual(overlay.paths(), ["d/x"])
        assert.strictEqual((yield* shell.exec("rm -r -- d")).exit, 0)
        assert.deepStrictEqual(overlay.paths(), [])
      })
    )

    test(
      "goes on after a write that is refused",
      Effect.gen(function* () {
        const overlay = yield* emptyOverlay()
        const shell = yield* setUp(overlay)
        const { stdout } = yield* shell.exec(
          "ln -s /etc out; echo x > out; echo [$?]; cat out; cp /bin/ls out/x; echo end"
        )
        assert.strictEqual(stdout, "[1]\nend\n")
        const made = yield* shell.exec("mkdir .git")
        if (writesThrough) assert.notStrictEqual(made.exit, 0)
        else assert.include(made.stderr, "Not kept, as no workspace can hold it:\n  .git: ")
        assert.notStrictEqual((yield* shell.exec("echo x > .git/config")).exit, 0)
        assert.deepStrictEqual(overlay.paths(), ["out"])
      })
    )

    test(
      "keeps bytes as they are",
      Effect.gen(function* () {
        const overlay = yield* emptyOverlay()
        const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
        yield* overlay.writeFile("in.bin", bytes)
        const shell = yield* setUp(overlay)
        yield* shell.exec("cat in.bin > out.bin; cp in.bin copy.bin; cat in.bin in.bin | head -c 300 > part.bin")
        assert.deepStrictEqual(yield* overlay.readFile("out.bin"), bytes)
        assert.deepStrictEqual(yield* overlay.readFile("copy.bin"), bytes)
        assert.strictEqual((yield* overlay.readFile("part.bin")).length, 300)
      })
    )

    test(
      "keeps /tmp between commands and from the Overlay, variables not",
      Effect.gen(function* () {
        const overlay = yield* emptyOverlay()
        const shell = yield* setUp(overlay)
        yield* shell.exec("X=1; cd /tmp; echo kept > /tmp/note; echo no > $HOME/note")
        assert.strictEqual((yield* shell.exec('cat /tmp/note; echo "[$X]"; pwd')).stdout, "kept\n[]\n/workspace\n")
        assert.deepStrictEqual(overlay.paths(), [])
        const other = yield* setUp(yield* emptyOverlay())
        assert.notStrictEqual((yield* other.exec("cat /tmp/note")).exit, 0)
      })
    )

    test(
      "kills an endless command in time, while the service goes on; what it wrote is kept",
      Effect.gen(function* () {
        const overlay = yield* emptyOverlay()
        const shell = yield* setUp(overlay)
        // of processor time, so that a machine with much else to do accuses nobody
        let longest = 0
        const watch = Effect.gen(function* () {
          let last = worked(process.pid)
          for (;;) {
            yield* Effect.sleep(5)
            const now = worked(process.pid)
            longest = Math.max(longest, now - last)
            last = now
          }
        })
        yield* shell.exec("true")
        const watching = yield* Effect.forkChild(watch)
        // Nothing of it ends by itself or lets its thread go for a moment, and no limit but that on time stops it.
        yield* put(overlay, "a", unlike("a", 50_000))
        yield* put(overlay, "b", unlike("b", 50_000))
        const endless = "echo first > before.txt; diff a b > d; diff b a > d; while true; do diff a b; done"
        const result = yield* shell.exec(endless, { timeout: 3_000 })
        yield* Fiber.interrupt(watching)
        assert.isBelow(longest, 250)
        assert.strictEqual(result.exit, 124)
        const used = process.cpuUsage()
        const slept = yield* shell.exec("echo second > slept.txt; sleep 100000", { timeout: 2_000 })
        assert.strictEqual(slept.exit, 124)
        // A thread of the killed command that went on would have taken all of the two seconds.
        const { user, system } = process.cpuUsage(used)
        assert.isBelow(user + system, 1_000_000)
        assert.include(slept.stderr, "longer than 2 s")
        assert.strictEqual(yield* textAt(overlay, "before.txt"), "first\n")
        assert.strictEqual(yield* textAt(overlay, "slept.txt"), "second\n")
        assert.strictEqual((yield* shell.exec("cat before.txt")).stdout, "first\n")
      })
    )

    const testOfEachWrite: Test = writesThrough ? test : () => {}
    testOfEachWrite(
      "changes nothing any more once it is interrupted",
      Effect.gen(function* () {
        const overlay = yield* emptyOverlay()
        const wrote = yield* Deferred.make<void>()
        let stopped = false
        const late: Array<string> = []
        const watched: Overlay = {
          ...overlay,
          writeFile: (path, ...rest) => {
            if (stopped) late.push(path)
            return Effect.andThen(overlay.writeFile(path, ...rest), Deferred.succeed(wrote, undefined)).pipe(
              Effect.asVoid
            )
          }
        }
        const shell = yield* setUp(watched)
        const fiber = yield* Effect.forkChild(shell.exec("while true; do echo more >> log.txt; done"))
        yield* Deferred.await(wrote)
        yield* Fiber.interrupt(fiber)
        stopped = true
        const size = (yield* overlay.stat("log.txt")).size
        // The next command of the same shell has run: whatever the killed one had sent would have come before.
        assert.strictEqual((yield* shell.exec("echo alive")).stdout, "alive\n")
        assert.deepStrictEqual(late, [])
        assert.strictEqual((yield* overlay.stat("log.txt")).size, size)
      })
    )

    for (const method of ["readFile", "writeFile", "remove"] as const)
      test(
        `ends as the workspaces' disk does that is away: ${method}`,
        Effect.gen(function* () {
          const overlay = yield* emptyOverlay()
          yield* put(overlay, "given.txt", "given")
          const away = new WorkspacesUnavailable({ code: "EIO", message: "the disk of the workspaces failed (EIO)" })
          const shell = yield* setUp({ ...overlay, [method]: () => Effect.die(away) })
          const command = "cat given.txt; echo x > made.txt; rm given.txt"
          assert.deepStrictEqual(yield* Effect.exit(shell.exec(command)), Exit.die(away))
        })
      )

    test(
      "cuts an output that is too long, and says so",
      Effect.gen(function* () {
        const shell = yield* setUp(yield* emptyOverlay())
        const { stdout, stderr } = yield* shell.exec("seq 1 20000; seq 1 20000 >&2", { output: 1_000 })
        for (const text of [stdout, stderr]) {
          assert.isBelow(text.length, 1_100)
          assert.match(text, /^1\n2\n3\n/)
          assert.include(text, "[107894 of 108894 bytes were cut]")
        }
        // However it ends: at a limit of the shell or with its time.
        const flood = yield* shell.exec("while true; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done", {
          timeout: 1_000
        })
        assert.isBelow(flood.stdout.length, 110_000)
      })
    )

    test(
      "tells when a write would pass the workspace's limits",
      Effect.gen(function* () {
        const overlay = yield* emptyOverlay({ bytes: 10_000, files: 5 })
        const shell = yield* setUp(overlay)
        assert.isFalse((yield* shell.exec("echo fits > a.txt")).workspaceFull)
        const full = yield* shell.exec("seq 1 5000 > big.txt")
        assert.isTrue(full.workspaceFull)
        assert.notStrictEqual(full.exit, 0)
        assert.isTrue((yield* shell.exec("for i in 1 2 3 4 5 6; do echo $i > f$i; done; true")).workspaceFull)
      })
    )

    attacks(test)
  })
