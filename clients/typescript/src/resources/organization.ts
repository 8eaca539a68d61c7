import type { APIPromise } from "../APIPromise.ts"
import type { RequestOptions } from "../options.ts"
import type { Result } from "../Result.ts"
import { json, part } from "../request.ts"
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

/** What is gone of an organization as soon as it is erased. */
export interface ErasedAtOnce {
  /** People that it had. */
  readonly members: number
  /** Keys that were live, which are revoked. */
  readonly keys: number
}

/** What `organization.delete` gives. */
export interface BegunErasure extends Result {
  /** A UUID, for `organization.erasure`. */
  readonly organizationId: string
  /** Path at the service that says how far it is. */
  readonly statusUrl: string
  /** What is gone at once. */
  readonly erased: ErasedAtOnce
  /** Of the event in the log that says so. */
  readonly position: string
}

/** What is gone of an organization so far. */
export interface ErasedOrganization extends ErasedAtOnce {
  /** Snippets, published ones as well. */
  readonly snippets: number
  /** Workspaces, with their repositories. */
  readonly workspaces: number
  /** Commits of the workspaces. */
  readonly commits: number
  /** Chats in the workspaces. */
  readonly chats: number
  /** Files that were in the workspaces at last. */
  readonly files: number
}

/** What is still there of an organization. */
export interface LeftOfOrganization {
  /** Snippets. */
  readonly snippets: number
  /** Workspaces. */
  readonly workspaces: number
}

/** How far the erasure of an organization is. */
export interface Erasure extends Result {
  /** A UUID. */
  readonly organizationId: string
  /** `erased`: all of it is gone, and this is the receipt. */
  readonly state: "erasing" | "erased"
  /** ISO 8601. */
  readonly begunAt: string
  /** ISO 8601; `null` until all of it is gone. */
  readonly endedAt: string | null
  /** What is gone so far. */
  readonly erased: ErasedOrganization
  /** What is still there. */
  readonly left: LeftOfOrganization
  /** Of the last event that is counted. */
  readonly position: string
}

const begun = json(
  (wire: { organization_id: string; status_url: string; erased: ErasedAtOnce; position: string }): BegunErasure => ({
    organizationId: wire.organization_id,
    statusUrl: wire.status_url,
    erased: { members: wire.erased.members, keys: wire.erased.keys },
    position: wire.position
  })
)

const far = json(
  (wire: {
    organization_id: string
    state: Erasure["state"]
    begun_at: string
    ended_at: string | null
    erased: ErasedOrganization
    left: LeftOfOrganization
    position: string
  }): Erasure => ({
    organizationId: wire.organization_id,
    state: wire.state,
    begunAt: wire.begun_at,
    endedAt: wire.ended_at,
    erased: { ...wire.erased },
    left: { ...wire.left },
    position: wire.position
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

  /**
   * Erases it, for good, for an owner: all keys are revoked at once, also this one, and all that it had is erased then.
   * `erasure` tells how far that is.
   * @param slug The organization's, to confirm it.
   * @throws {@link ConflictError}: `conflict/slug_differs`: nothing is erased; `conflict/operator_stays`: it is the
   *   organization of who operates the service.
   * @throws {@link AuthenticationError}: Also when it was erased by this call, whose answer was lost: ask `erasure`.
   */
  delete(slug: string, options?: RequestOptions): APIPromise<BegunErasure> {
    const path = "/api/organization/delete"
    return this.#transport.send(() => ({ method: "POST", path, body: { slug }, answer: begun }), options)
  }

  /**
   * How far the erasure of an organization is. Needs no live key.
   * @param organizationId The `organizationId` of `delete`, or of `get` before.
   * @throws {@link NotFoundError}: `not_found/erasure`: no organization with this id was erased.
   */
  erasure(organizationId: string, options?: RequestOptions): APIPromise<Erasure> {
    const call = () =>
      ({ method: "GET", path: `/api/erasures/${part("organizationId", organizationId)}`, answer: far }) as const
    return this.#transport.send(call, options)
  }
}
