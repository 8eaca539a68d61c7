import { Predicate, Redacted } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { isOfCertificate } from "#ports/certificate.ts"
import { EngineUnusable } from "#ports/EngineUnusable.ts"
import { passes } from "#ports/passes.ts"

/** The words and the code at the bottom of a failure, which a driver and a client have wrapped. */
const bottom = (error: unknown): { readonly said: string; readonly code: string } => {
  let found = { said: "", code: "" }
  for (let at: unknown = error; Predicate.isObject(at); at = at["cause"] ?? at["reason"]) {
    const { message, code } = at
    found = {
      said: typeof message === "string" && message !== "" ? message : found.said,
      code: typeof code === "string" ? code : found.code
    }
  }
  return found
}

/** What a driver says of bytes that no Postgres sends. */
const isOfAnother = (words: string): boolean => /message length|response to SSLRequest|SSLRequest response/i.test(words)
const takesNoTls = "The server does not support TLS"

/** Why a database can't be used, by a driver's words, and that it does not pass if the driver can't know. */
const told = (words: string): { readonly why: string; readonly passes?: false } => {
  if (isOfCertificate(words))
    return { why: `its certificate is not vouched for (${words}): name the CA with sslrootcert`, passes: false }
  if (isOfAnother(words)) return { why: `what answers there is not Postgres (${words})`, passes: false }
  if (words.includes(takesNoTls)) return { why: "it takes no TLS, which sslmode asks for", passes: false }
  return { why: words || "no reason given" }
}

/** Where a database is, without user and password. */
const placeOf = (url: string): string => {
  if (!URL.canParse(url)) return ""
  const { hostname, port, pathname, searchParams } = new URL(url)
  // what the query says comes first, as it does for the client
  const name = searchParams.get("dbname") ?? decodeURIComponent(pathname.slice(1))
  const host = searchParams.get("host") ?? hostname
  return ` ${name || "postgres"} at ${host || "this machine"}:${searchParams.get("port") ?? (port || 5432)}`
}

const passwordsIn = ({ password, searchParams }: URL): ReadonlyArray<string> =>
  [password, decodeURIComponent(password), searchParams.get("password") ?? ""].filter(Boolean)

/** A text without the passwords of a database's URL, encoded or not. */
export const withoutPasswords = (text: string, url: Redacted.Redacted | undefined): string => {
  const whole = url === undefined ? "" : Redacted.value(url)
  const passwords = URL.canParse(whole) ? passwordsIn(new URL(whole)) : []
  return passwords.reduce((said, password) => said.replaceAll(password, "…"), text)
}

/** A database that can't be used: where it is and what it or the system said, never a password. */
export const unusableDatabase = (error: SqlError, url: Redacted.Redacted | undefined): EngineUnusable => {
  const { said, code } = bottom(error)
  const whole = url === undefined ? "" : Redacted.value(url)
  const words = [said.replaceAll(/\s+/g, " "), code !== "" && !said.includes(code) ? `(${code})` : ""]
    .filter(Boolean)
    .join(" ")
  const { why, passes: mayPass = passes(error) } = told(words)
  const line = `the database${placeOf(whole)}${whole && " (DATABASE_URL)"} can't be used: ${why}`
  return new EngineUnusable({ message: withoutPasswords(line, url), passes: mayPass })
}
