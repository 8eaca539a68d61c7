/** Characters of JSON of one value. */
const most = 100_000

/**
 * A value as JSON can carry it: what has no JSON becomes its text, a cycle and what is too deep or too much is named. Never
 * throws, whatever getters and proxies do.
 */
export const recordable = (value: unknown): unknown => {
  try {
    const inside: Array<object> = []
    const text = JSON.stringify(value, function (this: object, _key, item: unknown) {
      if (typeof item === "bigint" || typeof item === "function" || typeof item === "symbol") return String(item)
      if (typeof item !== "object" || item === null) return item
      // what the replacer is called on is the holder: those behind it are left
      while (inside.length > 0 && inside.at(-1) !== this) inside.pop()
      if (inside.includes(item)) return "[cycle]"
      if (inside.length > 50) return "[too deep]"
      inside.push(item)
      return item
    })
    if (text === undefined) return null
    return text.length > most ? { omitted: `${text.length} characters of JSON` } : JSON.parse(text)
  } catch {
    return { omitted: "no JSON" }
  }
}
