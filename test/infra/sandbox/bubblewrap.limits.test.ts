import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import type { Overlay } from "#ports/WorkspaceStore.ts"
import { emptyOverlay } from "#test/overlay.ts"
import { setUp } from "./attacks.ts"
import { bubblewrap, isBelow, isThere, processesWith, until } from "./bubblewrap.host.ts"

/** Attempts to take more than a command may, and to outlive it. */
interface Overreach {
  readonly script: (mark: string) => string
  readonly timeout?: number
  /** What the answer must show. */
  readonly stdout?: RegExp
  readonly stderr?: RegExp
  readonly exit?: number
}

const sleeper = (mark: string) => `bash -c 'exec -a ${mark} sleep 100000'`

const overreaches: { readonly [title: string]: Overreach } = {
  "a fork bomb": {
    script: (mark) => `f() { f ${mark} | f ${mark} & }; f; wait; sleep 100000`,
    timeout: 2_000,
    stderr: /Resource temporarily unavailable|fork/
  },
  "one that starts all the processes it may": {
    script: () =>
      `perl -e 'my $n = 0; while (defined(my $pid = fork)) { if ($pid == 0) { sleep 100000 } $n++ } print "$n\\n"'`,
    exit: 0,
    stdout: /^1[012]\d\n$/
  },
  "a process that takes memory": {
    script: () => `perl -e 'my @a; push @a, "x" x 10_000_000 while 1'`,
    exit: 137,
    stderr: /killed: it took too much memory/
  },
  "many processes that take memory": {
    script: () => `for i in 1 2 3 4 5 6 7 8; do perl -e 'my $a = "x" x 250_000_000; sleep 100000' & done; wait`,
    exit: 137,
    stderr: /killed: it took too much memory/
  },
  "memory that processes share is counted once": {
    script: () =>
      `perl -e 'my $a = "x" x 250_000_000; for (1 .. 6) { fork or last } select(undef, undef, undef, 0.5)'; sleep 1; echo fine`,
    exit: 0,
    stdout: /^fine\n$/
  },
  "a full disk": {
    script: () =>
      `head -c 1200M /dev/zero > big; head -c 1200M /dev/zero > /tmp/big; head -c 1200M /dev/zero > /dev/shm/big; rm -f big; df -k --output=used,target | grep -E 'workspace|tmp'`,
    stdout: /^\s*\d{1,4} \/workspace$/m,
    stderr: /No space left|File too large/
  },
  "a full disk of small files": {
    script: () => `mkdir d; perl -e 'my $n = 0; while (open(my $f, ">", "d/" . $n)) { $n++ } print "$n\\n"'; rm -rf d`,
    stdout: /^1\d{5}\n$/
  },
  "a full /tmp of small files": {
    script: () => `perl -e 'my $n = 0; while (open(my $f, ">", "/tmp/" . $n)) { $n++ } print "$n\\n"'`,
    stdout: /^\d{5}\n$/
  },
  "a file that claims to be large": {
    script: () => "truncate -s 10T hole; truncate -s 900M a; truncate -s 900M b; ls",
    stderr: /File too large|would have \d+ bytes/,
    exit: 1
  },
  "a flood of output": { script: () => "yes", timeout: 1_500, exit: 124, stdout: /bytes were cut\]\n$/ },
  "a flood of errors": { script: () => "yes >&2", timeout: 1_500, exit: 124, stderr: /bytes were cut\]\n/ },
  "a sleep past its time": { script: (mark) => sleeper(mark), timeout: 500, exit: 124, stderr: /longer than 0.5 s/ },
  "work past its time": {
    script: (mark) => `for i in 1 2 3 4; do (while :; do : ${mark}; done) & done; wait`,
    timeout: 500,
    exit: 124
  },
  "one that ignores signals": {
    script: (mark) => `trap '' TERM INT HUP QUIT; ${sleeper(mark)}; while :; do sleep 1; done`,
    timeout: 500,
    exit: 124
  },
  "one that stops itself": { script: () => "kill -STOP -1; kill -STOP $$", timeout: 500, exit: 124 },
  "a daemon": {
    script: (mark) =>
      `setsid bash -c '(setsid bash -c "exec -a ${mark} sleep 100000" > /dev/null 2>&1 < /dev/null &) &'; sleep 0.2; echo done`,
    exit: 0,
    stdout: /^done\n$/
  },
  "a daemon that holds the output": {
    script: (mark) => `(trap '' HUP; ${sleeper(mark)}) & disown -a; echo done`,
    exit: 0,
    stdout: /^done\n$/
  },
  "a daemon of a command that is killed": {
    script: (mark) => `setsid ${sleeper(mark)} & sleep 100000`,
    timeout: 500,
    exit: 124
  }
}

