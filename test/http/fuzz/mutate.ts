/** A reproducible source of numbers in 0…1 (mulberry32). */
export const random = (seed: number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
export type Random = ReturnType<typeof random>

export const pick = <A>(random: Random, from: ReadonlyArray<A>): A => from[Math.floor(random() * from.length)]!

const nested = (depth: number, leaf: unknown, array: boolean): unknown => {
  let value = leaf
  for (let level = 0; level < depth; level++) value = array ? [value] : { a: value }
  return value
}

const texts = [
  ...[
    "",
    " ",
    "\u0000",
    "a\u0000b",
    "\ud800",
    "\udfff text",
    "\u202etxt.exe",
    "\u2028\u2029",
    "😀".repeat(200),
    "\ufeff"
  ],
  ...["../../etc/passwd", "..", ".git/config", "a\\b", "/", "'; DROP TABLE events; --", "%00", "%", "$1", "{{7*7}}"],
  ...["<script>alert(1)</script>", "\r\nX-Injected: yes", "null", "true", "0", "-1", "1e309", "NaN", "__proto__"],
  ...["x".repeat(300), "x".repeat(100_001), "00000000-0000-4000-8000-000000000000", "constructor", "İstanbul ß ﬁ"]
]
const numbers = [0, -0, -1, 1, 2, 1.5, 101, 1e3, 1e9, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308, -1e308, 5e-324]

/** A value of any kind that JSON has, mostly a nasty one. */
export const nasty = (random: Random): unknown => {
  const kinds: ReadonlyArray<() => unknown> = [
    () => pick(random, texts),
    () => pick(random, texts),
    () => pick(random, numbers),
    () => random() < 0.5,
    () => null,
    () => [],
    () => ({}),
    () => [pick(random, texts), pick(random, numbers), null],
    () => Array.from({ length: 1_000 }, () => pick(random, numbers)),
    () => nested(2_000, pick(random, texts), random() < 0.5),
    () => ({ constructor: 1, toString: 2, length: -1 }),
    () => Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key${index}`, index])),
    () => [{ path: pick(random, texts), content: pick(random, texts) }]
  ]
  return pick(random, kinds)()
}

type Path = ReadonlyArray<string | number>

const pathsOf = (value: unknown, at: Path = []): ReadonlyArray<Path> => {
  // what is nested deeper than any request is one thing
  if (typeof value !== "object" || value === null || at.length > 6) return [at]
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return [at, ...entries.flatMap(([key, child]) => pathsOf(child, [...at, key]))]
}

const remove = Symbol("remove")

const changed = (value: unknown, path: Path, to: unknown): unknown => {
  const [key, ...rest] = path
  if (key === undefined) return to
  if (Array.isArray(value)) {
    return value.flatMap((child, index) => {
      if (index !== key) return [child]
      const next = changed(child, rest, to)
      return next === remove ? [] : [next]
    })
  }
  return Object.fromEntries(
    Object.entries(value as object).flatMap(([name, child]) => {
      if (name !== key) return [[name, child]]
      const next = changed(child, rest, to)
      return next === remove ? [] : [[name, next]]
    })
  )
}

/** The value with one to three things wrong: a field of another kind, one left out, one too many. */
export const mutated = (random: Random, value: unknown): unknown => {
  let result = value
  for (let times = 1 + Math.floor(random() * 3); times > 0; times--) {
    const paths = pathsOf(result).filter((path) => path.length > 0 || random() < 0.1)
    const path = pick(random, paths.length === 0 ? [[]] : paths)
    const way = random()
    if (way < 0.2 && path.length > 0) result = changed(result, path, remove)
    else if (way < 0.35 && typeof result === "object" && result !== null && !Array.isArray(result)) {
      result = { ...result, [pick(random, ["extra", "__proto__", "toString", "", "workspace_id", "é"])]: nasty(random) }
    } else result = changed(result, path, nasty(random))
  }
  return result
}
