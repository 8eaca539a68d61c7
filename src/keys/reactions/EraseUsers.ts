import { Effect } from "effect"
import { SnippetCommand } from "#domain/Snippet/commands.ts"
import { Snippet } from "#domain/Snippet/decider.ts"
import { User, UserCommand } from "#domain/User.ts"
import { fresh } from "#engine/ask.ts"
import { derivedId } from "#engine/derivedId.ts"
import { Dispatcher, dispatch } from "#engine/dispatch.ts"
import type { Envelope } from "#engine/Event.ts"
import { beginning, hasReached, isAfter, type Position } from "#engine/Position.ts"
import { EventStore, type StoredEvent } from "#engine/ports/EventStore.ts"
import { Workspaces } from "#projections/Workspaces.ts"
import * as Codec from "#src/codec.ts"
import { reaction } from "#src/reaction.ts"
import { erase } from "#src/workspaces/restore.ts"

const page = 100

/**
 * Hands over a tenant's events up to a position, page by page: of some types without their text, when they are given.
 */
const each = Effect.fnUntraced(function* <E, R>(
  tenant: string,
  to: Position,
  types: ReadonlyArray<string> | undefined,
  use: (events: ReadonlyArray<StoredEvent>) => Effect.Effect<unknown, E, R>
) {
  const store = yield* EventStore
  let after = beginning
  while (isAfter(to, after)) {
    const filters = types === undefined ? { tenant } : { tenant, types, factsOnly: true }
    const { events, more } = yield* store.readAll(after, { ...filters, limit: page })
    yield* use(events.filter(({ position }) => hasReached(to, position)))
    after = more ? events.at(-1)!.position : to
  }
})

const subjectOf = ({ data }: StoredEvent): string => JSON.parse(data).subject

/** Whose it was, and the event that is the reason. */
type Reason = Pick<Envelope, "tenant" | "position" | "eventId" | "actor" | "correlationId">

/**
 * Erases what a person had in the log up to a position: snippets, workspaces, and then whatever text is still there.
 */
const eraseAll = Effect.fnUntraced(function* ({ tenant, position, eventId, actor, correlationId }: Reason) {
  const metadata = (what: string) => ({
    commandId: derivedId("erase_user", eventId, what),
    correlationId,
    causationId: eventId,
    actor
  })

  yield* each(tenant, position, ["SnippetUploaded"], (uploads) =>
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
  // one is opened by its first chat's commit, which may be still to come, or by a request of its own
  yield* each(tenant, position, ["ChatRequested", "WorkspaceOpened"], (begun) =>
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
  yield* each(tenant, position, undefined, (events) => {
    const subjects = new Set(events.filter(({ payload }) => payload !== null).map(subjectOf))
    if (subjects.size === 0) return Effect.void
    return dispatch(User, {
      tenant,
      stream: `user-${tenant}`,
      ...metadata(`text/${events.at(-1)!.position}`),
      command: UserCommand.EraseText({ user: tenant, subjects: [...subjects] })
    })
  })
})

/** Whether a person was erased, and has not come again. */
const isErased = (user: string) =>
  Effect.flatMap(Dispatcher, (dispatcher) =>
    Effect.map(dispatcher.state(User, `user-${user}`), ({ registered, erasures }) => erasures > 0 && !registered)
  )

/**
 * What a person without an organization had stored goes when they are erased, and so does what a request of theirs
 * stores that was under way by then. All of it is found in the log.
 */
export const EraseUsers = reaction({
  name: "erase_users",
  // the others are all that brings text under a subject of its own; searches are noted a moment after they are answered
  on: [
    "UserErased",
    "SnippetUploaded",
    "ChatRequested",
    "WorkspaceOpened",
    "ExecutionRecorded",
    "UploadReceived",
    "SearchAnswered"
  ],
  handle: ({ event, ...reason }) =>
    Effect.gen(function* () {
      const late = event._tag !== "UserErased"
      if (late && (reason.actor.user !== reason.tenant || !(yield* isErased(reason.tenant)))) return
      yield* eraseAll(reason)
    })
})
