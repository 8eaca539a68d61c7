import { Effect } from "effect"
import type { DomainEvent } from "#domain/events.ts"
import { OrganizationCommand } from "#domain/Organization/commands.ts"
import { Organization } from "#domain/Organization/decider.ts"
import { SnippetCommand } from "#domain/Snippet/commands.ts"
import { Snippet } from "#domain/Snippet/decider.ts"
import { User, UserCommand } from "#domain/User.ts"
import { fresh } from "#engine/ask.ts"
import type { CommandMetadata } from "#engine/CommandEnvelope.ts"
import { derivedId } from "#engine/derivedId.ts"
import { dispatch } from "#engine/dispatch.ts"
import type { Actor, Envelope, Recorded } from "#engine/Event.ts"
import { beginning, hasReached, isAfter, type Position } from "#engine/Position.ts"
import { EventStore, type StoredEvent } from "#engine/ports/EventStore.ts"
import { Workspaces } from "#projections/Workspaces/tables.ts"
import * as Codec from "#src/codec.ts"
import { erase } from "#src/workspaces/restore.ts"

const page = 100

/** A part of a tenant's events, or of everyone's: strictly after a position, up to another. */
interface Stretch {
  readonly tenant?: string
  readonly after: Position
  readonly to: Position
}

/** Hands over a stretch of events, page by page; with `types`, only events of these types, without their text. */
const each = Effect.fnUntraced(function* <E, R>(
  { to, after: from, ...whose }: Stretch,
  types: ReadonlyArray<string> | undefined,
  use: (events: ReadonlyArray<StoredEvent>) => Effect.Effect<unknown, E, R>
) {
  const store = yield* EventStore
  let after = from
  while (isAfter(to, after)) {
    const filters = types === undefined ? whose : { ...whose, types, factsOnly: true }
    const { events, more } = yield* store.readAll(after, { ...filters, limit: page })
    yield* use(events.filter(({ position }) => hasReached(to, position)))
    after = more ? events.at(-1)!.position : to
  }
})

const subjectOf = ({ data }: StoredEvent): string => JSON.parse(data).subject

/** The event that is the reason for an erasure, and whose it was. */
export type Reason = Pick<Envelope, "tenant" | "position" | "eventId" | "actor" | "correlationId">

/** Metadata of a command that a reason leads to; `what` tells it from the reason's other commands. */
const because =
  ({ eventId, correlationId, actor }: Pick<Reason, "eventId" | "correlationId" | "actor">) =>
  (what: string): CommandMetadata => ({
    commandId: derivedId("erase_user", eventId, what),
    correlationId,
    causationId: eventId,
    actor
  })

/** What owns streams. */
export type TenantKind = "user" | "organization"

/** Erases texts that no other event has erased. */
const eraseText = Effect.fnUntraced(function* (
  kind: TenantKind,
  tenant: string,
  subjects: ReadonlyArray<string>,
  metadata: CommandMetadata
) {
  const envelope = { tenant, stream: `${kind}-${tenant}`, ...metadata }
  if (kind === "user")
    yield* dispatch(User, { ...envelope, command: UserCommand.EraseText({ user: tenant, subjects }) })
  else
    yield* dispatch(Organization, {
      ...envelope,
      command: OrganizationCommand.EraseOrganizationText({ organization: tenant, subjects })
    })
})

/**
 * Erases what a tenant had in the log after a position, up to the reason's: snippets, workspaces, and then whatever
 * text is still there. Repeating it changes nothing more.
 */
