import { closeSync, openSync } from "node:fs"
import { Cause, Effect, Exit, Stream } from "effect"
import * as Check from "#infra/git/native/check.ts"
import { findGit } from "#infra/git/native/git.ts"
import { pruneLoose } from "#infra/git/native/pack.ts"
import * as Transport from "#infra/git/native/transport.ts"
import { Quarantine } from "#infra/git/push/Quarantine.ts"
import { GitTransport } from "#ports/GitTransport.ts"
import { RepositoryCheck } from "#ports/RepositoryCheck.ts"

/**
 * A service that has no file descriptors left, for a while: prints what becomes of each use of git then, and
 * afterwards. Its argument is a folder with the repository `one.git`.
 */
const directory = process.argv[2]!
const gitdir = `${directory}/one.git`
const git = findGit()!
const quarantine = new Quarantine(git, directory, gitdir, 60)

const asked = Effect.promise(() => quarantine.ask(["rev-parse", "--git-dir"], new AbortController().signal, "input"))
const cloned = Effect.gen(function* () {
  const { advertise } = (yield* GitTransport).smart!
  return yield* Stream.runDrain(advertise("tenant", "one", "version=2"))
}).pipe(Effect.provide(Transport.layer({ directory, git })))
const checked = Effect.gen(function* () {
  const said = yield* (yield* RepositoryCheck).check("one")
  return said === undefined ? yield* Effect.fail({ code: "unchecked" }) : said
}).pipe(Effect.provide(Check.layer({ directory, git })))

/** The code of each failure; `null`: it went well. */
const outcomes = Effect.gen(function* () {
  const codes: Array<string | null | undefined> = []
  for (const use of [asked, cloned, pruneLoose(git, gitdir), checked]) {
    const exit = yield* Effect.exit(Effect.timeout(use as Effect.Effect<unknown, unknown>, "20 seconds"))
    if (Exit.isSuccess(exit)) codes.push(null)
    else codes.push((Cause.squash(exit.cause) as { readonly code?: string }).code)
  }
  return codes
})

const held: Array<number> = []
try {
  for (;;) held.push(openSync(import.meta.filename, "r"))
} catch {
  // none is left
}
const without = await Effect.runPromise(outcomes)
for (const file of held) closeSync(file)
const afterwards = await Effect.runPromise(outcomes)
await quarantine.remove()
process.stdout.write(`${JSON.stringify({ without, afterwards })}\n`)
