import { execFileSync } from "node:child_process"
import fs from "node:fs"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { findGit } from "#infra/git/native/git.ts"
import { looseObjects } from "#infra/git/native/pack.ts"
import { readObject } from "#infra/git/objects/read.ts"
import { type Sha, WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { layer } from "#test/gitWorkspaceStore.ts"
import { isLong } from "#test/long.ts"
import { fsck, git, noGit, temporaryDirectory } from "./git.ts"

const directory = temporaryDirectory()
afterAll(() => fs.rmSync(directory, { recursive: true }))
const gitdir = (id: string) => `${directory}/${id}.git`
const services = layer({ directory, git: findGit() })

const commits = isLong ? 1_000 : 300
/** Bytes of a file: several times the 64 KiB that a delta copies at once, from places that take three bytes to tell. */
const large = isLong ? 600_000 : 200_000
/** About 256 objects make a pack: enough for two. */
const onTheWay = isLong ? 300 : 200

const author = { name: "a", email: "a@cairn" }
const dayMs = 24 * 60 * 60 * 1000

/** Bytes on the disk, as blocks. */
const onDisk = (path: string) => Number(execFileSync("du", ["-sk", path], { encoding: "utf8" }).split("\t")[0]) * 1024

const pathOf = (file: number) => `src/d${file % 10}/f${file}.ts`
const contentOf = (file: number, round: number) =>
  Buffer.from(
    Array.from({ length: 40 }, (_, line) => `export const value${line} = ${line === round % 40 ? round : file}\n`).join(
      ""
    )
  )

/** So many commits of one file each on a workspace of 100 files; packed on the way when it is asked for. */
const history = Effect.fnUntraced(function* (id: string, commits: number, packs: boolean) {
  const workspaces = yield* WorkspaceStore
  let parents: ReadonlyArray<Sha> = []
  let tree: Sha | undefined
  for (let round = 0; round < commits; round++) {
    const overlay = yield* workspaces.open(id, tree)
    const files = round === 0 ? Array.from({ length: 100 }, (_, file) => file) : [(round * 7) % 100]
    for (const file of files) yield* overlay.writeFile(pathOf(file), contentOf(file, round))
    tree = yield* workspaces.save(id, overlay)
    const commit: Sha = yield* workspaces.commit(id, { tree, parents, author, time: round * 1000, message: `${round}` })
    yield* workspaces.moveRef(id, commit)
    if (packs) yield* workspaces.pack(id, { prune: true })
    parents = [commit]
  }
  return { commit: parents[0]!, tree: tree! }
})

/** The same history, all loose, by native git, which does not wait for the disk. Answers the last tree. */
const imported = Effect.fnUntraced(function* (id: string, commits: number) {
  yield* Effect.flatMap(WorkspaceStore, (workspaces) => workspaces.open(id, undefined))
  const data = (bytes: string | Buffer) => [`data ${Buffer.byteLength(bytes)}\n`, bytes, "\n"]
  const lines: Array<string | Buffer> = []
  for (let round = 0; round < commits; round++) {
    lines.push("commit refs/heads/main\n", `committer a <a@cairn> ${round} +0000\n`, ...data(`${round}`))
    const files = round === 0 ? Array.from({ length: 100 }, (_, file) => file) : [(round * 7) % 100]
    for (const file of files) lines.push(`M 100644 inline ${pathOf(file)}\n`, ...data(contentOf(file, round)))
  }
  const config = ["-c", "fastimport.unpackLimit=1000000"]
  git(gitdir(id), [...config, "fast-import", "--quiet"], Buffer.concat(lines.map((line) => Buffer.from(line))))
  return git(gitdir(id), ["rev-parse", "main^{tree}"]).trim()
})

const objectsOf = (id: string) =>
  git(gitdir(id), ["cat-file", "--batch-all-objects", "--batch-check"]).trim().split("\n")

/** Every object, as our own reader has it, against what native git says of it. */
const readsEverything = async (id: string) => {
  for (const line of objectsOf(id)) {
    const [sha = "", type, size] = line.split(" ")
    const read = await readObject(gitdir(id), sha)
    assert.deepStrictEqual([read?.type, read?.content.length], [type as never, Number(size)], sha)
  }
}

/** Makes loose objects look as if they had been written two days ago. */
const age = (id: string) => {
  const then = (Date.now() - 2 * dayMs) / 1000
  for (const folder of fs.readdirSync(`${gitdir(id)}/objects`)) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue
    for (const name of fs.readdirSync(`${gitdir(id)}/objects/${folder}`))
      fs.utimesSync(`${gitdir(id)}/objects/${folder}/${name}`, then, then)
  }
}

