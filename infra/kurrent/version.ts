import { Effect } from "effect"
import { EngineUnusable } from "#ports/EngineUnusable.ts"
import { patiently } from "./append.ts"
import { Kurrent } from "./client.ts"
import { Fault, faultOf } from "./Fault.ts"

/** The oldest version, of those still maintained, whose reads of one stream give positions. */
const oldest = [23, 10] as const

/** EventStoreDB until 24; a server does not tell which licence it runs under. */
const editionOf = (major: number): string => (major < 25 ? "EventStoreDB" : "KurrentDB")

const versionOf = Effect.gen(function* () {
  const { client } = yield* Kurrent
  // the client's types hide this, and the client asks for it before its first append anyway
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

/**
 * Checks that the server is there, new enough and ours to read, and logs which one it is. Fails with `EngineUnusable`
 * after nine tries in some seconds.
 */
export const check = Effect.gen(function* () {
  const { address, readAll } = yield* Kurrent
  const unusable = (why: string, passes: boolean) =>
    new EngineUnusable({ message: `KurrentDB at ${address.place} (KURRENTDB_URL) can't be used: ${why}`, passes })
  const looking = Effect.gen(function* () {
    const version = yield* versionOf
    yield* readAll({ from: "end", backwards: true, count: 1 })
    return version
  })
  const version = yield* Effect.retry(looking, patiently).pipe(
    Effect.mapError(({ kind, message }) =>
      kind === "denied"
        ? unusable(`it does not let this user read everything (${message})`, false)
        : unusable(message, kind === "passes")
    )
  )
  const [major = 0, minor = 0] = version.split(".").map(Number)
  if (!(major > oldest[0] || (major === oldest[0] && minor >= oldest[1])))
    return yield* unusable(
      `it is of version ${version}, and ${oldest.join(".")} is the oldest that tells what is needed`,
      false
    )
  if (process.versions["deno"] !== undefined) {
    yield* Effect.logWarning(
      "Deno's HTTP/2 has been seen to end the process while a KurrentDB restarts. Node 22.19 or newer does not: `npm start` takes it where it is installed."
    )
  }
  yield* Effect.logInfo(`the log is in ${editionOf(major)} ${version} at ${address.place}`)
})
