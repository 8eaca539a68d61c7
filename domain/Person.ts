import { Schema } from "effect"
import { keyedId } from "./Id.ts"

/** E-mail addresses are compared in lower case. */
export const normalEmail = (email: string): string => email.trim().toLowerCase()

/** The e-mail of the owner of the organization that the service itself registers at its first start. */
export const operatorEmail = "owner@cairn.local"

/** A person's id: the same for the same address in one installation, without revealing the address. */
export const personId = (installationSecret: string, email: string): string =>
  keyedId(installationSecret, "person", normalEmail(email))

/**
 * Erases the text that other events have left of an erased tenant. `user` is the tenant, an organization too: the field
 * has kept the name from when only persons were erased this way.
 */
export const TextErased = { user: Schema.String, subjects: Schema.Array(Schema.String) }

/**
 * The subject of a person's text. A person who comes back after an erasure gets a new one, because an erased subject
 * takes no more text.
 */
export const userSubject = (user: string, erasures: number): string =>
  erasures === 0 ? `user/${user}` : `user/${user}.${erasures}`
