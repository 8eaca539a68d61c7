import { randomBytes, randomUUID } from "node:crypto"
import { Effect } from "effect"
import { OrganizationCommand } from "#domain/Organization/commands.ts"
import { Organization } from "#domain/Organization/decider.ts"
import { personId } from "#domain/Person.ts"
import type { Tier } from "#domain/Tier.ts"
import { User, UserCommand } from "#domain/User.ts"
import { dispatch } from "#engine/dispatch.ts"
import { Installation } from "#ports/Installation.ts"
import { registerOrganization } from "#src/keys/bootstrap.ts"
import { issueKey } from "#src/keys/issue.ts"
import type { Service } from "#test/service.ts"
import type { Answer, Call } from "./call.ts"

/** An organization as the command line would register it, and its owner's way to call. */
export const organization = async (service: Service, tier: Tier, memberLimit?: number) => {
  const limit = memberLimit === undefined ? {} : { memberLimit }
  const { organization: id, key } = await service.run(
    registerOrganization({ name: `${tier} & Co`, tier, ownerEmail: "Olga@Example.org", ...limit })
  )
  return { id, key: key.full, call: service.as(key.full) }
}

/** An organization as older versions registered it: without a slug. */
export const registeredOnly = (organization: string, name: string) => {
  const commandId = randomUUID()
  return dispatch(Organization, {
    tenant: organization,
    stream: `organization-${organization}`,
    commandId,
    correlationId: commandId,
    actor: { key: null, user: null, organization: null },
    command: OrganizationCommand.RegisterOrganization({
      organization,
      name,
      secret: "s3cret",
      tier: "FREE",
      memberLimit: 1,
      owner: { user: randomUUID(), email: "o@example.org" },
      key: { key: randomUUID(), name: "k", hash: randomUUID(), prefix: "cairn_live_abcdefghi" }
    })
  })
}

/** A person's key without any organization, as the command line would make it. */
export const personal = async (
  service: Service,
  email: string
): Promise<{ readonly key: string; readonly call: Call }> => {
  const commandId = randomUUID()
  const issued = issueKey(randomUUID(), "mine")
  const create = Effect.gen(function* () {
    const user = personId((yield* Installation).secret, email)
    yield* dispatch(User, {
      tenant: user,
      stream: `user-${user}`,
      commandId,
      correlationId: commandId,
      command: UserCommand.CreatePersonalKey({
        user,
        email,
        secret: randomBytes(32).toString("hex"),
        key: issued.key
      }),
      actor: { key: null, user: null, organization: null }
    })
  })
  await service.run(create)
  return { key: issued.full, call: service.as(issued.full) }
}

/** A new key for a member, made over HTTP. */
export const memberKey = async (
  owner: Call,
  email: string,
  role?: "member" | "admin" | "reader",
  more: object = {}
): Promise<Answer["json"]> => {
  const body = { email, key_name: `${email}'s`, role, ...more }
  const { status, text, json } = await owner("POST", "/api/keys/org/create", body)
  if (status !== 200) throw new Error(text)
  return json
}
