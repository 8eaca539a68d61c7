import { Effect } from "effect"
import { NotOurs } from "#ports/Hold.ts"
import { patiently } from "./append.ts"
import { Kurrent } from "./client.ts"
import { Fault, faultOf } from "./Fault.ts"

/** The first whose reads of one stream tell positions, of those that are still kept up. */
const oldest = [23, 10] as const

/** EventStoreDB until 24; which licence a server runs under, it tells nobody. */
const editionOf = (major: number): string => (major < 25 ? "EventStoreDB" : "KurrentDB")

const versionOf = Effect.gen(function* () {
  const { client } = yield* Kurrent
  // hidden by the client's types, and asked for before its first append anyway
  const { serverVersion } = yield* Effect.tryPromise({
    try: () =>
      (client as unknown as { readonly capabilities: Promise<{ readonly serverVersion: string }> }).capabilities,
    catch: faultOf
  }).pipe(
    Effect.timeoutOrElse({
      duration: "4 seconds",
      orElse: () => Effect.fail(new Fault({ kind: "passes", message: "no answer within 4 s" }))
    })
  )
  return serverVersion
})

/** Why a server can't be used, in one line. */
const unusable = (place: string, why: string): NotOurs =>
  new NotOurs({ message: `KURRENTDB_URL: the server at ${place} can't be used: ${why}` })

/**
 * Looks whether the server is there, new enough and ours to read, and says which it is. Fails with `NotOurs`, whose message names
 * variable, host and cause, after nine tries in some seconds.
 */
export const check = Effect.gen(function* () {
  const { address, readAll } = yield* Kurrent
  const looking = Effect.gen(function* () {
    const version = yield* versionOf
    yield* readAll({ from: "end", backwards: true, count: 1, types: "^" })
    return version
  })
  const version = yield* Effect.retry(looking, patiently).pipe(
    Effect.mapError(({ kind, message }) =>
      unusable(address.place, kind === "denied" ? `it refuses the user: ${message}` : message)
    )
  )
  const [major = 0, minor = 0] = version.split(".").map(Number)
  if (!(major > oldest[0] || (major === oldest[0] && minor >= oldest[1])))
    return yield* unusable(
      address.place,
      `it is of version ${version}, and ${oldest.join(".")} is the oldest that has what is needed`
    )
  yield* Effect.logInfo(`the log is in ${editionOf(major)} ${version} at ${address.place}`)
})
