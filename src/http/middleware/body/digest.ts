import { createHmac } from "node:crypto"
import { Effect } from "effect"
import { stretches } from "#engine/jsonPieces.ts"

/** Characters that are digested in one stretch, and how many each part counts for in addition. */
const stretch = 1_048_576
const each = 64
/** Characters that are gathered before they are digested. */
const piece = 65_536

/** An array or an object that is being walked. */
interface Level {
  readonly parts: ReadonlyArray<unknown>
  at: number
  readonly end: string
}

/**
 * The same text for the same JSON, whatever the order of its fields; `null` is the same as a missing field. Without
 * recursion: in nested generators, each part would pass through all of them.
 */
function* canonical(value: unknown): Generator<string> {
  const levels: Array<Level> = [{ parts: [value], at: 0, end: "" }]
  for (let level = levels[0]; level !== undefined; level = levels.at(-1)) {
    if (level.at === level.parts.length) {
      yield level.end
      levels.pop()
      continue
    }
    const one = level.parts[level.at++]
    if (typeof one === "string") {
      yield `"${one.length}:`
      yield* stretches(one)
    } else if (Array.isArray(one)) {
      yield "["
      levels.push({ parts: one, at: 0, end: "]" })
    } else if (typeof one === "object" && one !== null) {
      yield "{"
      const fields = Object.entries(one).filter(([, field]) => field != null)
      levels.push({
        parts: fields.sort(([a], [b]) => (a < b ? -1 : 1)).flat(),
        at: 0,
        end: "}"
      })
    } else yield `${String(one)},`
  }
}

/** A keyed digest of a JSON value, 64 hexadecimal digits. Others get their turn while a large one is made. */
export const valueDigest = Effect.fnUntraced(function* (secret: string, value: unknown) {
  const hash = createHmac("sha256", secret)
  let held = ""
  let done = 0
  for (const part of canonical(value)) {
    held += part
    done += part.length + each
    if (held.length >= piece) {
      hash.update(held)
      held = ""
    }
    if (done < stretch) continue
    done = 0
    yield* Effect.yieldNow
  }
  return hash.update(held).digest("hex")
})
