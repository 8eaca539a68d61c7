import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { Sandbox } from "#ports/Sandbox.ts"
import type { Overlay } from "#ports/WorkspaceStore.ts"
import { emptyOverlay, textAt } from "#test/overlay.ts"

export type Test = (title: string, body: Effect.Effect<void, unknown, Sandbox | Scope.Scope>) => void

export const setUp = (overlay: Overlay) => Sandbox.use((sandbox) => sandbox.open(overlay))

/** A folder of the host with a secret in it, that no command may reach. */
const hostFolder = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "cairn-host-"))
    writeFileSync(join(folder, "secret"), "host secret")
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** The part of the contract that holds against a command that means harm. */
export const attacks = (test: Test) => {
  test(
    "ends a command that takes too much memory",
    Effect.gen(function* () {
      const shell = yield* setUp(yield* emptyOverlay())
      const bombs = [
        "x=aaaaaaaaaaaaaaaa; while true; do x=$x$x; done",
        'set -- aaaaaaaaaaaaaaaa; while true; do set -- "$@" "$@"; done',
        "awk 'BEGIN { s = \"x\"; while (1) { s = s s; a[n++] = s } }'",
        "seq 1 100000000 > /tmp/big; for i in $(seq 1000); do cat /tmp/big /tmp/big > /tmp/big2; done",
        "f() { f | f & }; f; wait; exit 1"
      ]
      for (const bomb of bombs) {
        const before = process.memoryUsage().rss
        const result = yield* shell.exec(bomb, { timeout: 3_000 })
        assert.isTrue(result.exit !== 0 || result.stderr !== "", bomb)
        assert.isBelow(process.memoryUsage().rss - before, 1024 ** 3, bomb)
        assert.strictEqual((yield* shell.exec("echo alive")).stdout, "alive\n")
      }
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
}
