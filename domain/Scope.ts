import { Data, Result } from "effect"
import { keyedId } from "./Id.ts"
import type { KeyLimits, Role } from "./Key.ts"
import type { Tier } from "./Tier.ts"

/** Who a live key speaks for. */
export interface Holder {
  readonly key: string
  readonly user: string
  /** The organization, or the user if there is none. */
  readonly tenant: string
  readonly organization: string | null
  readonly tier: Tier
  /** The key's authority. */
  readonly role: Role
  readonly limits: KeyLimits
  /** Whether it is an operator's: an owner's key in the organization that the service made at its first start. */
  readonly operates: boolean
  readonly email: string
  /** The person's `user_id` in chats, if it is not their e-mail. */
  readonly userId: string | null
  /** Keys the tenant's digests and ids. */
  readonly secret: string
}

/** The scope headers of a request, as they came. */
export interface ScopeHeaders {
  readonly organization: string | undefined
  readonly workspace: string | undefined
  /** `company` or `client`. */
  readonly snipsDesired: string | undefined
  /** Only `true` counts. */
  readonly publicSnips: string | undefined
  readonly agent: string | undefined
}

/** Which snippets a request writes and sees. */
export interface Scope {
  /** Where uploads go and deletes look: `tenant`, or `tenant/workspace` with the workspace's keyed id. */
  readonly home: string
  /** What a search sees. */
  readonly homes: ReadonlyArray<string>
  readonly includePublic: boolean
  /** If given, a search sees only this agent's snippets and those of no agent. */
  readonly agent: string | null
  /** The workspace header, as it came. */
  readonly workspace: string | null
}

/** The headers name an organization that is not the key's. */
export class ForeignOrganization extends Data.TaggedError("ForeignOrganization")<{ readonly organization: string }> {}
/** The tier of the key's tenant, `tier`, has no workspaces of customers. */
export class TierRequired extends Data.TaggedError("TierRequired")<{ readonly tier: Tier }> {}
/** The headers ask for a workspace's snippets alone, but name no workspace. */
export class WorkspaceRequired extends Data.TaggedError("WorkspaceRequired") {}
/** The headers ask for neither `company` nor `client`. */
export class UnknownSnipsDesired extends Data.TaggedError("UnknownSnipsDesired")<{ readonly given: string }> {}
export type ScopeRefusal = ForeignOrganization | TierRequired | WorkspaceRequired | UnknownSnipsDesired

const present = (header: string | undefined) => (header === undefined || header === "" ? undefined : header)

/** The scope that a holder's headers open. A workspace sees its organization's snippets, never the other way round. */
export const scopeOf = (
  holder: Pick<Holder, "tenant" | "organization" | "tier" | "secret">,
  headers: ScopeHeaders
): Result.Result<Scope, ScopeRefusal> => {
  const organization = present(headers.organization)
  const workspace = present(headers.workspace)
  const desired = present(headers.snipsDesired)
  if (organization !== undefined && organization.toLowerCase() !== holder.organization) {
    return Result.fail(new ForeignOrganization({ organization }))
  }
  if (desired !== undefined && desired !== "company" && desired !== "client") {
    return Result.fail(new UnknownSnipsDesired({ given: desired }))
  }
  if ((workspace !== undefined || desired !== undefined) && holder.tier === "FREE") {
    return Result.fail(new TierRequired({ tier: holder.tier }))
  }
  if (desired === "client" && workspace === undefined) return Result.fail(new WorkspaceRequired())
  const company = holder.tenant
  const client = workspace && `${holder.tenant}/${keyedId(holder.secret, "workspace", workspace)}`
  const narrow = desired === "company" ? company : (client ?? company)
  return Result.succeed({
    home: narrow,
    homes: desired === undefined && client !== undefined ? [client, company] : [narrow],
    includePublic: headers.publicSnips === "true",
    agent: present(headers.agent) ?? null,
    workspace: workspace ?? null
  })
}

/** Where a snippet lives, and who may see it. */
export interface Placed {
  readonly home: string
  readonly published: boolean
  readonly agent: string | null
}

/** Whether a search with this scope sees the snippet. A caller who sees it may vote on it. */
export const sees = (
  { homes, includePublic, agent }: Pick<Scope, "homes" | "includePublic" | "agent">,
  placed: Placed
): boolean =>
  (homes.includes(placed.home) || (includePublic && placed.published)) &&
  (agent === null || placed.agent === null || placed.agent === agent)
