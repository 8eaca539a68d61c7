/**
 * What must not leave the machine. Heuristics, not a proof: names that secrets usually have, and the forms of well-known
 * keys. The service screens once more what becomes public.
 */

const secretNames: ReadonlyArray<RegExp> = [
  /^\.env(\..+)?$|\.env$/i,
  /^\.(npmrc|netrc|pypirc|pgpass|git-credentials|htpasswd|dockercfg)$/i,
  /^_netrc$/i,
  /^id_(rsa|dsa|ecdsa|ed25519)/i,
  /\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|tfstate|tfvars)$/i,
  /^(credentials?|secrets?|passwords?|tokens?)(\.[\w-]+)?$/i,
  /^service[-_]account.*\.json$/i
]

const secretForms: ReadonlyArray<RegExp> = [
  /-----BEGIN [A-Z ]*PRIVATE KEY( BLOCK)?-----/g,
  /\b(AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bgh[pousr]_[0-9A-Za-z]{30,}\b/g,
  /\bgithub_pat_\w{30,}\b/g,
  /\bglpat-[\w-]{20,}/g,
  /\bnpm_[0-9A-Za-z]{36}\b/g,
  /\bpypi-[\w-]{40,}/g,
  /\bsk-[\w-]{20,}/g,
  /\b[rs]k_(live|test)_[0-9A-Za-z]{16,}\b/g,
  /\bxox[abeprs]-[\w-]{10,}/g,
  /\bAIza[\w-]{35}/g,
  /\bcairn_[a-z]+_[0-9A-Za-z]{16,}\b/g,
  /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/g,
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@"']+:[^\s/@"'{}$<>]+@/gi,
  /\bauthorization["']?\s*[:=]\s*["']?(bearer|basic)\s+[\w.~+/=-]{12,}/gi
]

/** `password = "…"`: a text of some length that is no placeholder. */
const assigned =
  /\b[\w-]*(password|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)["']?\s*[:=]\s*["']([^"'\s]{8,})["']/gi
const placeholder =
  /^(your|my|the|test|example|dummy|fake|change|placeholder|insert|replace|x{3,}|\*{3,}|\.{3})|[<>{}$%]|\.\.\.|…/i

const environmentSecret = /key|token|secret|passw|credential/i

/** The values of variables whose names sound secret: a tool may have printed one, or written it to a file. */
export const secretsOf = (environment: { readonly [name: string]: string | undefined }): ReadonlyArray<string> =>
  Object.entries(environment).flatMap(([name, value]) =>
    environmentSecret.test(name) && value !== undefined && value.length >= 12 && !/^[/.]/.test(value) ? [value] : []
  )

const placeholderSafe = (text: string, value: string): string => (placeholder.test(value) ? text : "***")

/** A text without what looks like a secret. */
export const redacted = (text: string, known: ReadonlyArray<string> = []): string => {
  let clean = text
  for (const value of known) clean = clean.replaceAll(value, "***")
  for (const form of secretForms) clean = clean.replace(form, "***")
  return clean.replace(assigned, (whole, _name, value: string) => placeholderSafe(whole, value))
}

/** Whether a file is one that secrets are kept in, by its name. */
export const hasSecretName = (name: string): boolean => secretNames.some((form) => form.test(name))

/** Whether a text seems to hold a secret. */
export const hasSecret = (text: string, known: ReadonlyArray<string> = []): boolean => redacted(text, known) !== text

/** A file's text; `undefined` when it is none: a zero byte, or no UTF-8. */
export const textFile = (bytes: Uint8Array): string | undefined => {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