export const eraseTenant = Effect.fnUntraced(function* (kind: TenantKind, reason: Reason, after: Position) {
  const { tenant, position } = reason
  const stretch = { tenant, after, to: position }
  const metadata = because(reason)

  yield* each(stretch, ["SnippetUploaded"], (uploads) =>
    Effect.forEach(uploads, (stored) => {
      const { event } = Codec.decode(stored)
      if (event._tag !== "SnippetUploaded") return Effect.void
      const { snippet } = event
      return dispatch(Snippet, {
        tenant,
        stream: `snippet-${snippet}`,
        ...metadata(`snippet/${snippet}`),
        command: SnippetCommand.DeleteSnippet({ snippet })
      }).pipe(Effect.catchTag("SnippetNotFound", () => Effect.void))
    })
  )

  const workspaces = new Set<string>()
  // a workspace is opened by its first chat's commit, which may be still to come, or by a request of its own
  yield* each(stretch, ["ChatRequested", "WorkspaceOpened"], (begun) =>
    Effect.sync(() => {
      for (const stored of begun) {
        const { event } = Codec.decode(stored)
        if (event._tag === "ChatRequested" || event._tag === "WorkspaceOpened") workspaces.add(event.workspace)
      }
    })
  )
  if (workspaces.size > 0) yield* fresh(Workspaces)
  for (const workspace of workspaces) {
    yield* erase(tenant, workspace, metadata(`workspace/${workspace}`)).pipe(
      Effect.catchTag("WorkspaceNotFound", () => Effect.void)
    )
  }

  // searches, uploads, runs of code that is not stored
  yield* each(stretch, undefined, (events) => {
    const subjects = new Set(events.filter(({ payload }) => payload !== null).map(subjectOf))
    if (subjects.size === 0) return Effect.void
    return eraseText(kind, tenant, [...subjects], metadata(`text/${events.at(-1)!.position}`))
  })
})

/** The tenant that an actor belongs to. */
export const doingOf = ({ organization, user }: Actor): string | null => organization ?? user

/**
 * Erases what was typed with one comment or vote, if it was about another tenant's snippet. Older releases recorded it
 * under the snippet's own subject: such a comment is no longer shown, and the text of such a vote stays.
 */
export const eraseSaid = Effect.fnUntraced(function* (
  { event, tenant, actor }: Pick<Recorded<DomainEvent>, "event" | "tenant" | "actor">,
  reason: Pick<Reason, "eventId" | "correlationId" | "actor">
) {
  const author = doingOf(actor)
  if (author === null || author === tenant) return
  if (event._tag !== "CommentAdded" && event._tag !== "VoteCast") return
  const { snippet } = event
  const envelope = (what: string) => ({ tenant, stream: `snippet-${snippet}`, ...because(reason)(what) })
  const erasing =
    event._tag === "CommentAdded"
      ? dispatch(Snippet, {
          ...envelope(`comment/${event.comment}`),
          command: SnippetCommand.DeleteComment({
            snippet,
            comment: event.comment,
            by: "",
            owns: true
          })
        })
      : dispatch(Snippet, {
          ...envelope(`votes/${snippet}`),
          command: SnippetCommand.EraseVotes({ snippet, tenant: author })
        })
  yield* erasing.pipe(Effect.catchTags({ SnippetNotFound: () => Effect.void, CommentNotFound: () => Effect.void }))
})

/**
 * Erases what is left of what voters of other tenants typed about a deleted snippet: they were too many for one
 * command, or a process of an older release, which did not know that their text is kept apart, deleted it.
 */
export const eraseVotesLeft = Effect.fnUntraced(function* (snippet: string, reason: Reason) {
  const { tenant } = reason
  const portion = (number: number) =>
    dispatch(Snippet, {
      tenant,
      stream: `snippet-${snippet}`,
      ...because(reason)(`votes/${number}`),
      command: SnippetCommand.EraseVotes({ snippet })
    })
  let number = 0
  while ((yield* portion(number)).length > 0) number++
})

/** Erases what a tenant's people said of others' snippets, in the whole log up to the reason's position. */
export const eraseSaidBy = Effect.fnUntraced(function* (reason: Reason) {
  const { tenant, position } = reason
  const done = new Set<string>()
  yield* each({ after: beginning, to: position }, ["CommentAdded", "VoteCast"], (events) =>
    Effect.forEach(
      events.filter((stored) => doingOf(stored.actor) === tenant && stored.tenant !== tenant),
      (stored) => {
        const said = Codec.decode(stored)
        // once for all votes on a snippet
        const what = said.event._tag === "CommentAdded" ? said.event.comment : said.stream
        if (done.has(what)) return Effect.void
        done.add(what)
        return eraseSaid(said, reason)
      }
    )
  )
})
