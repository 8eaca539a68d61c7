import fs from "node:fs"
import { type Duration, Effect, Layer } from "effect"
import { type Pushed, PushIntake, PushRefused, type Taken } from "#ports/PushIntake.ts"
import type { WorkspacesUnavailable } from "#ports/WorkspaceStore.ts"
import { faultOf, mustBeThere, onDisk } from "../fault.ts"
import type { NativeGit } from "../native/git.ts"
import { Permits } from "../native/Permits.ts"
import { defaultLimits, type Limits } from "../Overlay/totals.ts"
import { repositoryPath } from "../repositories.ts"
import { changedBytes, checkFiles } from "./files.ts"
import { type Pace, usual, watch } from "./pace.ts"
import { Quarantine } from "./Quarantine.ts"

export interface Options {
  /** Where the repositories are. */
  readonly directory: string
  /** `undefined`: nothing can be pushed. */
  readonly git: NativeGit | undefined
  /** Of a workspace; default: 1 GiB and 50,000 files. */
  readonly limits?: Limits
  /** Bytes of a pack; default: 256 MiB. */
  readonly mostPacked?: number
  /** How slowly a pack may arrive. */
  readonly pace?: Pace
  /** Seconds of processor time for each of git's processes; default: 120. */
  readonly processor?: number
}

/**
 * How many pushes may arrive (or wait to be looked at) at a time, and how many are looked at; of each, how many of one
 * tenant. Arriving takes only room on the disk, looking takes a processor. So only sixteen tenants that all send at the
 * slowest pace can hold up others: a sender that is slower, or stands still, loses its place. If two packs take longest
 * to look at, a third gets its turn after five minutes, whatever else their tenants have sent.
 */
const coming = { all: 32, ofOneTenant: 2 }
const looked = { all: 2, ofOneTenant: 1 }
const untilItComes = "1 minute"
const toCome = "10 minutes"
const untilLooked = "10 minutes"
const toLook = "5 minutes"
/** New commits of one push, and bytes of each. */
const mostCommits = 10_000
const longestCommit = 256 * 1024

const refuse = (reason: string) => new PushRefused({ reason })

/** Which of git's rules a push broke. The rule's name is git's own; what git quotes from the push is not told. */
const ruleIn = (complaint: string): string => {
  const at = complaint.search(/\b(?:error|fatal)/)
  // a rule's name is in camel case (`hasDotgit`); other words before a colon are a hash, a position, or a part of git
  // (`inflate`)
  const [, rule] = / ([a-z]+[A-Z][a-zA-Z]*): /.exec(at < 0 ? "" : complaint.slice(at)) ?? []
  if (/over limit/.test(complaint)) return "an object is larger than may be pushed"
  return rule === undefined ? "the pack is broken, or lacks something" : `git fsck refuses it (${rule})`
}

const look = async (
  quarantine: Quarantine,
  { from, to }: Omit<Pushed, "pack">,
  limits: Limits,
  signal: AbortSignal
): Promise<Omit<Taken, "keep">> => {
  const need = (reason: string, args: ReadonlyArray<string>, input?: string) =>
    quarantine.need(args, signal, reason, input)
  await need("what is pushed is no commit", ["rev-parse", "--quiet", "--verify", `${to}^{commit}`])
  await need("what is pushed lacks objects", ["rev-list", "--objects", "--quiet", to, "--not", from])
  await need("non-fast-forward: fetch, and put your commits on top", ["merge-base", "--is-ancestor", from, to])
  const news = await need("too many commits", ["rev-list", `--max-count=${mostCommits + 1}`, to, "--not", from])
  const commits = news.toString("latin1").split("\n").length - 1
  if (commits > mostCommits) throw refuse(`more than ${mostCommits} commits can't be pushed at once`)
  const sizes = await need("commits", ["cat-file", "--batch-check=%(objectsize)"], news.toString("latin1"))
  if (
    sizes
      .toString("latin1")
      .split("\n")
      .some((size) => Number(size) > longestCommit)
  )
    throw refuse(`a commit's message is longer than ${longestCommit / 1024} KiB`)
  await checkFiles(quarantine, to, limits, signal)
  return { commits, bytes: await changedBytes(quarantine, from, to, signal) }
}

/** Runs `run`, whose signal aborts on interruption, which ends git. */
const attempt = <A>(
  gitdir: string,
  run: (signal: AbortSignal) => Promise<A>
): Effect.Effect<A, PushRefused | WorkspacesUnavailable> =>
  Effect.catchDefect(Effect.promise(run), (error): Effect.Effect<never, PushRefused | WorkspacesUnavailable> => {
    if (error instanceof PushRefused) return Effect.fail(error)
    const fault = faultOf(error, gitdir)
    return fault === undefined ? Effect.die(error) : Effect.fail(fault)
  })

const within = <A, E, R>(duration: Duration.Input, reason: string, effect: Effect.Effect<A, E, R>) =>
  Effect.timeoutOrElse(effect, { duration, orElse: () => Effect.fail(refuse(reason)) })

const crowded = "too many pushes at once; push again"
const tooLong = "it took too long"

/** Takes in pushes with native git; without it, nothing can be pushed. */
export const layer = ({
  directory,
  git,
  limits = defaultLimits,
  mostPacked = 256 * 1024 ** 2,
  pace = usual,
  processor = 120
}: Options) =>
  Layer.sync(PushIntake, () => {
    if (git === undefined) return { take: undefined }
    const places = new Permits(coming.all, coming.ofOneTenant)
    const looks = new Permits(looked.all, looked.ofOneTenant)
    const indexing = ["index-pack", "--stdin", "--fix-thin", "--strict", "--threads=1"]
    return {
      take: Effect.fnUntraced(function* (tenant: string, repository: string, { from, to, pack }: Pushed) {
        const gitdir = repositoryPath(directory, repository)
        const place = yield* within(untilItComes, crowded, places.take(tenant))
        const quarantine = yield* Effect.acquireRelease(
          onDisk(gitdir, () => {
            mustBeThere(gitdir)
            return new Quarantine(git, directory, gitdir, processor)
          }),
          (made) => Effect.promise(() => made.remove())
        )
        let bytes = 0
        const came = (sofar: number) => {
          bytes = sofar
        }
        const receiving = attempt(gitdir, (signal) => quarantine.receive(pack, mostPacked, came, signal))
        const arriving = Effect.raceFirst(
          receiving,
          watch(() => bytes, pace)
        )
        const sent = yield* within(toCome, tooLong, arriving)
        yield* within(untilLooked, crowded, looks.take(tenant))
        // not earlier: a push that waits to be looked at has its file on the disk
        place.release()
        const looking = attempt(gitdir, async (signal) => {
          const { code, complaint } = await quarantine.ask(indexing, signal, fs.createReadStream(sent))
          if (code !== 0) throw refuse(ruleIn(complaint))
          fs.rmSync(sent)
          const found = await look(quarantine, { from, to }, limits, signal)
          await quarantine.narrow(from, to, signal)
          return found
        })
        const found = yield* within(toLook, tooLong, looking)
        return { ...found, keep: Effect.uninterruptible(onDisk(gitdir, () => quarantine.keep())) }
      })
    }
  })
