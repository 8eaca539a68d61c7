import type { Redacted } from "effect"

/** Where Elasticsearch is, and with which credentials it is asked. */
export interface ElasticsearchSettings {
  /** Nodes of one cluster, at least one; without user and password. */
  readonly urls: ReadonlyArray<string>
  readonly auth:
    | { readonly apiKey: Redacted.Redacted }
    | { readonly username: string; readonly password: Redacted.Redacted }
    | undefined
  /** A PEM file of the authorities that vouch for it, instead of those that this machine knows. */
  readonly caFile: string | undefined
  /** The name of the index: an alias, and the beginning of the names behind it. */
  readonly index: string
}