const isLoose = (id: string, sha: Sha) => fs.existsSync(`${gitdir(id)}/objects/${sha.slice(0, 2)}/${sha.slice(2)}`)

describe.skipIf(noGit)("packing", () => {
  it.live("keeps a long history of 100 files within 2 MB, and everything readable", () =>
    Effect.gen(function* () {
      const workspaces = yield* WorkspaceStore
      const tree = yield* imported("long", commits)
      const before = onDisk(gitdir("long"))
      const objects = objectsOf("long").length
      const began = performance.now()
      yield* workspaces.pack("long", { prune: true })
      const took = performance.now() - began
      const after = onDisk(gitdir("long"))
      const kilobytes = (bytes: number) => `${Math.round(bytes / 1024)} KB`
      console.log(
        `${commits} commits × 100 files, ${objects} objects: ${kilobytes(before)} loose, ${kilobytes(after)} packed in ${took.toFixed(0)} ms`
      )
      assert.isAtMost(after, 2 * 1024 * 1024)
      assert.strictEqual(fsck(gitdir("long")), "")
      assert.strictEqual(git(gitdir("long"), ["rev-list", "--count", "main"]).trim(), `${commits}`)
      assert.strictEqual(objectsOf("long").length, objects)
      yield* Effect.promise(() => readsEverything("long"))
      // as a service that starts now sees it
      const files = yield* Effect.flatMap(WorkspaceStore, (cold) => cold.files("long", tree)).pipe(
        Effect.provide(layer({ directory }), { local: true })
      )
      assert.deepStrictEqual(
        files.map(({ sha, size, path }) => `${sha} ${size} ${path}`),
        git(gitdir("long"), ["ls-tree", "-r", "--format=%(objectname) %(objectsize) %(path)", "main"])
          .trim()
          .split("\n")
      )
    }).pipe(Effect.provide(services))
  )

  it.live("on the way, commit by commit, comes to the same history in few packs", () =>
    Effect.gen(function* () {
      const plain = yield* history("plain", onTheWay, false)
      assert.deepStrictEqual(yield* history("way", onTheWay, true), plain)
      assert.isAtMost(onDisk(gitdir("way")), 2 * 1024 * 1024)
      const packs = fs.readdirSync(`${gitdir("way")}/objects/pack`).filter((name) => name.endsWith(".pack"))
      assert.isTrue(packs.length > 1 && packs.length < 16, `${packs.length} packs`)
      assert.strictEqual(fsck(gitdir("way")), "")
      assert.strictEqual(git(gitdir("way"), ["rev-list", "--count", "main"]).trim(), `${onTheWay}`)
      yield* Effect.promise(() => readsEverything("way"))
    }).pipe(Effect.provide(services))
  )

  it.live("leaves what a run that has yet to end has saved, and what is written at the same time", () =>
    Effect.gen(function* () {
      const workspaces = yield* WorkspaceStore
      const { tree } = yield* history("open", 100, false)
      const overlay = yield* workspaces.open("open", tree)
      yield* overlay.writeFile("unfinished/a.txt", Buffer.from("not committed yet"))
      const saved = yield* workspaces.save("open", overlay)
      // written while git packs: the same files again, and new ones
      const writing = Effect.gen(function* () {
        const trees: Array<Sha> = []
        for (let round = 0; round < 60; round++) {
          const again = yield* workspaces.open("open", tree)
          for (let file = 0; file < 5; file++) yield* again.writeFile(pathOf(file), contentOf(file, round))
          yield* again.writeFile(`new/${round}`, Buffer.from(`${round}`))
          trees.push(yield* workspaces.save("open", again))
        }
        return trees
      })
      const packing = Effect.forEach(Array.from({ length: 5 }), () => workspaces.pack("open", { prune: false }))
      const [trees] = yield* Effect.all([writing, packing], { concurrency: 2 })
      age("open")
      git(gitdir("open"), ["repack", "-q", "-d"])
      yield* workspaces.pack("open", { prune: false })
      for (const each of [saved, ...trees]) {
        const paths = (yield* workspaces.files("open", each)).map(({ path }) => path)
        assert.isAbove(paths.length, 100)
      }
      assert.isTrue(isLoose("open", saved))
      assert.strictEqual(fsck(gitdir("open")), "")
    }).pipe(Effect.provide(services))
  )

  it.live("prunes what nothing has reached for a day, and nothing younger or written again", () =>
    Effect.gen(function* () {
      const workspaces = yield* WorkspaceStore
      const { tree } = yield* history("pruned", 100, false)
      const orphan = Effect.fnUntraced(function* (text: string) {
        const overlay = yield* workspaces.open("pruned", tree)
        yield* overlay.writeFile("orphan.txt", Buffer.from(text))
        return yield* workspaces.save("pruned", overlay)
      })
      const [old, again] = [yield* orphan("old"), yield* orphan("again")]
      age("pruned")
      const young = yield* orphan("young")
      assert.strictEqual(yield* orphan("again"), again)
      yield* workspaces.pack("pruned", { prune: true })
      assert.deepStrictEqual(
        [old, again, young].map((sha) => isLoose("pruned", sha)),
        [false, true, true]
      )
      assert.strictEqual(fsck(gitdir("pruned")), "")
      // what is left does not call for packing each time
      const packs = () => fs.readdirSync(`${gitdir("pruned")}/objects/pack`)
      const before = packs()
      yield* workspaces.pack("pruned", { prune: true })
      assert.deepStrictEqual(packs(), before)
    }).pipe(Effect.provide(services))
  )

  it.live("makes one pack of many, and loses nothing of a pack that the ref does not reach", () =>
    Effect.gen(function* () {
      const workspaces = yield* WorkspaceStore
      const { commit, tree } = yield* history("many", 30, false)
      const overlay = yield* workspaces.open("many", tree)
      yield* overlay.writeFile("later.txt", Buffer.from("later"))
      const later = yield* workspaces.save("many", overlay)
      const next = yield* workspaces.commit("many", {
        tree: later,
        parents: [commit],
        author,
        time: 0,
        message: "later"
      })
      yield* workspaces.moveRef("many", next)
      git(gitdir("many"), ["repack", "-adq"])
      // a slower process sets the ref back for a moment
      yield* workspaces.moveRef("many", commit)
      const packs = () => fs.readdirSync(`${gitdir("many")}/objects/pack`).filter((name) => name.endsWith(".pack"))
      for (let count = packs().length; count < 16; count++) {
        const blob = git(gitdir("many"), ["hash-object", "-w", "--stdin"], `blob ${count}`)
        git(gitdir("many"), ["pack-objects", "-q", `${gitdir("many")}/objects/pack/pack`], blob)
      }
      assert.isAtLeast(packs().length, 16)
      let head = commit
      for (let round = 0; (yield* Effect.promise(() => looseObjects(gitdir("many")))) < 300; round++) {
        const more = yield* workspaces.open("many", tree)
        yield* more.writeFile(`more/${round}`, Buffer.from(`${round}`))
        const saved = yield* workspaces.save("many", more)
        head = yield* workspaces.commit("many", {
          tree: saved,
          parents: [head],
          author,
          time: 0,
          message: `${round}`
        })
        yield* workspaces.moveRef("many", head)
      }
      yield* workspaces.pack("many", { prune: false })
      assert.strictEqual(packs().length, 1)
      assert.strictEqual((yield* workspaces.readCommit("many", next))?.tree, later)
      assert.strictEqual((yield* workspaces.files("many", later)).length, 101)
      assert.strictEqual(fsck(gitdir("many")), "")
    }).pipe(Effect.provide(services))
  )

  it.live("reads deltas on deltas, of large files too, whatever their names begin with", () =>
    Effect.gen(function* () {
      const workspaces = yield* WorkspaceStore
      let tree: Sha | undefined
      let parents: ReadonlyArray<Sha> = []
      // a small generator, the same in every run
      let state = 11
      const random = (below: number) => (state = (state * 48271) % 2147483647) % below
      const big = Buffer.from(Array.from({ length: large }, () => random(256)))
      for (let round = 0; round < 60; round++) {
        const overlay = yield* workspaces.open("deltas", tree)
        for (let edits = 0; edits < 20; edits++) big[random(big.length)] = random(256)
        yield* overlay.writeFile("big.bin", big)
        yield* overlay.writeFile("small.txt", Buffer.from(`${"line\n".repeat(random(400))}${round}`))
        yield* overlay.writeFile("empty", Buffer.from(""))
        tree = yield* workspaces.save("deltas", overlay)
        const commit: Sha = yield* workspaces.commit("deltas", { tree, parents, author, time: 0, message: "m" })
        yield* workspaces.moveRef("deltas", commit)
        parents = [commit]
      }
      const expected = new Map<string, string>()
      for (const line of objectsOf("deltas")) {
        const [sha = "", type = ""] = line.split(" ")
        expected.set(sha, type)
      }
      for (const options of [[], ["-f", "--depth=60"], ["-c", "repack.useDeltaBaseOffset=false"]]) {
        const [config, rest] = options[0] === "-c" ? [options, []] : [[], options]
        git(gitdir("deltas"), [...config, "repack", "-adqf", ...rest])
        const packs = fs
          .readdirSync(`${gitdir("deltas")}/objects/pack`)
          .filter((name) => name.endsWith(".pack"))
          .map((name) => `objects/pack/${name}`)
        const checked = git(gitdir("deltas"), ["verify-pack", "-v", ...packs])
        assert.include(checked, "chain length = 5")
        // places as those of a pack of gigabytes are written down: of all but the first object
        if (options[0] === "-c")
          for (const pack of packs) {
            fs.rmSync(`${gitdir("deltas")}/${pack.replace(/pack$/, "idx")}`)
            git(gitdir("deltas"), ["index-pack", "--index-version=2,0x20", pack])
          }
        yield* Effect.promise(() => readsEverything("deltas"))
        assert.strictEqual(objectsOf("deltas").length, expected.size)
      }
      const [now] = (yield* workspaces.files("deltas", tree!)).filter(({ path }) => path === "big.bin")
      assert.strictEqual(now!.size, big.length)
      const read = yield* workspaces.readFile("deltas", tree!, "big.bin")
      assert.isTrue(Buffer.from(read!.bytes).equals(big))
    }).pipe(Effect.provide(layer({ directory, git: findGit() })))
  )

  it.live("does nothing for a workspace that is not there, or without native git", () =>
    Effect.gen(function* () {
      const workspaces = yield* WorkspaceStore
      yield* workspaces.pack("nothing", { prune: true })
      assert.isFalse(fs.existsSync(gitdir("nothing")))
      yield* Effect.gen(function* () {
        yield* history("unpacked", 80, true)
        assert.isEmpty(fs.readdirSync(`${gitdir("unpacked")}/objects/pack`))
      }).pipe(Effect.provide(layer({ directory }), { local: true }))
    }).pipe(Effect.provide(services))
  )
})
