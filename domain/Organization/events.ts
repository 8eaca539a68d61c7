import { Schema } from "effect"
import { text } from "#engine/Event.ts"
import { KeyCreated, KeyLimited, KeyRevoked, Role } from "../Key.ts"
import { TextErased } from "../Person.ts"
import { Tier } from "../Tier.ts"

/** Stored for good: add a tag or a version, never change the meaning of one. */
export const OrganizationEvent = Schema.TaggedUnion({
  OrganizationRegistered: {
    organization: Schema.String,
    tier: Tier,
    memberLimit: Schema.Int,
    ...text({ name: Schema.String, secret: Schema.String })
  },
  /** The organization has another name from now on. */
  OrganizationRenamed: { organization: Schema.String, ...text({ name: Schema.String }) },
  /**
   * Tells the organization, in its own stream, what the stream of all slugs has decided. `former`: the subject of the
   * slug that it was told before, whose text is erased.
   */
  OrganizationSlugChanged: {
    organization: Schema.String,
    former: Schema.NullOr(Schema.String),
    ...text({ slug: Schema.String })
  },
  MemberAdded: { user: Schema.String, role: Role, ...text({ email: Schema.String }) },
  /** Counts for all keys of the person that have no role of their own. */
  MemberRoleChanged: { user: Schema.String, role: Role },
  /** Follows the revocation of the member's keys. What the organization knew of the person is gone with it. */
  MemberErased: { user: Schema.String, subject: Schema.String },
  /**
   * All keys are revoked, and nobody is a member any more. The name and the secret are erased. A reaction then deletes
   * what the organization had stored.
   */
  OrganizationErased: {
    organization: Schema.String,
    /** How many members and keys there were. */
    members: Schema.Int,
    keys: Schema.Int,
    subject: Schema.String
  },
  /** All that the organization had stored up to its erasure is gone. */
  OrganizationErasureEnded: { organization: Schema.String },
  TextErased,
  KeyCreated,
  KeyLimited,
  KeyRevoked
})
export type OrganizationEvent = typeof OrganizationEvent.Type
