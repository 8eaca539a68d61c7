import {
  AccessDeniedError,
  DeadlineExceededError,
  MaxAppendSizeExceededError,
  NotLeaderError,
  StreamDeletedError,
  StreamNotFoundError,
  UnavailableError,
  WrongExpectedVersionError
} from "@kurrent/kurrentdb-client"
import { Data } from "effect"
import { isOfCertificate } from "#ports/certificate.ts"

/** Why a call to KurrentDB failed. */
export class Fault extends Data.TaggedError("Fault")<{
  /** `passes`: the same call may succeed in a moment. `deleted`: the stream is gone for good. */
  readonly kind: "passes" | "wrong-revision" | "no-stream" | "deleted" | "denied" | "too-big" | "other"
  readonly message: string
  /** What the client does by itself next: it goes to the leader (`elsewhere`), or looks for a node within reach. */
  readonly way?: "elsewhere" | "unreachable"
  /** Nothing was heard: of a server that is away, or that looks for what it has not found yet. */
  readonly silent?: true
  /** The revision that a stream has, where another was expected; -1: none. */
  readonly actual?: number
}> {}

/** gRPC's numbers: cancelled, deadline exceeded, resource exhausted, aborted, internal, unavailable, data loss. */
const passing: ReadonlySet<unknown> = new Set([1, 4, 8, 10, 13, 14, 15])
const passingWords = /no leader|not ready|too busy|ECONN|connect|timed out|was aborted|was cancelled|exhausted|no node/i
const unauthenticated = 16
const permissionDenied = 7

const [before, behind] = ["Last error: ", " Resolution note:"]

/** Why a connection failed, as gRPC's message has it inside; without the time, which a line of the log has itself. */
const causeIn = (message: string): string | undefined => {
  const from = message.indexOf(before)
  const to = message.indexOf(behind, from)
  if (from === -1 || to === -1) return undefined
  const said = message.slice(from + before.length, to)
  const words = (said.endsWith(".") ? said.slice(0, -1) : said).replace(/^\w*Error(?: \[\w+\])?: /, "")
  const time = words.lastIndexOf(" (")
  return words.endsWith(")") && /^ \(\d{4}-/.test(words.slice(time)) ? words.slice(0, time) : words
}

const plain = (message: string): string => {
  const words = causeIn(message) ?? message.replace(/^\d+ [A-Z_]+: /, "")
  if (/wrong version number|InvalidContentType/i.test(words)) return "it does not speak TLS"
  // then the client has no name to hand to TLS, whatever the certificate says
  if (/must not be an IP address/i.test(words))
    return "with TLS it has to be named by its host's name, not by an IP address"
  if (words.startsWith("Protocol error")) return "what answers there does not speak gRPC"
  if (words.startsWith("Failed to discover")) return "no node of the cluster answered (is tlsCAFile needed?)"
  if (!isOfCertificate(words)) return words
  return `its certificate is not vouched for (${words.split(";")[0]}): name the CA with ?tlsCAFile=…`
}

/** The error's message, which says nothing of events: the client's errors have what was sent in other fields. */
const said = (error: unknown): string =>
  plain((error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, " ")).slice(0, 300)

/** Makes a `Fault` of the client's errors, of its native half's, and of bare gRPC errors, which it lets through. */
export const faultOf = (error: unknown): Fault => {
  const message = said(error)
  const code = (error as { readonly code?: unknown } | null)?.code
  if (error instanceof WrongExpectedVersionError) {
    const { actualState } = error
    return new Fault({
      kind: "wrong-revision",
      message,
      actual: typeof actualState === "bigint" ? Number(actualState) : -1
    })
  }
  if (error instanceof StreamNotFoundError) return new Fault({ kind: "no-stream", message })
  if (error instanceof StreamDeletedError) return new Fault({ kind: "deleted", message })
  if (error instanceof MaxAppendSizeExceededError) return new Fault({ kind: "too-big", message })
  if (error instanceof AccessDeniedError || code === unauthenticated || code === permissionDenied)
    return new Fault({ kind: "denied", message })
  if (isOfCertificate(message)) return new Fault({ kind: "other", message })
  if (error instanceof NotLeaderError) return new Fault({ kind: "passes", message, way: "elsewhere" })
  if (error instanceof UnavailableError) return new Fault({ kind: "passes", message, way: "unreachable" })
  // while a leader is elected, none is known, and the client calls that `unknown`; its native half has gRPC's words
  // instead of numbers
  if (error instanceof DeadlineExceededError || passing.has(code) || passingWords.test(message))
    return new Fault({ kind: "passes", message })
  return new Fault({ kind: "other", message })
}
