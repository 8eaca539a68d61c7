import type { APIPromise } from "../APIPromise.ts"
import type { RequestOptions } from "../options.ts"
import type { Result } from "../Result.ts"
import { json } from "../request.ts"
import type { Transport } from "../transport.ts"

/** The organization of a key. */
export interface OrganizationInfo extends Result {
  /** A UUID. */
  readonly organizationId: string
  /** Its name, for people. */
  readonly name: string
  /** A short name of `a`–`z`, `0`–`9` and hyphens that no other organization of the service has. */
  readonly slug: string
  /** What it may use. */
  readonly tier: "FREE" | "PRO" | "ENTERPRISE"
  /** How many people it has, the owner included. */
  readonly members: number
  /** How many it may have. */
  readonly memberLimit: number
  /** ISO 8601. */
  readonly registeredAt: string
}

/** What `organization.rename` changes: what is left out stays. */
export interface RenameParams {
  /** 1 to 200 characters. */
  readonly name?: string | undefined
  /** 1 to 40 of `a`–`z`, `0`–`9` and hyphens within. The former one is free for others at once. */
  readonly slug?: string | undefined
}

interface Wire {
  readonly organization_id: string
  readonly name: string
  readonly slug: string
  readonly tier: OrganizationInfo["tier"]
  readonly members: number
  readonly member_limit: number
  readonly registered_at: string
}

const told = json(
  (wire: Wire): OrganizationInfo => ({
    organizationId: wire.organization_id,
    name: wire.name,
    slug: wire.slug,
    tier: wire.tier,
    members: wire.members,
    memberLimit: wire.member_limit,
    registeredAt: wire.registered_at
  })
)

/** The organization that the key is of. A key without one gets a PermissionDeniedError. */
export class Organization {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Its name, its slug, and how many people it has. */
  get(options?: RequestOptions): APIPromise<OrganizationInfo> {
    return this.#transport.send(() => ({ method: "GET", path: "/api/organization", answer: told }), options)
  }

  /**
   * Gives it another name, another slug, or both. For owners and admins.
   * @throws {@link ConflictError}: `conflict/slug_taken`: another organization has the slug; nothing has changed.
   */
  rename(params: RenameParams, options?: RequestOptions): APIPromise<OrganizationInfo> {
    const body = { name: params.name, slug: params.slug }
    return this.#transport.send(() => ({ method: "POST", path: "/api/organization", body, answer: told }), options)
  }
}
