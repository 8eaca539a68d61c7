import { Effect, Layer } from "effect"
import { type Pushed, PushIntake, PushRefused } from "#ports/PushIntake.ts"
import { mustBeThere, onDisk } from "../fault.ts"
import type { NativeGit } from "../native/git.ts"
import { Permits } from "../native/Permits.ts"
import { defaultLimits, type Limits } from "../Overlay/totals.ts"
import { repositoryPath } from "../repositories.ts"
import { checkFiles } from "./files.ts"
import { Quarantine } from "./Quarantine.ts"

export interface Options {
  /** Where the repositories are. */
  readonly directory: string
  /** `undefined`: nothing can be pushed. */
  readonly git: NativeGit | undefined
  /** Of a workspace; 1 GiB and 50,000 files unless told. */
  readonly limits?: Limits
  /** Bytes of a pack; 256 MiB unless told. */
  readonly mostPacked?: number
  /** Seconds of the processor for each of git's processes; 120 unless told. */
  readonly processor?: number
}

/** Pushes that are taken in at a time, and of those of one tenant. */
const atOnce = 2
const ofOneTenant = 1
const queued = "1 minute"
/** In which all of a push has to come and be looked at. */
const patience = "10 minutes"
/** New commits of one push, and bytes of each. */
const mostCommits = 10_000
const longestCommit = 256 * 1024

const refuse = (reason: string) => new PushRefused({ reason })

/** Which of git's rules something broke: their names are git's own, what they quote is not told. */
const ruleIn = (complaint: string): string => {
  const at = complaint.search(/\b(?:error|fatal)/)
  // a rule's name begins with a letter and has no digits; what stands before another colon is a hash or a position
  const [, rule] = / ([a-z][a-zA-Z]+): /.exec(at < 0 ? "" : complaint.slice(at)) ?? []
  if (/exceeds maximum allowed size/.test(complaint)) return "the pack is larger than may be pushed at once"
  if (/over limit/.test(complaint)) return "an object is larger than may be pushed"
  return rule === undefined ? "the pack is broken, or lacks something" : `git fsck refuses it (${rule})`
}

const look = async (
  quarantine: Quarantine,
  { from, to }: Omit<Pushed, "pack">,
  limits: Limits,
  signal: AbortSignal
): Promise<number> => {
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
  return commits
}

/** Runs until it is done or interrupted; then git is ended. */
const attempt = <A>(run: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, PushRefused> =>
  Effect.catchDefect(Effect.promise(run), (error) =>
    error instanceof PushRefused ? Effect.fail(error) : Effect.die(error)
  )

/** Takes in pushes with native git, where it is there. */
export const layer = ({
  directory,
  git,
  limits = defaultLimits,
  mostPacked = 256 * 1024 ** 2,
  processor = 120
}: Options) =>
  Layer.sync(PushIntake, () => {
    if (git === undefined) return { take: undefined }
    const permits = new Permits(atOnce, ofOneTenant)
    const indexing = [
      "index-pack",
      "--stdin",
      "--fix-thin",
      "--strict",
      "--threads=1",
      `--max-input-size=${mostPacked}`
    ]
    return {
      take: Effect.fnUntraced(function* (tenant: string, repository: string, { from, to, pack }: Pushed) {
        const gitdir = repositoryPath(directory, repository)
        yield* Effect.timeoutOrElse(permits.take(tenant), {
          duration: queued,
          orElse: () => Effect.fail(refuse("too many pushes at once; push again"))
        })
        const quarantine = yield* Effect.acquireRelease(
          onDisk(gitdir, () => {
            mustBeThere(gitdir)
            return new Quarantine(git, directory, gitdir, processor)
          }),
          (made) => Effect.promise(() => made.remove())
        )
        const taking = attempt(async (signal) => {
          const { code, complaint } = await quarantine.ask(indexing, signal, pack)
          if (code !== 0) throw refuse(ruleIn(complaint))
          const commits = await look(quarantine, { from, to }, limits, signal)
          await quarantine.narrow(from, to, signal)
          return commits
        })
        const commits = yield* Effect.timeoutOrElse(taking, {
          duration: patience,
          orElse: () => Effect.fail(refuse("it took too long"))
        })
        return { commits, keep: Effect.uninterruptible(onDisk(gitdir, () => quarantine.keep())) }
      })
    }
  })
