import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type Overlay, WorkspaceStore } from "#ports/WorkspaceStore.ts"
import * as Git from "#test/gitWorkspaceStore.ts"
import { emptyOverlay, put, textAt } from "#test/overlay.ts"
import { setUp } from "./attacks.ts"
import { bubblewrap, isBelow, processesWith, until } from "./bubblewrap.host.ts"

/** Every path of the Overlay with its kind and what it holds. */
const contentsOf = Effect.fnUntraced(function* (overlay: Overlay) {
  const lines: Array<string> = overlay.emptyDirectories().map((path) => `d ${path}`)
  for (const path of overlay.paths()) {
    const { kind } = yield* overlay.lstat(path)
    if (kind === "symlink") lines.push(`l ${path} -> ${yield* overlay.readlink(path)}`)
    else lines.push(`${kind === "executable" ? "x" : "f"} ${path} = ${yield* textAt(overlay, path)}`)
  }
  return lines.sort()
})

/** The same, as a command sees it. */
const tellContents = String.raw`find . -mindepth 1 \( -type d -empty -printf 'd %P\n' \) , \( -type l -printf 'l %P -> %l\n' \) , \( -type f -perm /100 -printf 'x %P = ' -exec cat {} \; -printf '\n' \) , \( -type f ! -perm /100 -printf 'f %P = ' -exec cat {} \; -printf '\n' \)`

/** The same sequence each time. */
const chance = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

