import fs from "node:fs"
import { Effect } from "effect"
import { lastWords } from "../../lastWords.ts"
import { onDisk } from "../fault.ts"
import { type NativeGit, startGit } from "./git.ts"

/** Loose objects that gather before a pack is made: loose, each takes a block of the disk, packed a part of one. */
const gathered = 256
/** Packs of a repository, at which they become one. */
const mostPacks = 16
const dayMs = 24 * 60 * 60 * 1000

/** The folders of loose objects, of 256, that are counted. Objects' names are random, so these stand for all. */
const sample = Array.from({ length: 16 }, (_, index) => (index * 16).toString(16).padStart(2, "0"))

/** An estimate of how many loose objects there are. */
export const looseObjects = async (gitdir: string): Promise<number> => {
  const counts = await Promise.all(
    sample.map((folder) =>
      fs.promises.readdir(`${gitdir}/objects/${folder}`).then(
        (names) => names.length,
        () => 0
      )
    )
  )
  return counts.reduce((sum, count) => sum + count, 0) * (256 / sample.length)
}

/** Removes what a killed git left in the folder of packs at least a day ago. Gives the names of its packs. */
const sweepPacks = (directory: string): ReadonlyArray<string> => {
  const names = fs.existsSync(directory) ? fs.readdirSync(directory) : []
  for (const name of names) {
    if (!name.startsWith(".tmp-") && !name.startsWith("tmp_")) continue
    const changed = fs.statSync(`${directory}/${name}`, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY
    if (changed < Date.now() - dayMs) fs.rmSync(`${directory}/${name}`, { force: true })
  }
  return names.filter((name) => name.endsWith(".pack"))
}

/** Runs git until it ends; gives whether it succeeded. A repository is always whole: the next time does the rest. */
const run = (git: NativeGit, gitdir: string, args: ReadonlyArray<string>): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const settings = [
      "pack.threads=1",
      "pack.windowMemory=64m",
      "core.bigFileThreshold=8m",
      "repack.writeBitmaps=false"
    ]
    const child = startGit(git, gitdir, [...settings.flatMap((setting) => ["-c", setting]), ...args], { low: true })
    lastWords(child.stdin)
    child.stdout.resume()
    child.once("error", () => resume(Effect.succeed(false)))
    child.once("close", (code) => resume(Effect.succeed(code === 0)))
    return Effect.callback<void>((resume) => {
      if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
      child.once("close", () => resume(Effect.void))
      child.kill("SIGTERM")
    })
  })

/**
 * Packs the loose objects that the ref reaches, once enough have gathered beside the `left` ones that the last time
 * left loose. Nothing is lost: objects that the ref does not reach stay loose, or become loose if they were packed.
 * Gives whether there was anything to do.
 */
export const packLoose = Effect.fnUntraced(function* (git: NativeGit, gitdir: string, left: number) {
  const packs = yield* onDisk(gitdir, () => sweepPacks(`${gitdir}/objects/pack`))
  // each push brings a pack
  const few = packs.length < mostPacks && (yield* onDisk(gitdir, () => looseObjects(gitdir))) < left + gathered
  if (few) return false
  yield* run(git, gitdir, ["repack", "-q", "-d", "-l", ...(packs.length < mostPacks ? [] : ["-A"])])
  return true
})

/** Removes loose objects that the ref does not reach and that nobody has written for a day. */
export const pruneLoose = (git: NativeGit, gitdir: string): Effect.Effect<boolean> =>
  run(git, gitdir, ["prune", "--expire=1.day.ago"])
