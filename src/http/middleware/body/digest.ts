import { createHmac } from "node:crypto"
import { Effect } from "effect"
import { stretches } from "#domain/jsonPieces.ts"

/** Characters that are digested in one stretch. */
const stretch = 1_048_576
/** Characters of a text that are digested at once. */
const piece = 65_536

/** The same text for the same JSON, whatever the order of its fields, and whether an absent one is `null` or left out. */
function* canonical(value: unknown): Generator<string> {
  if (typeof value === "string") {
    yield `"${value.length}:`
    yield* stretches(value)
  } else if (Array.isArray(value)) {
    yield "["
    for (const one of value) yield* canonical(one)
    yield "]"
  } else if (typeof value === "object" && value !== null) {
    yield "{"
    const fields = Object.entries(value).filter(([, field]) => field != null)
    for (const [name, field] of fields.sort(([a], [b]) => (a < b ? -1 : 1))) {
      yield* canonical(name)
      yield* canonical(field)
    }
    yield "}"
  } else yield `${String(value)},`
}

/** A keyed digest of a JSON value, 64 hexadecimal digits. Others get their turn while a large one is made. */
export const valueDigest = Effect.fnUntraced(function* (secret: string, value: unknown) {
  const hash = createHmac("sha256", secret)
  let held = ""
  let done = 0
  for (const part of canonical(value)) {
    held += part
    if (held.length < piece) continue
    hash.update(held)
    done += held.length
    held = ""
    if (done < stretch) continue
    done = 0
    yield* Effect.yieldNow
  }
  return hash.update(held).digest("hex")
})
