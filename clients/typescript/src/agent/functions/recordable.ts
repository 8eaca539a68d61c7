/** Characters of JSON of one value, and how far it is followed. */
const most = 100_000
const deepest = 50

class TooMuch extends Error {}

/** A value as JSON can carry it, no further than `spend` allows: how much it is costs as much as is looked at. */
const carried = (value: unknown, inside: ReadonlyArray<object>, spend: (characters: number) => void): unknown => {
  if (typeof value === "bigint" || typeof value === "function" || typeof value === "symbol") {
    return carried(String(value), inside, spend)
  }
  if (typeof value === "string") {
    spend(value.length + 2)
    return value
  }
  spend(1)
  if (typeof value === "number") return Number.isFinite(value) ? value : null
  if (typeof value !== "object" || value === null) return value ?? null
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return `${value.byteLength} bytes`
  if (inside.includes(value)) return "[cycle]"
  if (inside.length > deepest) return "[too deep]"
  const within = [...inside, value]
  if (Array.isArray(value)) return value.map((item) => carried(item, within, spend))
  const { toJSON } = value as { readonly toJSON?: unknown }
  if (typeof toJSON === "function") return carried(toJSON.call(value), within, spend)
  const entries = Object.keys(value).flatMap((key) => {
    const item = (value as { readonly [key: string]: unknown })[key]
    if (item === undefined) return []
    spend(key.length + 3)
    return [[key, carried(item, within, spend)] as const]
  })
  return Object.fromEntries(entries)
}

/**
 * A value as JSON can carry it: what has no JSON becomes its text, bytes become their number, a cycle and what is too
 * deep or too much is named. Never throws, whatever getters and proxies do, and never takes long.
 */
export const recordable = (value: unknown): unknown => {
  let left = most
  try {
    const json = carried(value, [], (characters) => {
      left -= characters
      if (left < 0) throw new TooMuch()
    })
    if (JSON.stringify(json).length > most) throw new TooMuch()
    return json
  } catch (error) {
    return { omitted: error instanceof TooMuch ? `more than ${most} characters of JSON` : "no JSON" }
  }
}

/** How much JSON a value is, where that is not too much to be looked at. */
export const sizeOf = (value: unknown): unknown => {
  const json = recordable(value)
  const isOmitted = typeof json === "object" && json !== null && "omitted" in json
  return isOmitted ? json : { characters: JSON.stringify(json).length }
}