bubblewrap("Bubblewrap ends", (test) => {
  for (const [index, [title, { script, timeout, stdout, stderr, exit }]] of Object.entries(overreaches).entries()) {
    test(
      title,
      Effect.gen(function* () {
        const mark = `cairn-mark-${process.pid}-${index}`
        const before = process.memoryUsage().rss
        const shell = yield* setUp(yield* emptyOverlay())
        const result = yield* shell.exec(script(mark), timeout === undefined ? {} : { timeout })
        // nothing of it is left in the moment of the answer
        assert.deepStrictEqual(processesWith(mark), [])
        if (stdout !== undefined) assert.match(result.stdout, stdout, result.stderr)
        if (stderr !== undefined) assert.match(result.stderr, stderr)
        if (exit !== undefined) assert.strictEqual(result.exit, exit, result.stderr)
        assert.isBelow(process.memoryUsage().rss - before, 512 * 1024 ** 2)
        assert.strictEqual((yield* shell.exec("echo alive")).stdout, "alive\n")
      })
    )
  }

  const interrupted = Effect.fnUntraced(function* (
    script: string,
    mark: string,
    limits?: Parameters<typeof emptyOverlay>[0]
  ) {
    const overlay = yield* emptyOverlay(limits)
    const shell = yield* setUp(overlay)
    yield* shell.exec("echo x > kept.txt")
    const fiber = yield* Effect.forkChild(shell.exec(`${script}; ${sleeper(mark)}`))
    yield* Effect.promise(() => until(() => isThere(mark)))
    yield* Fiber.interrupt(fiber)
    assert.deepStrictEqual(processesWith(mark), [])
    return { shell, paths: overlay.paths() }
  })

  test(
    "a command that is interrupted, and keeps what it had written",
    Effect.gen(function* () {
      const mark = `cairn-mark-${process.pid}-interrupted`
      const { shell, paths } = yield* interrupted("echo x > log.txt; mv kept.txt moved.txt", mark)
      assert.deepStrictEqual(paths, ["log.txt", "moved.txt"])
      assert.strictEqual((yield* shell.exec("ls; echo alive")).stdout, "log.txt\nmoved.txt\nalive\n")
    })
  )

  test(
    "a command that is interrupted, and keeps nothing of it where not all of it fits",
    Effect.gen(function* () {
      const mark = `cairn-mark-${process.pid}-too-large`
      for (const [script, limits] of [
        ["truncate -s 900M a; truncate -s 900M b", undefined],
        // which is found when some of them have been taken up
        ["touch a b c", { bytes: 1_000, files: 2 }]
      ] as const) {
        const { shell, paths } = yield* interrupted(`rm kept.txt; ${script}`, mark, limits)
        assert.deepStrictEqual(paths, ["kept.txt"])
        assert.strictEqual((yield* shell.exec("ls; echo alive")).stdout, "kept.txt\nalive\n")
      }
    })
  )

  const whileTaken = [
    ["all of it", true, ["log.txt"]],
    ["nothing of it where that takes long", false, ["kept.txt"]]
  ] as const
  for (const [what, goesOn, paths] of whileTaken)
    test(
      `a command that is interrupted when it has ended and is taken up, and keeps ${what}`,
      Effect.gen(function* () {
        const overlay: { -readonly [name in keyof Overlay]: Overlay[name] } = yield* emptyOverlay()
        const shell = yield* setUp(overlay)
        yield* shell.exec("echo x > kept.txt")
        const [writes, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const { writeFile } = overlay
        let isLeft = false
        overlay.writeFile = (...file) =>
          Effect.andThen(Deferred.succeed(writes, undefined), Deferred.await(goOn)).pipe(
            Effect.andThen(writeFile(...file)),
            Effect.onInterrupt(() => Effect.sync(() => void (isLeft = true)))
          )
        const fiber = yield* Effect.forkChild(shell.exec("mv kept.txt log.txt"))
        yield* Deferred.await(writes)
        const interrupting = yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
        if (goesOn) yield* Deferred.succeed(goOn, undefined)
        yield* Fiber.join(interrupting)
        assert.deepStrictEqual(overlay.paths(), paths)
        // nothing more is written, whatever comes after
        assert.strictEqual(isLeft, !goesOn)
      })
    )

  test(
    "with its shell, whose files and keeper go too",
    Effect.gen(function* () {
      // the test itself has none: other files of tests run in other processes, whose keepers have other parents
      const keepers = () => processesWith("while read -r verb size").filter((pid) => isBelow(pid, process.pid))
      yield* Effect.scoped(
        Effect.gen(function* () {
          const shell = yield* setUp(yield* emptyOverlay())
          yield* shell.exec("true")
          assert.isNotEmpty(keepers())
        })
      )
      yield* Effect.promise(() => until(() => keepers().length === 0))
    })
  )

  test(
    "with the service, though that is killed",
    Effect.gen(function* () {
      const mark = `cairn-mark-${process.pid}-orphan`
      const runtime = "Deno" in globalThis ? ["run", "-A"] : []
      const holder = fileURLToPath(new URL("./bubblewrap.holder.ts", import.meta.url))
      const child = spawn(process.execPath, [...runtime, holder, `setsid ${sleeper(mark)}`], { stdio: "ignore" })
      yield* Effect.promise(() => until(() => isThere(mark)))
      const keepers = processesWith("while read -r verb size").filter((pid) => isBelow(pid, child.pid!))
      assert.isNotEmpty(keepers)
      child.kill("SIGKILL")
      const left = () => [
        ...processesWith(mark),
        ...processesWith("while read -r verb size").filter((pid) => keepers.includes(pid))
      ]
      yield* Effect.promise(() => until(() => left().length === 0))
    })
  )
})
