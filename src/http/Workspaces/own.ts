import { Effect } from "effect"
import { worksIn } from "#domain/access/reach.ts"
import { idIn } from "#domain/Id.ts"
import { workspaceOf } from "#projections/Workspaces/standing.ts"
import { Workspaces } from "#projections/Workspaces/tables.ts"
import { Caller } from "#src/api/middleware.ts"
import { fieldProblem } from "#src/api/Problem.ts"
import { freshOrStale } from "../answer.ts"

export const noWorkspace = fieldProblem(
  "not_found/workspace",
  "id",
  "You have no workspace with this id. GET /api/workspaces lists those that you have."
)

/** The answer to a caller who names a workspace by `org_id` and `user_id` instead of its id. */
export const notYours = fieldProblem(
  "permission/not_your_workspace",
  "user_id",
  "This key works in other workspaces than this one: in those of its own person, whose e-mail is their user_id unless the key has another, or in those that it is limited to. Use a key with acts_for any, or ask an admin for one."
)

/** The workspace that the caller names, if their key works in it; fails with `noWorkspace` otherwise. */
export const own = Effect.fnUntraced(function* (given: string) {
  const holder = yield* Caller
  const id = idIn(given)
  if (id === undefined) return yield* noWorkspace
  yield* freshOrStale(Workspaces)
  const workspace = yield* Effect.orDie(workspaceOf(holder.tenant, id))
  return workspace !== undefined && worksIn(holder, { id, user: workspace.user_id }) ? workspace : yield* noWorkspace
})

/** The path after `/files/` in a URL, decoded; `undefined`: its escapes are not UTF-8. */
export const pathIn = (url: string): string | undefined => {
  const [, after = ""] = /\/files\/([^?#]*)/.exec(url) ?? []
  try {
    return decodeURIComponent(after)
  } catch {
    return undefined
  }
}
