import { Context, type Effect, Schema } from "effect"
import type { TooMuchWaits } from "./JobFaults.ts"

/** Something in a text that looks like a password, a token or a private key. Never the secret itself. */
export interface FoundSecret {
  /** From 1. */
  readonly line: number
  /** What it looks like, in a few words, e.g. `github: GITHUB_TOKEN`. */
  readonly kind: string
}

/** The text could not be scanned in time. */
export class ScanFailed extends Schema.TaggedError<ScanFailed>()("ScanFailed", {}) {}

/** Looks for secrets in texts that are about to be seen by everyone. */
export class SecretScan extends Context.Service<
  SecretScan,
  {
    /** The name of the rules; another name if they would find other secrets. */
    readonly rules: string
    /**
     * The secrets found in a text of at most 1 MiB, in order of lines, at most 20. `path` is the file's name, which may
     * say what to look for. Takes no more than a few seconds, whatever the text, and none of the service's own time.
     */
    readonly scan: (path: string, text: string) => Effect.Effect<ReadonlyArray<FoundSecret>, ScanFailed | TooMuchWaits>
  }
>()("cairn/SecretScan") {}
