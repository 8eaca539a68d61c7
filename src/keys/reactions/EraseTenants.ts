import { Effect } from "effect"
import { OrganizationCommand } from "#domain/Organization/commands.ts"
import { Organization } from "#domain/Organization/decider.ts"
import { User } from "#domain/User.ts"
import { derivedId } from "#engine/derivedId.ts"
import { Dispatcher, dispatch } from "#engine/dispatch.ts"
import { beginning } from "#engine/Position.ts"
import { erasedOrganizations } from "#src/keys/erasedOrganizations.ts"
import { eraseTenant, type Reason } from "#src/keys/eraseTenant.ts"
import { reaction } from "#src/reaction.ts"

/** Whether a person was erased, and has not come again. */
const isErased = (user: string) =>
  Effect.flatMap(Dispatcher, (dispatcher) =>
    Effect.map(dispatcher.state(User, `user-${user}`), ({ registered, erasures }) => erasures > 0 && !registered)
  )

const eraseOrganization = Effect.fnUntraced(function* (reason: Reason) {
  const { tenant, eventId, correlationId, actor } = reason
  yield* eraseTenant("organization", reason, beginning)
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

/** What comes of a tenant that is erased already: its own time began behind the erasure. */
const eraseLate = Effect.fnUntraced(function* (reason: Reason) {
  const { tenant, actor } = reason
  if (actor.user === tenant) {
    if (yield* isErased(tenant)) yield* eraseTenant("user", reason, beginning)
    return
  }
  const erased = (yield* erasedOrganizations).get(tenant)
  if (erased !== undefined) yield* eraseTenant("organization", reason, erased)
})

/**
 * What an organization, or a person without one, had stored goes when they are erased, and so does what a request of
 * theirs stores that was under way by then. All of it is found in the log.
 */
export const EraseTenants = reaction({
  // the name that its checkpoint has had since it erased persons alone
  name: "erase_users",
  // the others are all that brings text under a subject of its own; searches are noted a moment after they are answered
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
    "SearchAnswered"
  ],
  handle: ({ event, ...reason }) =>
    Effect.gen(function* () {
      if (event._tag === "UserErased") yield* eraseTenant("user", reason, beginning)
      else if (event._tag === "OrganizationErased") yield* eraseOrganization(reason)
      else yield* eraseLate(reason)
    })
})
