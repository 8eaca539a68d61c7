import type { VoteSource } from "#domain/Snippet/events.ts"

/** Who cast a vote: a person, unless the caller says an AI; what else the caller calls the source is kept beside it. */
export const sourceOf = (given: string | null | undefined): { source: VoteSource; origin: string | null } => ({
  source: given === "ai" ? "ai" : "human",
  origin: given == null || given === "ai" || given === "human" ? null : given
})

/** Whether the service's model is to vote, under whichever of its names the switch came. */
export const isGraded = (request: {
  readonly use_service_ai_voting?: boolean | null | undefined
  readonly use_raysurfer_ai_voting?: boolean | null | undefined
  readonly auto_vote?: boolean | null | undefined
}): boolean => request.use_service_ai_voting ?? request.use_raysurfer_ai_voting ?? request.auto_vote ?? true
