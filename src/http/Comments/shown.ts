import { Effect } from "effect"
import type { Scope } from "#domain/Scope.ts"
import { type Comment, commentsShown, type Onlooker, shownAs } from "#projections/Comments.ts"
import { emailsOf } from "#projections/Keys/emails.ts"
import type { CommentedEntry } from "#projections/Snippets/queries.ts"
import { external } from "#src/actor.ts"
import type { ShownComment } from "#src/api/Comments.ts"

type Seen<C> = C & { readonly shownAs: "own" | "strange" }

/** The comments on a snippet of the tenant `of` that an onlooker sees, and how each is shown. */
export const seenBy = <C extends Pick<Comment, "tenant" | "home">>(
  onlooker: Onlooker,
  of: string,
  comments: ReadonlyArray<C>
): ReadonlyArray<Seen<C>> =>
  comments.flatMap((comment) => {
    const as = shownAs(onlooker, of, comment)
    return as === "hidden" ? [] : [{ ...comment, shownAs: as }]
  })

/** Comments as a tenant is told them: with the e-mail addresses of its own users only. */
export const toldTo = Effect.fnUntraced(function* (tenant: string, comments: ReadonlyArray<Seen<Comment>>) {
  const authors = comments.flatMap(({ shownAs, author }) => (shownAs === "own" && author !== null ? [author] : []))
  const emails = yield* Effect.orDie(emailsOf(tenant, [...new Set(authors)]))
  return comments.map(({ id, shownAs, author, agent, text, created_at }): ShownComment => {
    const own = shownAs === "own"
    const email = own ? (emails.get(author ?? "") ?? "erased") : external
    return { id, email, agent_id: own ? agent : null, text, created_at }
  })
})

/**
 * The latest comments on each snippet, as a tenant is told them: strangers' only if public snippets are asked for.
 * Anybody who finds a public snippet may write there, also to its owner's agents.
 */
export const shownComments = Effect.fnUntraced(function* (
  tenant: string,
  { homes, includePublic }: Pick<Scope, "homes" | "includePublic">,
  snippets: ReadonlyArray<Pick<CommentedEntry, "tenant" | "comments">>
) {
  const seen = snippets.map(({ tenant: of, comments }) =>
    seenBy({ tenant, homes, includePublic }, of, comments).slice(-commentsShown)
  )
  // one query for all addresses
  const told = new Map((yield* toldTo(tenant, seen.flat())).map((comment) => [comment.id, comment]))
  return seen.map((comments) => comments.map(({ id }) => told.get(id)!))
})
