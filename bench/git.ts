import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { Effect, Layer } from "effect"
import { layer } from "#infra/git/layer.ts"
import { findGit } from "#infra/git/native/git.ts"
import * as Workers from "#infra/workers/layer.ts"
import { type Sha, WorkspaceStore } from "#ports/WorkspaceStore.ts"

/**
 * Durable commits in workspaces of several sizes: open, write one file, save, commit, move the ref. Rounds: 100, or the
 * first argument.
 */
const rounds = Number(process.argv[2] ?? 100)
const directory = fs.mkdtempSync(path.join(os.tmpdir(), "cairn-bench-git-"))

const quantile = (times: ReadonlyArray<number>, share: number): string => {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(1)
}

const layouts: Record<string, (file: number) => string> = {
  "100 a folder": (file) => `d${Math.floor(file / 100)}/f${file}.txt`,
  "one folder": (file) => `f${file}.txt`
}

const bench = Effect.gen(function* () {
  const workspaces = yield* WorkspaceStore
  for (const files of [10, 1000, 10_000]) {
    for (const [layout, pathOf] of Object.entries(layouts)) {
      const id = `${layout.replaceAll(" ", "-")}-${files}`
      const filled = yield* workspaces.open(id, undefined)
      for (let file = 0; file < files; file++)
        yield* filled.writeFile(pathOf(file), Buffer.from(`file ${file}\n`.repeat(20)))
      const began = performance.now()
      let tree: Sha = yield* workspaces.save(id, filled)
      const first = performance.now() - began
      let parents: ReadonlyArray<Sha> = []
      const times: Array<number> = []
      for (let round = 0; round < rounds; round++) {
        const start = performance.now()
        const overlay = yield* workspaces.open(id, tree)
        yield* overlay.writeFile(pathOf(round % files), Buffer.from(`round ${round}`))
        tree = yield* workspaces.save(id, overlay)
        const author = { name: "bench", email: "bench@cairn" }
        const commit = yield* workspaces.commit(id, { tree, parents, author, time: round * 1000, message: "bench" })
        yield* workspaces.moveRef(id, commit)
        parents = [commit]
        times.push(performance.now() - start)
      }
      const numbers = `p50 ${quantile(times, 0.5)} ms, p99 ${quantile(times, 0.99)} ms`
      console.log(`git commit, ${files} files, ${layout}: ${numbers} (first save of all: ${first.toFixed(0)} ms)`)
    }
  }
})

/** Bytes that a folder takes on the disk. */
const onDisk = (folder: string): number =>
  fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .reduce((sum, name) => sum + (fs.statSync(path.join(folder, name)).blocks ?? 0) * 512, 0)

const packing = Effect.gen(function* () {
  const workspaces = yield* WorkspaceStore
  const id = "packed"
  let tree: Sha | undefined
  let parents: ReadonlyArray<Sha> = []
  for (let round = 0; round < 1000; round++) {
    const overlay = yield* workspaces.open(id, tree)
    for (const file of round === 0 ? Array.from({ length: 100 }, (_, file) => file) : [(round * 7) % 100])
      yield* overlay.writeFile(`d${file % 10}/f${file}.txt`, Buffer.from(`file ${file} of round ${round}\n`.repeat(40)))
    tree = yield* workspaces.save(id, overlay)
    const author = { name: "bench", email: "bench@cairn" }
    const commit: Sha = yield* workspaces.commit(id, { tree, parents, author, time: round * 1000, message: "bench" })
    yield* workspaces.moveRef(id, commit)
    parents = [commit]
  }
  const size = () => `${Math.round(onDisk(`${directory}/${id}.git`) / 1024)} KB`
  const [before, began] = [size(), performance.now()]
  yield* workspaces.pack(id, { prune: true })
  const took = (performance.now() - began).toFixed(0)
  console.log(`git pack, 1,000 commits of 100 files: ${before} loose, ${size()} packed, in ${took} ms`)
})

await Effect.runPromise(
  Effect.provide(Effect.andThen(bench, packing), Layer.provide(layer({ directory, git: findGit() }), Workers.layer))
).finally(() => fs.rmSync(directory, { recursive: true }))
