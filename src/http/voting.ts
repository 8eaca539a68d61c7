import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import type { VoteSource } from "#domain/Snippet/events.ts"
import { CallerScope } from "#src/api/middleware.ts"
import type { VoteSourceGiven } from "#src/api/voteSource.ts"

/**
 * Whether an agent makes the request: it names itself, or it is the existing MCP server, which only agents use. Any
 * other request with a person's key is the person's.
 */
export const byAgent = Effect.gen(function* () {
  const { agent } = yield* CallerScope
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  return agent !== null || headers["x-raysurfer-sdk-version"]?.startsWith("mcp/") === true
})

type Given = VoteSourceGiven | null | undefined

/**
 * Who cast the vote of a request, and through what. A vote is a person's if a person's key gives it, no agent makes the
 * request, and the caller does not call it an AI's: nobody can make an agent's vote a person's by saying so.
 */
export const sourceOf = (given: Given, agent: boolean): { source: VoteSource; origin: string | null } => ({
  source: agent || given === "ai" || given === "mcp" ? "ai" : "human",
  origin: given == null || given === "ai" || given === "human" ? null : given
})

interface Voting {
  readonly vote_source?: Given
  readonly vote_count?: number | null | undefined
  readonly use_service_ai_voting?: boolean | null | undefined
  readonly use_raysurfer_ai_voting?: boolean | null | undefined
  readonly auto_vote?: boolean | null | undefined
}

/** Whether the service's model votes; the switch has several names. */
export const isGraded = (request: Voting): boolean =>
  request.use_service_ai_voting ?? request.use_raysurfer_ai_voting ?? request.auto_vote ?? true

/** What of a request's votes is ignored, in words for the caller; `""`: all of it counts. */
export const ignoredVoting = (
  request: Voting,
  {
    voted,
    used,
    agent,
    field
  }: {
    /** Whether the caller votes on what is stored, in this field. */
    readonly voted: boolean
    readonly field: "user_vote" | "user_votes"
    /** Whether the caller votes on what was used. */
    readonly used: boolean
    readonly agent: boolean
  }
): string => {
  const { vote_source: source, vote_count: count } = request
  const graded = !voted && isGraded(request)
  const ignored: Array<string> = []
  if (agent && source === "human" && (voted || used))
    ignored.push("vote_source human is ignored: an agent speaks, and its votes are an agent's.")
  else if (source != null && !voted && !used && !(graded && source === "ai"))
    ignored.push(`vote_source is ignored: without ${field} ${graded ? "the service's model votes" : "nobody votes"}.`)
  if (count != null && count !== 1 && !voted && !graded)
    ignored.push(`vote_count is ignored: without ${field} nobody votes.`)
  return ignored.map((sentence) => ` ${sentence}`).join("")
}
