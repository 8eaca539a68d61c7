import { readFileSync } from "node:fs"
import { parse } from "smol-toml"
import { entropyOf, type Match, type Rule } from "./Rule.ts"

/** As gitleaks writes them. */
interface WrittenList {
  readonly condition?: string
  readonly regexTarget?: "match" | "line" | "secret"
  readonly regexes?: ReadonlyArray<string>
  readonly stopwords?: ReadonlyArray<string>
  readonly paths?: ReadonlyArray<string>
}
interface Written {
  readonly id: string
  readonly regex?: string
  readonly path?: string
  readonly secretGroup?: number
  readonly entropy?: number
  readonly keywords?: ReadonlyArray<string>
  readonly allowlists?: ReadonlyArray<WrittenList>
}
interface File {
  readonly allowlist: WrittenList
  readonly rules: ReadonlyArray<Written>
}

export const file = new URL("./gitleaks.toml", import.meta.url)

/**
 * Not taken over: what would be quadratic or worse without RE2, which is what it was written for, and is looked for by rules of
 * our own: keys in PEM, and headers of curl.
 */
const ours = new Set(["private-key", "curl-auth-header", "curl-auth-user"])

/** What precedes a keyword makes no difference to whether there is a secret, and would be tried from each letter before it. */
const lead = /^(\(\?i\))?\[\\w\.-\]\{0,50\}\?/

/** RE2's syntax as JavaScript's. What is case-insensitive in part is so as a whole. */
export const translated = (regex: string): RegExp => {
  const flags = /\(\?i[:)]/.test(regex) ? "gi" : "g"
  const source = regex
    .replace(lead, "$1")
    .replaceAll("(?i)", "")
    .replace(/\(\?(?:i|-i):/g, "(?:")
    .replaceAll("(?s:.)", "[^]")
    .replace(/\(\?P<\w+>/g, "(?:")
    .replaceAll("\\z", "(?![^])")
    .replaceAll("[:alnum:]", "a-zA-Z0-9")
  // RE2's \s and \B know ASCII only; no secret depends on it
  return new RegExp(source, flags)
}

/** Whether a list lets something pass that a rule has found. */
type Passes = (secret: string, match: string, line: () => string) => boolean

const passing = ({ regexes = [], stopwords = [], regexTarget, condition, paths }: WrittenList): Passes => {
  // who names a file says nothing of what is in it
  if (paths !== undefined && condition === "AND") return () => false
  const patterns = regexes.map(
    (regex) => new RegExp(translated(regex).source, translated(regex).flags.replace("g", ""))
  )
  const words = stopwords.map((word) => word.toLowerCase())
  return (secret, match, line) => {
    const target = regexTarget === "match" ? match : regexTarget === "line" ? line() : secret
    const lower = secret.toLowerCase()
    const matches = patterns.some((pattern) => pattern.test(target))
    const stops = words.some((word) => lower.includes(word))
    return condition === "AND" ? (matches || patterns.length === 0) && (stops || words.length === 0) : matches || stops
  }
}

/** The line around a place, as far as anyone reads it. */
const lineAround = (text: string, at: number): string => {
  const from = Math.max(text.lastIndexOf("\n", at), at - 500)
  const to = text.indexOf("\n", at)
  return text.slice(from + 1, Math.min(to < 0 ? text.length : to, at + 500))
}

const ruleOf = ({ id, regex, path, secretGroup, entropy = 0, allowlists = [] }: Written, everywhere: Passes): Rule => {
  const pattern = translated(regex!)
  const paths = path === undefined ? undefined : translated(path)
  const passes = [...allowlists.map(passing), everywhere]
  return function* (text, name): Iterable<Match> {
    if (paths !== undefined && name.search(paths) < 0) return
    for (const found of text.matchAll(pattern)) {
      const [match, ...groups] = found
      const secret = (secretGroup ? found[secretGroup] : groups.find((group) => group)) || match
      if (entropyOf(secret) <= entropy) continue
      if (passes.some((pass) => pass(secret, match, () => lineAround(text, found.index)))) continue
      yield { at: found.index + match.length - match.trimStart().length, kind: `gitleaks: ${id}` }
    }
  }
}

/** The rules of gitleaks, with the words of which a text must have one for each to apply. */
export const rules = (): ReadonlyArray<Rule> => {
  const { rules, allowlist } = parse(readFileSync(file, "utf8")) as unknown as File
  // paths of lock files and the like: who names a file says nothing of what is in it
  const { paths: _, ...contents } = allowlist
  const everywhere = passing(contents)
  const made = rules
    .filter(({ id, regex }) => regex !== undefined && !ours.has(id))
    .map((written) => ({
      keywords: (written.keywords ?? []).map((word) => word.toLowerCase()),
      rule: ruleOf(written, everywhere)
    }))
  const words = [...new Set(made.flatMap(({ keywords }) => keywords))]
  return [
    function* (text, path) {
      const lower = text.toLowerCase()
      const there = new Set(words.filter((word) => lower.includes(word)))
      for (const { keywords, rule } of made) {
        if (keywords.length === 0 || keywords.some((word) => there.has(word))) yield* rule(text, path)
      }
    }
  ]
}
