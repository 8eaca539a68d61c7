import type { Match, Rule } from "./Rule.ts"

/**
 * Characters after a key's first line within which the key itself must begin. Headers, and what they are quoted with,
 * lie between.
 */
const soon = 900

/**
 * What may lie between: what a language puts into a text of several lines (escapes, quotes, signs that join or indent
 * them), and lines that say how the key is encrypted.
 */
const between = /\\+[nrt]|[\s"'`+,;|>#*\\.]|(?:Proc-Type|DEK-Info|Comment|Version|Hash|Charset|Subject):[^\n\\]{0,200}/g

/** Whether there is a key, and not only the words that begin one. */
const hasKey = (text: string, from: number): boolean => {
  const rest = text.slice(from, from + soon)
  const end = rest.search(/-{4,5}\s{0,3}(?:END|BEGIN)/)
  const body = (end < 0 ? rest : rest.slice(0, end)).replace(between, "")
  const [key = ""] = /[A-Za-z0-9+/=_-]{40,}/.exec(body) ?? []
  return new Set(key).size >= 12
}

const first = /-{4,5}\s?BEGIN [A-Z0-9 _-]{0,60}?PRIVATE KEY(?: BLOCK)?\s?-{4,5}/gi

const pem: Rule = function* (text): Iterable<Match> {
  for (const { index, 0: match } of text.matchAll(first)) {
    if (hasKey(text, index + match.length)) yield { at: index, kind: "private key (PEM)" }
  }
}

const putty = /PuTTY-User-Key-File-\d[\s\S]{0,2000}?Private-Lines: {0,3}\d/g

/** How DER begins in base64: RSA, and keys of any kind as PKCS #8, SEC 1 and of Edwards curves. */
const der =
  /(?<![A-Za-z0-9+/])(?:MII[A-K][A-Za-z0-9+/]{2,3}(?:IBAAK[BC]|AgEAAo|IBADANBgkqhkiG9w0BAQEFAASC|gIBAAKC)|MI(?:GH|G2|HuAgEA|IC)AgEAMB[AM]GBy[pq]|MHcCAQEEI|MIGkAgEBBD|MIHcAgEBBEI|MC4CAQAwBQYDK2V[uw]BCIEI)[A-Za-z0-9+/]{20}/g

/** `"d"` is the private half of a JSON Web Key. */
const jwk =
  /"kty\\{0,3}"[\s\S]{0,600}?"d\\{0,3}"\s{0,3}:\s{0,3}\\{0,3}"[A-Za-z0-9_-]{40}|"d\\{0,3}"\s{0,3}:\s{0,3}\\{0,3}"[A-Za-z0-9_-]{40,700}\\{0,3}"[\s\S]{0,600}?"kty/g

const plain = (pattern: RegExp, kind: string): Rule =>
  function* (text): Iterable<Match> {
    for (const { index } of text.matchAll(pattern)) yield { at: index, kind: `private key (${kind})` }
  }

/**
 * A whole PEM file in base64, as configurations of clusters have it: four or five dashes, `BEGIN`, and the kind of key.
 */
const encoded: Rule = function* (text): Iterable<Match> {
  for (const { index } of text.matchAll(/UHVUVFktVXNlci1LZXktRmlsZS[A-Za-z0-9+/]{40}/g)) {
    yield { at: index, kind: "private key (PuTTY in base64)" }
  }
  for (const { index } of text.matchAll(/LS0tL(?:S1C|SBC)RUdJTi[A-Za-z0-9+/]{40}/g)) {
    if (Buffer.from(text.slice(index, index + 80), "base64").includes("PRIVATE KEY")) {
      yield { at: index, kind: "private key (PEM in base64)" }
    }
  }
}

export const privateKeys: ReadonlyArray<Rule> = [
  pem,
  encoded,
  plain(putty, "PuTTY"),
  plain(der, "DER"),
  plain(jwk, "JWK")
]
