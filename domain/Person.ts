import { Schema } from "effect"
import { keyedId } from "./Id.ts"

/** E-mail addresses are compared in lower case. */
export const normalEmail = (email: string): string => email.trim().toLowerCase()

/** Of the owner of the organization that the service itself registers at its first start. */
export const operatorEmail = "owner@cairn.local"

/** A person's id: the same for the same address in one installation, and telling nobody the address. */
export const personId = (installationSecret: string, email: string): string =>
  keyedId(installationSecret, "person", normalEmail(email))

/**
 * Text of a tenant that was erased, an organization or a person without one, which no other event has erased. `user` is
 * the tenant, under the name that it had when persons alone were erased so.
 */
export const TextErased = { user: Schema.String, subjects: Schema.Array(Schema.String) }

/**
 * Whose text a person's is. One who was erased and comes again begins a new subject: the old one takes no text any
 * more.
 */
export const userSubject = (user: string, erasures: number): string =>
  erasures === 0 ? `user/${user}` : `user/${user}.${erasures}`
