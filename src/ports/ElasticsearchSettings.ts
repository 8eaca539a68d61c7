import type { Redacted } from "effect"

/** Where an Elasticsearch is, and as whom it is asked. */
export interface ElasticsearchSettings {
  /** Nodes of one cluster, one at least; without user and password. */
  readonly urls: ReadonlyArray<string>
  readonly auth:
    | { readonly apiKey: Redacted.Redacted }
    | { readonly username: string; readonly password: Redacted.Redacted }
    | undefined
  /** A file of certificates (PEM) that vouch for its own, instead of those that this machine knows. */
  readonly caFile: string | undefined
  /** What the index is called: an alias, and the beginning of the names behind it. */
  readonly index: string
}
