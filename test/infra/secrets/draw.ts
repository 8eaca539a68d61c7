import { createHash } from "node:crypto"

/** Letters to draw from. */
export const sets = {
  hex: "0123456789abcdef",
  HEX: "0123456789ABCDEF",
  lower: "abcdefghijklmnopqrstuvwxyz0123456789",
  upper: "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
  base32: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
  alnum: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
  base64: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
  url: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
  digit: "0123456789"
} as const

/** Draws the same values from the same seed: nothing that looks like a secret stands in this repository. */
export interface Draw {
  readonly int: (below: number) => number
  readonly of: (set: keyof typeof sets, length: number) => string
  readonly one: <A>(list: ReadonlyArray<A>) => A
  readonly bytes: (length: number) => Buffer
  readonly uuid: () => string
}

export const drawing = (seed: string): Draw => {
  let pool = Buffer.alloc(0)
  let block = 0
  let at = 0
  const byte = (): number => {
    if (at >= pool.length) {
      pool = createHash("sha512").update(`${seed}/${block++}`).digest()
      at = 0
    }
    return pool[at++]!
  }
  const int = (below: number): number => (byte() * 65_536 + byte() * 256 + byte()) % below
  const of: Draw["of"] = (set, length) => Array.from({ length }, () => sets[set][int(sets[set].length)]).join("")
  return {
    int,
    of,
    one: (list) => list[int(list.length)]!,
    bytes: (length) => Buffer.from(Array.from({ length }, byte)),
    uuid: () => [8, 4, 4, 4, 12].map((length) => of("hex", length)).join("-")
  }
}
