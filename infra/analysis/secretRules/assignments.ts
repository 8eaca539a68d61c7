import { entropyOf, isPlaceholder, type Match, type Rule } from "./Rule.ts"

/** Names of what nobody should see. */
const name =
  "(?:secret|passw(?:or)?d|passphrase|passwd|pwd|token|credentials?|(?:api|access|private|auth|account|encryption|signing|master|service|client|session|license|deploy|webhook)[_-]?key|cookie[_-]?salt)"

/** Words after such a name that make it say only where a secret is, or of what kind. */
const about =
  "(?!\\w{0,20}(?:name|type|path|file|ur[il]|endpoint|header|prefix|suffix|field|length|count|limit|format|hash|version)s?\\b)"

/** `name = "value"`, as a language, a configuration or JSON writes it. */
const quoted = new RegExp(
  `${name}${about}[\\w-]{0,20}["'\`\\]]{0,2}\\s{0,5}(?:=>|:=|[:=])\\s{0,5}[a-z]?["'\`]([^"'\`\\s]{8,200})["'\`]`,
  "gi"
)

/** `NAME=value` on a line of its own, as files of environments and configurations have it. */
const bare = new RegExp(
  `^[^\\S\\n]{0,9}(?:export\\s|set\\s|ENV\\s|-\\s)?[\\w.-]{0,40}?${name}${about}[\\w-]{0,20}[^\\S\\n]{0,5}[=:][^\\S\\n]{0,5}([^\\s"'\`()[\\]{}$<>;,]{8,200})[^\\S\\n]{0,9}\\r?$`,
  "gim"
)

/** PHP's constants. */
const defined = new RegExp(
  `define\\(\\s{0,3}["']\\w{0,30}?${name}\\w{0,20}["']\\s{0,3},\\s{0,3}["']([^"'\\s]{8,200})["']`,
  "gi"
)

const count = (classes: ReadonlyArray<RegExp>, value: string) => classes.filter((one) => one.test(value)).length
const classes = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/]

/** What is no secret: words (with a number at the end), a path, a call, an id, a digest with its name. */
const ordinary = [
  /^(?:[a-z]{2,}(?:[._/:-][a-z]{2,})*|[A-Z]{2,}(?:[._/:-][A-Z]{2,})*|[A-Z]?[a-z]+(?:[A-Z][a-z]+)*)(?:[._/:-]?v?\d{1,3})?$/,
  /^(?:https?:|\.{0,2}\/)|[()]|%[sd]/i,
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  /^(?:\d+|sha\d+[-:].*|test\w*|v\d[\w.]*)$/i
]

/** Whether a value looks made by a machine, or by a person who was asked for a digit and a sign. */
const isSecret = (value: string, least: number): boolean =>
  /\d/.test(value) &&
  count(classes, value) >= 2 &&
  !isPlaceholder(value) &&
  !ordinary.some((pattern) => pattern.test(value)) &&
  entropyOf(value) >= least

const assigned = (pattern: RegExp, least: number): Rule =>
  function* (text): Iterable<Match> {
    for (const { index, 0: match, 1: value = "" } of text.matchAll(pattern)) {
      if (isSecret(value, least)) yield { at: index + match.length - match.trimStart().length, kind: "assigned secret" }
    }
  }

/** The second look: values that are called a secret, and do not look like anything else. */
export const assignments: ReadonlyArray<Rule> = [assigned(quoted, 3), assigned(bare, 3.2), assigned(defined, 3)]
