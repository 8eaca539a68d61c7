import { plain, table } from "./output.ts"

/** An organization, as the service writes it. */
export interface OrgRow {
  readonly organization_id: string
  readonly name: string
  readonly slug: string
  readonly tier: string
}

/** An organization with all that is known of it. */
export interface WholeOrg extends OrgRow {
  readonly members: number
  readonly member_limit: number
  /** ISO 8601. */
  readonly registered_at: string
}

/** Organizations as lines of a table: id, slug, name and tier. */
export const orgTable = (organizations: ReadonlyArray<OrgRow>): ReadonlyArray<string> =>
  table(
    ["id", "slug", "name", "tier"],
    organizations.map(({ organization_id, slug, name, tier }) => [organization_id, slug, name, tier])
  )

/** What is known of an organization, as lines for people. */
export const orgLines = (organization: WholeOrg): ReadonlyArray<string> => [
  `Organization ${plain(organization.name)}: ${organization.organization_id}`,
  `Slug ${plain(organization.slug)}, tier ${organization.tier}, registered ${organization.registered_at}`,
  `${organization.members} of ${organization.member_limit} members: see \`cairn user list\`.`
]
