/**
 * What must not leave the machine. Heuristics, not a proof: names that secrets usually have, and the forms of
 * well-known keys. The service screens once more what becomes public.
 */
import { placeholder, plainSecret, quotedSecret, secretForms } from "./secretForms.ts"

const secretNames: ReadonlyArray<RegExp> = [
  /^\.env(\..+)?$|\.env$/i,
  /^\.(npmrc|yarnrc(\.yml)?|netrc|pypirc|pgpass|my\.cnf|git-credentials|htpasswd|dockercfg|dockerconfigjson)$/i,
  /^_netrc$/i,
  /^id_(rsa|dsa|ecdsa|ed25519)/i,
  /\.(pem|key|p12|pfx|p8|jks|keystore|kdbx|ppk|asc|gpg|tfstate|tfvars|ovpn)$/i,
  /^(credentials?|secrets?|passwords?|tokens?)(\.[\w-]+)?$/i,
  /^(kubeconfig|client_secret.*\.json|service[-_]account.*\.json)$/i
]

const environmentSecret = /key|token|secret|passw|credential/i

/**
 * The values of variables whose names sound secret, longer ones first: a tool may have printed one, or written it to a
 * file.
 */
export const secretsOf = (environment: { readonly [name: string]: string | undefined }): ReadonlyArray<string> =>
  Object.entries(environment)
    .flatMap(([name, value]) =>
      environmentSecret.test(name) && value !== undefined && value.length >= 12 && !/^[/.]/.test(value) ? [value] : []
    )
    .sort((one, other) => other.length - one.length)

/** The process's, where it has an environment. */
const environment = (): { readonly [name: string]: string | undefined } => {
  try {
    return { ...globalThis.process?.env }
  } catch {
    return {}
  }
}

/** The values of the process's secret variables, and of those that a session has besides. */
export const environmentSecrets = (
  besides: { readonly [name: string]: string | undefined } = {}
): ReadonlyArray<string> => secretsOf({ ...environment(), ...besides })

/**
 * An unquoted word may be code: `token = request_token`. In `TOKEN=…`, as shells have it, it is not; elsewhere a secret
 * is told by digits among its letters.
 */
const isPlainSecret = (before: string, value: string): boolean =>
  !placeholder.test(value) &&
  (/^[A-Z_-]+=$/.test(before) || (/\d/.test(value) && /[a-z]/i.test(value) && !/^[a-z_]\w*\.[a-z_]/i.test(value)))

/** A text without what looks like a secret. */
export const redacted = (text: string, known: ReadonlyArray<string> = []): string => {
  let clean = text
  for (const value of known) clean = clean.replaceAll(value, "***")
  for (const form of secretForms) clean = clean.replace(form, "***")
  clean = clean.replace(quotedSecret, (whole, before: string, value: string) =>
    placeholder.test(value) ? whole : `${before}***`
  )
  return clean.replace(plainSecret, (whole, before: string, value: string) =>
    isPlainSecret(before, value) ? `${before}***` : whole
  )
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

/** Without NUL and halves of characters, which no service takes: a cut may have left one, and tools print anything. */
export const storable = (text: string): string =>
  text.replaceAll("\0", "").replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd")
