import { randomUUID } from "node:crypto"
import { Clock, Effect } from "effect"
import { OrganizationCommand } from "#domain/Organization/commands.ts"
import { Organization } from "#domain/Organization/decider.ts"
import { operatorEmail, personId } from "#domain/Person.ts"
import { dispatch } from "#engine/dispatch.ts"
import { Installation } from "#ports/Installation.ts"
import { listKeys } from "#projections/Keys/listed.ts"
import { operator } from "#src/actor.ts"
import { issueKey } from "./issue.ts"

/** The name of a sign-in key in lists of keys. */
export const signInName = "Sign-in link"

/** Milliseconds for which a sign-in key is valid: a day's work. */
const signInLasts = 12 * 3_600_000

/** How many keys are looked through for expired ones. */
const looked = 1_000

const commanded = (organization: string, command: OrganizationCommand) => {
  const commandId = randomUUID()
  return dispatch(Organization, {
    tenant: organization,
    stream: `organization-${organization}`,
    command,
    commandId,
    correlationId: commandId,
    actor: operator
  })
}

/**
 * Makes a key for the operator that expires by itself, in the organization that the service made for them. Earlier keys
 * of this kind that have expired are revoked: nobody needs them in a list.
 */
export const makeSignInKey = Effect.fnUntraced(function* (organization: string) {
  const { secret } = yield* Installation
  const now = yield* Clock.currentTimeMillis
  const { full, key } = issueKey(randomUUID(), signInName)
  const expiresAt = now + signInLasts
  const events = yield* commanded(
    organization,
    OrganizationCommand.CreateKey({
      by: null,
      member: { user: personId(secret, operatorEmail), email: operatorEmail },
      role: null,
      key,
      limits: { expiresAt }
    })
  )
  const listed = yield* listKeys(organization, 0, looked)
  const over = listed.filter(({ name, expires_at }) => name === signInName && Date.parse(expires_at ?? "") <= now)
  yield* Effect.forEach(over, ({ id }) =>
    Effect.catchTag(commanded(organization, OrganizationCommand.RevokeKey({ by: null, key: id })), "KeyNotFound", () =>
      Effect.succeed([])
    )
  )
  return { full, id: key.key, expiresAt, position: events.at(-1)!.position }
})
