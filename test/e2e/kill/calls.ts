import { type Answer, send } from "#test/service/call.ts"

/** The key that the service is started with. */
export const ownerKey = "cairn_live_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg"

const headers = { authorization: `Bearer ${ownerKey}` }

export const post = (url: string, path: string, body: unknown): Promise<Answer> =>
  send(url, "POST", path, body, headers)

export const get = (url: string, path: string): Promise<Answer> => send(url, "GET", path, undefined, headers)

export interface Match {
  readonly thumbs_up: number
  readonly thumbs_down: number
  readonly code_block: { readonly id: string; readonly source: string }
}

/**
 * The snippet whose code has this word in it, and what the search answered; `stale` says that it could not know better.
 */
export const findSnippet = async (url: string, word: string) => {
  const { status, headers, json, text } = await post(url, "/api/retrieve/search", { task: word, min_verdict_score: 0 })
  const matches: ReadonlyArray<Match> = status === 200 ? json.matches : []
  return {
    status,
    text,
    stale: headers.get("cairn-stale") === "true",
    match: matches.find(({ code_block }) => code_block.source.includes(word))
  }
}
