import { keyedId } from "./Id.ts"

/** E-mail addresses are compared in lower case. */
export const normalEmail = (email: string): string => email.trim().toLowerCase()

/** A person's id: the same for the same address in one installation, and telling nobody the address. */
export const personId = (installationSecret: string, email: string): string =>
  keyedId(installationSecret, "person", normalEmail(email))
