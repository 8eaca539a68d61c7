import { Effect } from "effect"
import { IndexUnavailable } from "#ports/SnippetIndex.ts"
import type { Engine } from "./Engine.ts"

/**
 * The outcome of a request to every copy of an index. It can be answered with 200 though some copies, or all, did not
 * do it.
 */
export interface Copies {
  readonly _shards?: { readonly successful: number; readonly failed: number }
}

/** Whether each copy did what it was asked, and there is one. */
export const allDid = ({ _shards }: Copies): boolean => _shards?.failed === 0 && _shards.successful > 0

/** Makes what was written visible in every copy of an index; `false`: there is no such index. */
export const refreshed = Effect.fnUntraced(function* (ask: Engine["ask"], name: string, within: number) {
  const { status, body } = yield* ask<Copies>({ method: "POST", path: `/${name}/_refresh`, within })
  if (status === 404) return false
  if (!allDid(body))
    return yield* new IndexUnavailable({ fault: `Elasticsearch did not refresh every copy of ${name}` })
  return true
})
