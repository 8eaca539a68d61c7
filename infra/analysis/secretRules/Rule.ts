/** Something that looks like a secret. */
export interface Match {
  /** Where it begins. */
  readonly at: number
  readonly kind: string
}

/** Looks through a text; `path` is the file's name, which may say what it is. */
export type Rule = (text: string, path: string) => Iterable<Match>

/** Bits of entropy for each character: a text that a person types has few. */
export const entropyOf = (text: string): number => {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

const holders =
  /example|sample|change[-_]?(?:me|it)|placeholder|dummy|redacted|your[-_]|my[-_](?:secret|password|token|api)|insert|fill[-_ ]?(?:me|in)|todo|x{4,}|\*{3,}|\.{3,}|^[<$%@{[]|[>}\]]$|\$\{|\{\{|process\.env|environ|getenv/i

/** Whether a value only stands in the place of a secret. */
export const isPlaceholder = (value: string): boolean => holders.test(value) || new Set(value).size < 4
