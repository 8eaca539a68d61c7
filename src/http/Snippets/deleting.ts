import { Effect } from "effect"
import { idIn } from "#domain/Id.ts"
import { type Holder, type Scope, scopeOf, sees } from "#domain/Scope.ts"
import { SnippetCommand } from "#domain/Snippet/commands.ts"
import { Snippet } from "#domain/Snippet/decider.ts"
import type { CommandMetadata } from "#engine/CommandEnvelope.ts"
import { dispatch } from "#engine/dispatch.ts"
import { knownSnippet, snippetsNamed } from "#projections/Snippets/queries.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { Caller, CallerScope } from "#src/api/middleware.ts"
import { WithoutWorkspace } from "#src/api/ownWorkspace.ts"
import { fieldProblem, Problem } from "#src/api/Problem.ts"
import { commandMetadata, doneBefore, freshOrStale, written } from "../answer.ts"
import { problemOf as scopeProblemOf } from "../middleware/scope.ts"
import { mayDelete } from "./storedBy.ts"

const notFound = fieldProblem(
  "not_found/snippet",
  "snippet_id",
  "No snippet of this request's scope has this id or name. Search for it, or check the workspace header."
)

const storedByOthers = new Problem({
  code: "permission/not_your_snippet",
  message:
    "Somebody else stored this snippet: this key takes away what its own person stored. Ask them, or an admin, to delete it."
})

/** The snippet that the caller names, by its id or by a name that no other snippet of the scope has. */
const named = Effect.fnUntraced(function* (scope: Scope, idOrName: string) {
  const id = idIn(idOrName)
  if (id !== undefined) {
    const known = yield* Effect.orDie(knownSnippet(id))
    if (known !== undefined && known.home === scope.home) return known
    if (known !== undefined && sees(scope, known)) {
      return yield* new Problem({
        code: "permission/not_your_snippet",
        message:
          "This snippet lives in another scope than the request's: it can be used and voted on here, not deleted. Delete it from where it was uploaded."
      })
    }
  }
  const homonyms = yield* Effect.orDie(snippetsNamed(scope.home, idOrName))
  if (homonyms.length > 1) {
    const ids = homonyms.map(({ id }) => id).join(", ")
    return yield* fieldProblem(
      "conflict/ambiguous_name",
      "snippet_id",
      `${homonyms.length} snippets have this name: ${ids}. Send the id of the one that you mean.`
    )
  }
  return homonyms[0] ?? (yield* notFound)
})

const deleted = Effect.fnUntraced(function* (
  holder: Holder,
  scope: Scope,
  idOrName: string,
  metadata: CommandMetadata
) {
  const { id } = yield* named(scope, idOrName)
  if (!(yield* mayDelete(holder, id))) return yield* storedByOthers
  const command = SnippetCommand.DeleteSnippet({ snippet: id })
  return yield* dispatch(Snippet, { tenant: holder.tenant, stream: `snippet-${id}`, command, ...metadata })
})

/** Deletes the snippet that an id or a name means, and answers once the catalogue has deleted its text, too. */
export const deleting = Effect.fnUntraced(function* (scope: Scope, idOrName: string) {
  yield* freshOrStale(Snippets)
  const metadata = yield* commandMetadata
  const events = (yield* doneBefore) ?? (yield* deleted(yield* Caller, scope, idOrName, metadata))
  yield* written(events.at(-1)!.position)
  // the catalogue has a copy of the text, which must be gone before the answer
  yield* freshOrStale(Snippets)
  return { success: true, deleted_count: 1, message: "Deleted 1 snippet, its votes and its texts." }
})

const bodyNames = {
  workspace: "workspace_id",
  narrowing: "workspace_id",
  organization: "X-Cairn-Org-Id",
  snipsDesired: "X-Cairn-Snips-Desired"
}

/** The request's scope, with the body's workspace, if there is one, in place of the headers'. */
export const deletingScope = Effect.fnUntraced(function* (workspace: string | null | undefined) {
  const scope = yield* CallerScope
  const missing = yield* WithoutWorkspace
  if (missing !== undefined && !workspace) return yield* missing
  if (workspace == null) return scope
  const opened = scopeOf(yield* Caller, {
    organization: undefined,
    snipsDesired: undefined,
    publicSnips: undefined,
    workspace,
    agent: scope.agent ?? undefined
  })
  return yield* Effect.mapError(Effect.fromResult(opened), scopeProblemOf(bodyNames))
})
