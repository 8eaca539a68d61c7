/** Characters of a text that are written in one go, and about the size of a piece. */
const stretch = 65_536
/** Characters above which a text is cut. */
const long = 16_384
/** Short entries of an array that are written in one go. */
const run = 1_000
/** Levels of nesting down to which parts are written one by one. */
const deepest = 8

/** Cuts a text into stretches of 64 Ki UTF-16 units, none of which ends within a character. */
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

/** What `JSON.stringify` makes of a value, in parts. Down to eight levels, long texts are cut at 64 Ki characters. */
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
 * Whether the parts of a value and the names of its members weigh at least `most` together; `weightOf` gives a part's
 * own weight, without what it contains. Looks no further than it has to.
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

/** Whether a value has at least `characters` UTF-16 units of text, names included. Looks no further than it has to. */
export const hasText = (value: unknown, characters: number): boolean =>
  weighs(value, characters, (part) =>
    typeof part === "string" ? part.length : typeof part === "object" && part !== null ? 0 : 4
  )

/** What a part counts besides its text: a value with little text may have very many parts, or levels. */
const part = 32

/** Whether a value is little enough to be written in one go, without a turn for other work. */
const isLittle = (value: unknown): boolean =>
  !weighs(value, stretch, (one) => (typeof one === "string" ? part + one.length : part))

/**
 * What `JSON.stringify` makes of a value, in pieces of about 64 Ki characters, so that other work can have its turn in
 * between: `JSON.stringify` takes 20 ms for a megabyte of line breaks. The value holds no functions.
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