bubblewrap("Bubblewrap brings back", (test) => {
  test(
    "exactly what commands and tools did, whoever did it last",
    Effect.gen(function* () {
      const overlay = yield* emptyOverlay()
      const shell = yield* setUp(overlay)
      const pick = chance(20_260_801)
      const place = () => ["a", "b", "c", "d/e", "d/f", "d/g/h", "é n"][pick(7)]!
      for (let round = 0; round < 40; round++) {
        const script = Array.from({ length: 4 }, () => {
          const [one, other] = [place(), place()]
          return [
            `mkdir -p '${one}/..' && echo ${round} > '${one}'`,
            `echo more >> '${one}'`,
            `rm -rf '${one}'`,
            `mv '${one}' '${other}'`,
            `ln -sfn '${other}' '${one}'`,
            `chmod ${pick(2) === 0 ? 700 : 600} '${one}'`,
            `mkdir -p '${one}'`,
            `cp -r '${one}' '${other}'`,
            `ln -f '${one}' '${other}'`,
            // the same size in the same moment
            `printf ab > '${one}'; printf ba > '${one}'`
          ][pick(10)]
        }).join("\n")
        yield* shell.exec(script)
        if (pick(3) === 0) yield* Effect.ignore(put(overlay, place(), `tool ${round}`))
        if (pick(5) === 0) yield* Effect.ignore(overlay.remove(place(), { recursive: true, force: true }))
        if (pick(5) === 0) yield* Effect.ignore(overlay.symlink(place(), place()))
        if (pick(5) === 0) yield* Effect.ignore(overlay.chmod(place(), pick(2) === 0))
        const { stdout } = yield* shell.exec(tellContents)
        const seen = stdout.split(/\n(?=[dlxf] )/).map((line) => line.replace(/\n+$/, ""))
        const had = (yield* contentsOf(overlay)).map((line) => line.replace(/\n+$/, ""))
        assert.deepStrictEqual(seen.filter((line) => line !== "").sort(), had, script)
      }
    })
  )

  test(
    "modes, links and deletions; what a workspace can't hold is named and removed",
    Effect.gen(function* () {
      const overlay = yield* emptyOverlay()
      yield* put(overlay, "gone.txt", "x")
      yield* put(overlay, "tool.sh", "x")
      const shell = yield* setUp(overlay)
      const { stderr, exit } = yield* shell.exec(
        [
          "rm gone.txt; chmod 4755 tool.sh; echo x > plain; ln plain hard; ln -s plain soft; mkdir empty",
          "ln -s /workspace/plain inside; ln -s /etc outside; ln -s $'\\xff' target",
          "mkfifo pipe; mknod hole c 0 0; perl -MSocket -e 'socket(my $s, AF_UNIX, SOCK_STREAM, 0); bind($s, pack_sockaddr_un(\"sock\"))'",
          "mkdir -p .git/hooks sub/.GIT; echo x > .git/config; echo kept > sub/kept; echo x > git~1",
          "echo line > $'new\\nline'; echo x > $'\\xff\\xfe'; echo x > 'back\\slash'; echo x > '..x'; mkdir -p \"$(printf 'd/%.0s' $(seq 140))\"",
          "ln -s x .gitmodules; mkdir .gitattributes"
        ].join("\n")
      )
      assert.strictEqual(exit, 0, stderr)
      assert.deepStrictEqual(
        yield* contentsOf(overlay),
        [
          ...["..x", "hard", "new\nline", "plain"].map((path) =>
            `f ${path} = x\n`.replace("new\nline = x", "new\nline = line")
          ),
          "f sub/kept = kept\n",
          "l inside -> plain",
          "l outside -> /etc",
          "l soft -> plain",
          "x tool.sh = x"
        ]
          .concat(overlay.emptyDirectories().map((path) => `d ${path}`))
          .sort()
      )
      assert.include(overlay.emptyDirectories(), "empty")
      for (const name of [
        "pipe: a FIFO",
        "hole: a device",
        "sock: a socket",
        ".git: ",
        "sub/.GIT: ",
        "git~1: ",
        "back\\\\slash: ",
        "\uFFFD\uFFFD: ",
        "target: ",
        ".gitmodules: ",
        ".gitattributes: "
      ]) {
        assert.include(stderr, `  ${name}`)
      }
      const after = yield* shell.exec("ls -A; ls -A sub")
      for (const name of ["pipe", "sock", "hole", ".git", ".GIT", "git~1", ".gitmodules", ".gitattributes", "target"]) {
        assert.notInclude(after.stdout.split("\n"), name)
      }
      assert.strictEqual(after.stderr, "")
    })
  )

  test(
    "files that the command shut away, and their absence when it deletes all",
    Effect.gen(function* () {
      const overlay = yield* emptyOverlay()
      const shell = yield* setUp(overlay)
      yield* shell.exec("mkdir -p shut/in; echo x > shut/in/file; chmod 000 shut/in/file shut/in shut /workspace")
      assert.deepStrictEqual(overlay.paths(), ["shut/in/file"])
      assert.strictEqual(yield* textAt(overlay, "shut/in/file"), "x\n")
      const deep = "p=$(printf 'd/%.0s' $(seq 140)); mkdir -p $p; chmod 000 $p $p/.. $p/../../.."
      assert.include((yield* shell.exec(deep)).stderr, "a path has at most 128 parts")
      assert.deepStrictEqual(overlay.paths(), ["shut/in/file"])
      yield* shell.exec("rm -rf /workspace /workspace/* /workspace/.*")
      assert.deepStrictEqual([overlay.paths(), overlay.emptyDirectories()], [[], []])
      assert.strictEqual((yield* shell.exec("echo again > f; pwd")).stdout, "/workspace\n")
      assert.deepStrictEqual(overlay.paths(), ["f"])
    })
  )

  test(
    "no link that a tool would follow out",
    Effect.gen(function* () {
      const overlay = yield* emptyOverlay()
      const shell = yield* setUp(overlay)
      yield* put(overlay, "d/file", "x")
      yield* shell.exec("rm -r d; ln -s /tmp d; ln -s ../.. up")
      for (const path of ["d/file", "up/etc/passwd"]) {
        assert.strictEqual((yield* Effect.flip(put(overlay, path, "out")))._tag, "PathRefused")
        assert.strictEqual((yield* Effect.flip(overlay.readFile(path)))._tag, "PathRefused")
      }
      // and what a tool put in the link's place is what the next command sees
      yield* overlay.remove("d")
      yield* put(overlay, "d/file", "in")
      assert.strictEqual((yield* shell.exec("cat d/file")).stdout, "in")
    })
  )

  test(
    "what fits when the rest does not, and comes back to where the run was",
    Effect.gen(function* () {
      const overlay = yield* emptyOverlay({ bytes: 10_000, files: 100 })
      const shell = yield* setUp(overlay)
      yield* shell.exec("echo first > a")
      const undo = yield* overlay.savepoint()
      const { workspaceFull, stderr } = yield* shell.exec("echo changed > a; seq 1 5000 > big; echo x > z")
      assert.isTrue(workspaceFull)
      assert.include(stderr, "does not fit")
      yield* undo
      assert.strictEqual((yield* shell.exec("cat *; ls")).stdout, "first\na\n")
      assert.deepStrictEqual(yield* contentsOf(overlay), ["f a = first\n"])
    })
  )

  /** What fails in the middle of taking up what a command did, when its first file is put into the Overlay. */
  const failures: { readonly [what: string]: Effect.Effect<void> } = {
    "the keeper is killed": Effect.promise(async () => {
      const keepers = () => processesWith("while read -r verb size").filter((pid) => isBelow(pid, process.pid))
      for (const pid of keepers()) process.kill(pid, "SIGKILL")
      await until(() => keepers().length === 0)
    }),
    "the Overlay has a defect": Effect.die(new RangeError("Array buffer allocation failed"))
  }
  for (const [what, failing] of Object.entries(failures))
    test(
      `nothing of a command's work when ${what} before all of it is taken up, says so, and goes on`,
      Effect.gen(function* () {
        const overlay: { -readonly [name in keyof Overlay]: Overlay[name] } = yield* emptyOverlay()
        const shell = yield* setUp(overlay)
        yield* shell.exec("echo kept > kept.txt; mkdir d; echo old > d/changed.txt; ln -s kept.txt link")
        const before = yield* contentsOf(overlay)
        const { writeFile } = overlay
        const written: Array<string> = []
        overlay.writeFile = (path, ...rest) =>
          Effect.andThen(
            writeFile(path, ...rest),
            Effect.suspend(() => (written.push(path) === 1 ? failing : Effect.void))
          )
        // more than is read at once
        const large = "head -c 5M /dev/urandom"
        const { stderr, exit } = yield* shell.exec(
          `rm -r kept.txt link; mkdir new; echo new > d/changed.txt; ${large} > new/a; ${large} > new/b`
        )
        assert.lengthOf(written, 1)
        assert.strictEqual(exit, 126)
        assert.match(stderr, /The sandbox failed: .* What the command wrote is lost\.\n$/)
        assert.deepStrictEqual(yield* contentsOf(overlay), before)
        const { stdout } = yield* shell.exec("cat kept.txt link d/changed.txt; ls; echo more > more.txt")
        assert.strictEqual(stdout, "kept\nkept\nold\nd\nkept.txt\nlink\n")
        assert.include(overlay.paths(), "more.txt")
      })
    )

  test(
    "nothing that git runs when the service commits or someone clones",
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "cairn-git-"))),
        (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
      )
      const mark = join(folder, "ran")
      yield* Effect.gen(function* () {
        const workspaces = yield* WorkspaceStore
        const overlay = yield* workspaces.open("w", undefined)
        const shell = yield* setUp(overlay)
        yield* shell.exec(
          [
            "mkdir -p .git/hooks .git/info hooks objects refs",
            `for h in post-checkout pre-commit post-commit reference-transaction update; do printf '#!/bin/sh\\ntouch ${mark}\\n' | tee .git/hooks/$h > hooks/$h; chmod +x .git/hooks/$h hooks/$h; done`,
            `printf '[core]\\n\\tfsmonitor = touch ${mark}\\n\\tsshCommand = touch ${mark}\\n[filter "x"]\\n\\tsmudge = touch ${mark}\\n\\tclean = touch ${mark}\\n' | tee .git/config > config`,
            "echo '* filter=x' | tee .gitattributes > .git/info/attributes; echo 'ref: refs/heads/main' > HEAD",
            `printf '[submodule "x"]\\n\\tpath = x\\n\\turl = ext::touch ${mark}\\n\\tupdate = !touch ${mark}\\n' > .gitmodules`
          ].join("\n")
        )
        assert.isFalse(overlay.paths().some((path) => path.startsWith(".git/") || path === ".gitmodules"))
        const tree = yield* workspaces.save("w", overlay)
        const author = { name: "A", email: "a@example.org" }
        const commit = yield* workspaces.commit("w", { tree, parents: [], author, time: 0, message: "m" })
        yield* workspaces.moveRef("w", commit)
      }).pipe(Effect.provide(Git.layer({ directory: join(folder, "workspaces") })))
      const bare = join(folder, "workspaces", "w.git")
      assert.isTrue(existsSync(bare))
      const clone = spawnSync("git", ["clone", "--recurse-submodules", "-q", bare, join(folder, "clone")], {
        encoding: "utf8"
      })
      assert.strictEqual(clone.status, 0, clone.stderr)
      assert.isTrue(existsSync(join(folder, "clone", "hooks", "update")))
      assert.isFalse(existsSync(mark))
    })
  )
})
