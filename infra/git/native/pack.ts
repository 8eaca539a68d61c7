import fs from "node:fs"
import { Effect } from "effect"
import { WorkspacesUnavailable } from "#ports/WorkspaceStore.ts"
import { lastWords } from "../../lastWords.ts"
import { systemCode } from "../../systemErrors.ts"
import { codeIn, onDisk, unavailable } from "../fault.ts"
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

const settings = ["pack.threads=1", "pack.windowMemory=64m", "core.bigFileThreshold=8m", "repack.writeBitmaps=false"]
/** Characters of git's complaint in which the system's words are looked for. */
const heard = 4_096

/** Runs git until it ends; fails when git does. A repository is always whole: the next time does the rest. */
const run = (
  git: NativeGit,
  gitdir: string,
  [command, ...args]: readonly [string, ...Array<string>]
): Effect.Effect<void, WorkspacesUnavailable> => {
  const given = [...settings.flatMap((setting) => ["-c", setting]), command, ...args]
  const failed = (how: string, code = "EIO") =>
    Effect.fail(new WorkspacesUnavailable({ code, message: `git ${command} failed (${how})` }))
  const notStarted = (error: unknown) => {
    const code = systemCode(error)
    return code === undefined ? Effect.die(error) : failed(`it can't be started: ${code}`, code)
  }
  const running = Effect.callback<void, WorkspacesUnavailable>((resume) => {
    const child = startGit(git, gitdir, given, { low: true })
    lastWords(child.stdin)
    child.stdout.resume()
    let complaint = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      complaint = (complaint + text).slice(-heard)
    })
    child.once("error", (error) => resume(notStarted(error)))
    child.once("close", (code, endedBy) => {
      const of = codeIn(complaint)
      if (code === 0) resume(Effect.void)
      else resume(of === undefined ? failed(endedBy ?? `exit code ${code}`) : Effect.fail(unavailable(of)))
    })
    return Effect.callback<void>((resume) => {
      if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
      child.once("close", () => resume(Effect.void))
      child.kill("SIGTERM")
    })
  })
  return Effect.catchIf(
    // some errors of a start are thrown
    Effect.catchDefect(running, notStarted),
    // it was erased meanwhile
    () => !fs.existsSync(gitdir),
    () => Effect.void
  )
}

/**
 * Packs the loose objects that the ref reaches, once enough have gathered beside the `left` ones that the last time
 * left loose. Nothing is lost: objects that the ref does not reach stay loose, or become loose if they were packed.
 * Gives whether there was anything to do; fails when git can't do it.
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
export const pruneLoose = (git: NativeGit, gitdir: string): Effect.Effect<void, WorkspacesUnavailable> =>
  run(git, gitdir, ["prune", "--expire=1.day.ago"])
