import { Effect } from "effect"
import type { DomainEvent } from "#domain/events.ts"
import { OrganizationCommand } from "#domain/Organization/commands.ts"
import { Organization } from "#domain/Organization/decider.ts"
import { User } from "#domain/User.ts"
import { derivedId } from "#engine/derivedId.ts"
import { Dispatcher, dispatch } from "#engine/dispatch.ts"
import type { Recorded } from "#engine/Event.ts"
import { beginning } from "#engine/Position.ts"
import { erasedOrganizations } from "#src/keys/erasedOrganizations.ts"
import { doingOf, eraseSaid, eraseSaidBy, eraseTenant, eraseVotesLeft, type Reason } from "#src/keys/eraseTenant.ts"
import { reaction } from "#src/reaction.ts"

/** Whether a person was erased, and has not registered again. */
const isErased = (user: string) =>
  Effect.flatMap(Dispatcher, (dispatcher) =>
    Effect.map(dispatcher.state(User, `user-${user}`), ({ registered, erasures }) => erasures > 0 && !registered)
  )

const eraseOrganization = Effect.fnUntraced(function* (reason: Reason) {
  const { tenant, eventId, correlationId, actor } = reason
  yield* eraseTenant("organization", reason, beginning)
  yield* eraseSaidBy(reason)
  yield* dispatch(Organization, {
    tenant,
    stream: `organization-${tenant}`,
    correlationId,
    causationId: eventId,
    actor,
    commandId: derivedId("end_erasure", eventId),
    command: OrganizationCommand.EndErasure({ organization: tenant })
  })
})

/** Erases what comes from a tenant that is erased already; of an organization, everything after its erasure. */
const eraseLate = Effect.fnUntraced(function* (reason: Reason) {
  const { tenant, actor } = reason
  if (actor.user === tenant) {
    if (yield* isErased(tenant)) yield* eraseTenant("user", reason, beginning)
    return
  }
  const erased = (yield* erasedOrganizations).get(tenant)
  if (erased !== undefined) yield* eraseTenant("organization", reason, erased)
})

/** Erases what an author who is erased already said of another tenant's snippet. */
const eraseSaidLate = Effect.fnUntraced(function* (said: Recorded<DomainEvent>) {
  const author = doingOf(said.actor)
  if (author === null || author === said.tenant) return
  const isGone = said.actor.organization === null ? yield* isErased(author) : (yield* erasedOrganizations).has(author)
  if (isGone) yield* eraseSaid(said, said)
})

/**
 * Erases what an organization, or a person without one, stored or said when they are erased, and what their requests
 * that were under way by then bring later. All of it is found in the log.
 */
export const EraseTenants = reaction({
  // the name that its checkpoint has had since it erased only persons
  name: "erase_users",
  // the others are all events that bring text under a subject of its own; a search is noted a moment after its answer
  on: [
    "UserErased",
    "OrganizationErased",
    "SnippetUploaded",
    "ChatRequested",
    "WorkspaceOpened",
    "ExecutionRecorded",
    "UploadReceived",
    "EvidenceReceived",
    "LogFilesReceived",
    "SearchAnswered",
    // about others' snippets
    "CommentAdded",
    "VoteCast",
    "SnippetDeleted"
  ],
  handle: (recorded) =>
    Effect.gen(function* () {
      const { event, ...reason } = recorded
      if (event._tag === "UserErased") {
        yield* eraseTenant("user", reason, beginning)
        yield* eraseSaidBy(reason)
      } else if (event._tag === "OrganizationErased") yield* eraseOrganization(reason)
      else if (event._tag === "CommentAdded" || event._tag === "VoteCast") yield* eraseSaidLate(recorded)
      else if (event._tag === "SnippetDeleted") yield* eraseVotesLeft(event.snippet, reason)
      else yield* eraseLate(reason)
    })
})
