/** Characters of a text that are written on end, and about those of a piece. */
const stretch = 65_536
/** Characters from which a text is cut. */
const long = 16_384
/** Entries of an array that are written on end, when they are short. */
const run = 1_000
/** Levels down to which parts are written by themselves. */
const deepest = 8

/** A text in stretches of 64 Ki UTF-16 units, of which none ends within a character. */
export function* stretches(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const cut = at + stretch
    const end = text.charCodeAt(cut - 1) >>> 10 === 0x36 ? cut - 1 : cut
    yield text.slice(at, end)
    at = end
  }
}

const isShort = (value: unknown): boolean =>
  typeof value === "string" ? value.length <= long : typeof value !== "object" || value === null

/** What `JSON.stringify` makes of a value, part by part; no text of a part has more than 64 Ki characters of it. */
export function* jsonParts(value: unknown, depth = 0): Generator<string> {
  if (typeof value === "string" && value.length > long) {
    yield '"'
    for (const some of stretches(value)) yield JSON.stringify(some).slice(1, -1)
    yield '"'
  } else if (isShort(value) || depth === deepest || "toJSON" in (value as object)) {
    yield JSON.stringify(value) ?? "null"
  } else if (Array.isArray(value)) {
    yield "["
    for (let at = 0; at < value.length; ) {
      if (at > 0) yield ","
      let end = at
      while (end < value.length && end - at < run && isShort(value[end])) end++
      if (end > at) yield JSON.stringify(value.slice(at, end)).slice(1, -1)
      else yield* jsonParts(value[end++], depth + 1)
      at = end
    }
    yield "]"
  } else {
    let before = "{"
    for (const [name, member] of Object.entries(value as object)) {
      if (member === undefined) continue
      yield `${before}${JSON.stringify(name)}:`
      yield* jsonParts(member, depth + 1)
      before = ","
    }
    yield before === "{" ? "{}" : "}"
  }
}

/**
 * Whether the parts of a value weigh as much, and the names of its members with them; `weightOf` is told each part
 * without what is in it. Looks no further than it has to.
 */
const weighs = (value: unknown, most: number, weightOf: (part: unknown) => number): boolean => {
  let left = most
  const look = (one: unknown): void => {
    left -= weightOf(one)
    if (left <= 0 || typeof one !== "object" || one === null) return
    if (Array.isArray(one)) for (let at = 0; at < one.length && left > 0; at++) look(one[at])
    else
      for (const name in one) {
        if (left <= 0) return
        left -= name.length
        look((one as { readonly [name: string]: unknown })[name])
      }
  }
  look(value)
  return left <= 0
}

/** Whether a value has at least so many UTF-16 units of text, names of members too. Looks no further than it has to. */
export const hasText = (value: unknown, characters: number): boolean =>
  weighs(value, characters, (part) =>
    typeof part === "string" ? part.length : typeof part === "object" && part !== null ? 0 : 4
  )

/** What a part counts for beside its text: of what has little text there may be very many parts, or levels. */
const part = 32

/** Whether a value is written on end, without a turn for others. */
const isLittle = (value: unknown): boolean =>
  !weighs(value, stretch, (one) => (typeof one === "string" ? part + one.length : part))

/**
 * What `JSON.stringify` makes of a value, in pieces of about 64 Ki characters, so that others may be heard in between:
 * a megabyte of line breaks takes it 20 ms. The value holds no functions.
 */
export function* jsonPieces(value: unknown): Generator<string> {
  if (isLittle(value)) {
    yield JSON.stringify(value) ?? "null"
    return
  }
  let held = ""
  for (const part of jsonParts(value)) {
    held += part
    if (held.length < stretch) continue
    yield held
    held = ""
  }
  if (held !== "") yield held
}
