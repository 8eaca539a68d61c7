import { plain, table } from "./output.ts"

/** An organization, as the service writes it. */
export interface OrgRow {
  readonly organization_id: string
  readonly name: string
  readonly slug: string
  readonly tier: string
}

/** One of them, whole. */
export interface WholeOrg extends OrgRow {
  readonly members: number
  readonly member_limit: number
  /** ISO 8601. */
  readonly registered_at: string
}

/** Organizations one below the other: id, slug, name and tier. */
export const orgTable = (organizations: ReadonlyArray<OrgRow>): ReadonlyArray<string> =>
  table(
    ["id", "slug", "name", "tier"],
    organizations.map(({ organization_id, slug, name, tier }) => [organization_id, slug, name, tier])
  )

/** A line each of what is known of one. */
export const orgLines = (organization: WholeOrg): ReadonlyArray<string> => [
  `Organization ${plain(organization.name)}: ${organization.organization_id}`,
  `Slug ${plain(organization.slug)}, tier ${organization.tier}, registered ${organization.registered_at}`,
  `${organization.members} of ${organization.member_limit} members: see \`cairn user list\`.`
]
