import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, type Layer, type Scope } from "effect"
import { Sandbox } from "#ports/Sandbox.ts"
import type { Overlay } from "#ports/Workspaces.ts"
import { emptyOverlay, put, textAt } from "#test/overlay.ts"

/** A folder of the host with a secret in it, that no command may reach. */
const hostFolder = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "cairn-host-"))
    writeFileSync(join(folder, "secret"), "host secret")
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const setUp = (overlay: Overlay) => Sandbox.use((sandbox) => sandbox.open(overlay))

/** What every sandbox promises. A command's time here is real. */
export const contract = (name: string, layer: Layer.Layer<Sandbox>) =>
  describe(`Sandbox: ${name}`, () => {
    const test = (title: string, body: Effect.Effect<void, unknown, Sandbox | Scope.Scope>) =>
      it.live(title, () => Effect.scoped(Effect.provide(body, layer)))

    test(
      "runs pipes and tells exit codes, stdout and stderr apart",
      Effect.gen(function* () {
        const shell = yield* setUp(yield* emptyOverlay())
        const sorted = yield* shell.exec("printf 'b\\na\\nb\\n' | sort | uniq -c | tr -s ' '")
        assert.deepStrictEqual([sorted.stdout, sorted.exit], [" 1 a\n 2 b\n", 0])
        const failed = yield* shell.exec("echo said; echo wrong >&2; exit 3")
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
          "mkdir -p made/deep && echo one > made/deep/a.txt && echo two >> /workspace/made/deep/a.txt",
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
      "goes on after a write that is refused",
      Effect.gen(function* () {
        const overlay = yield* emptyOverlay()
        const shell = yield* setUp(overlay)
        const { stdout } = yield* shell.exec(
          "ln -s /etc out; echo x > out; echo [$?]; cat out; cp /bin/ls out/x; echo end"
        )
        assert.strictEqual(stdout, "[1]\nend\n")
        assert.notStrictEqual((yield* shell.exec("mkdir .git")).exit, 0)
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
        let longest = 0
        const watch = Effect.gen(function* () {
          let last = yield* Clock.currentTimeMillis
          for (;;) {
            yield* Effect.sleep(5)
            const now = yield* Clock.currentTimeMillis
            longest = Math.max(longest, now - last)
            last = now
          }
        })
        yield* shell.exec("true")
        const watching = yield* Effect.forkChild(watch)
        const began = yield* Clock.currentTimeMillis
        const endless =
          "echo first > before.txt; f() { while true; do :; done; f; }; while true; do f; done; until false; do :; done"
        const result = yield* shell.exec(`${endless}; sleep 100000`, { timeout: 1_000 })
        const took = (yield* Clock.currentTimeMillis) - began
        yield* Fiber.interrupt(watching)
        assert.isBelow(took, 2_000)
        assert.isBelow(longest, 250)
        assert.notStrictEqual(result.exit, 0)
        const slept = yield* shell.exec("echo second > slept.txt; sleep 100000", { timeout: 500 })
        assert.strictEqual(slept.exit, 124)
        assert.include(slept.stderr, "longer than 0.5 s")
        assert.strictEqual(yield* textAt(overlay, "before.txt"), "first\n")
        assert.strictEqual(yield* textAt(overlay, "slept.txt"), "second\n")
        assert.strictEqual((yield* shell.exec("cat before.txt")).stdout, "first\n")
      })
    )

    test(
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

    test(
      "ends a command that takes too much memory",
      Effect.gen(function* () {
        const shell = yield* setUp(yield* emptyOverlay())
        const bombs = [
          "x=aaaaaaaaaaaaaaaa; while true; do x=$x$x; done",
          'a=(); while true; do a+=("$(seq 1 2000)"); done',
          "awk 'BEGIN { s = \"x\"; while (1) { s = s s; a[n++] = s } }'",
          "seq 1 100000000 > /tmp/big; for i in $(seq 1000); do cat /tmp/big /tmp/big > /tmp/big2; done",
          "f() { f | f & }; f"
        ]
        for (const bomb of bombs) {
          const before = process.memoryUsage().rss
          const result = yield* shell.exec(bomb, { timeout: 8_000 })
          assert.isTrue(result.exit !== 0 || result.stderr !== "", bomb)
          assert.isBelow(process.memoryUsage().rss - before, 1024 ** 3, bomb)
          assert.strictEqual((yield* shell.exec("echo alive")).stdout, "alive\n")
        }
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
          timeout: 8_000
        })
        assert.isBelow(flood.stdout.length, 110_000)
      })
    )

    test(
      "reaches no file of the host",
      Effect.gen(function* () {
        const folder = yield* hostFolder
        const overlay = yield* emptyOverlay()
        const shell = yield* setUp(overlay)
        const attempts = [
          `cat ${folder}/secret`,
          `cat ../..${folder}/secret`,
          `ln -s ${folder}/secret stolen; cat stolen; cp stolen mine; cat mine`,
          `ln -s ${folder} /tmp/folder; cat /tmp/folder/secret; ls /tmp/folder/`,
          `ln -s / root; cat root${folder}/secret; cat root/etc/passwd`,
          `ln -s .. up; cat up${folder}/secret; mkdir -p a/b; ln -s ../../.. a/b/up; cat a/b/up${folder}/secret`,
          `cd ${folder} && cat secret`,
          `find / -name secret -exec cat {} +`,
          `source ${folder}/secret; . ${folder}/secret; bash ${folder}/secret`,
          `tar -cf all.tar ${folder}; tar -tf all.tar; tar -xOf all.tar`,
          `while read line; do echo $line; done < ${folder}/secret`,
          "cat /etc/passwd /etc/hosts /proc/self/environ /proc/1/environ",
          "cat /proc/self/cwd/package.json; ls /proc/self/root/ /proc/self/fd",
          `echo changed > ${folder}/secret; rm -rf ${folder}; echo new > ${folder}/new; echo x > /etc/cairn`
        ]
        for (const attempt of attempts) {
          const { stdout } = yield* shell.exec(attempt)
          assert.notInclude(stdout, "host secret", attempt)
          assert.notInclude(stdout, "root:x", attempt)
        }
        assert.deepStrictEqual(readdirSync(folder), ["secret"])
        assert.strictEqual(readFileSync(join(folder, "secret"), "utf8"), "host secret")
        for (const path of overlay.paths()) {
          const content = yield* Effect.match(textAt(overlay, path), { onSuccess: (text) => text, onFailure: () => "" })
          assert.notInclude(content, "host secret", path)
        }
      })
    )

    test(
      "shows nothing of the service's environment, and reaches no network",
      Effect.gen(function* () {
        process.env["CAIRN_TEST_SECRET"] = "environment secret"
        const shell = yield* setUp(yield* emptyOverlay())
        const asks = [
          "env; printenv; export -p; set; echo $CAIRN_TEST_SECRET; declare -p",
          "cat /proc/self/environ /proc/$$/environ /proc/$PPID/environ; awk 'BEGIN { for (k in ENVIRON) print ENVIRON[k] }'",
          "echo '{}' | jq 'env'; echo '{}' | jq '$ENV'"
        ]
        for (const ask of asks) {
          const { stdout, stderr } = yield* shell.exec(ask)
          assert.notInclude(stdout + stderr, "environment secret")
          assert.notInclude(stdout, process.env["PATH"] ?? "?")
        }
        const names = (yield* shell.exec("printenv HOME PATH PWD USER; whoami")).stdout.split("\n")
        assert.deepStrictEqual([names[2], names[3]], ["/workspace", "agent"])
        const network = yield* shell.exec(
          "curl http://127.0.0.1:9; wget http://127.0.0.1:9; cat < /dev/tcp/127.0.0.1/9; nc 127.0.0.1 9"
        )
        assert.notStrictEqual(network.exit, 0)
        delete process.env["CAIRN_TEST_SECRET"]
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
  })
