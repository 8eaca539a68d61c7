import { grownOf, type Held, type Named, sumOf } from "./held.ts"
import type { Look } from "./look.ts"

/** What a process holds, of each kind by name. */
export type Kinds = Held & Pick<Look, "descriptors" | "threads" | "children">

/**
 * How many more of a kind may be there than before, give or take: what comes and goes at rest, too. Connections to
 * Postgres come and go by themselves, with their sockets; a worker, a shell or a git does not.
 */
export const give = {
  descriptors: 8,
  // V8 has as many for itself from its first seconds on
  threads: 1,
  children: 0,
  fibers: 16,
  // at rest there were from none to 71, with nothing else that grew
  signals: 96,
  emitters: 24,
  listeners: 120,
  timers: 16
} as const satisfies { [kind in keyof Kinds]: number }
export const kinds = Object.keys(give) as ReadonlyArray<keyof Kinds>

/** What is given of a kind is given of the runtime's own: what the service began itself is none more. */
const own: { readonly [kind in keyof Kinds]?: RegExp } = { threads: /^worker-/ }

/** Whose names stay what they are: what went of one makes no room for another. Files and classes take turns. */
const byName: ReadonlyArray<keyof Kinds> = ["threads", "children"]

/** How many more of a kind there are than before. */
const grownBy = (kind: keyof Kinds, before: Named, now: Named): number =>
  byName.includes(kind) ? grownOf(before, now).reduce((sum, [, more]) => sum + more, 0) : sumOf(now) - sumOf(before)

/** Whether that is more than comes and goes. */
export const isMore = (kind: keyof Kinds, before: Named, now: Named): boolean =>
  grownBy(kind, before, now) > give[kind] || grownOf(before, now).some(([name]) => own[kind]?.test(name))

/** What there is more of, and how many. */
export const named = (before: Named, now: Named): string =>
  grownOf(before, now)
    .slice(0, 8)
    .map(([name, more]) => `${name} +${more}`)
    .join(", ")

/** What is more than before by more than comes and goes. */
export const more = <Of extends Partial<Kinds>>(before: Of, now: Of): ReadonlyArray<string> =>
  kinds.flatMap((kind) => {
    const [then, still] = [before[kind], now[kind]]
    if (then === undefined || still === undefined) return []
    return isMore(kind, then, still) ? [`${grownBy(kind, then, still)} ${kind} (${named(then, still)})`] : []
  })

/** The timer of a fiber that sleeps. It is counted as a fiber: how many of them sleep at a moment says nothing. */
const ofFiber = "() => resume(continuation)"

/**
 * What there is more of each time by as much as each round of the operations would leave: so one that leaves a single
 * thing behind is found before there are many. What comes and goes does not grow twice by that much.
 */
export const steadily = (held: ReadonlyArray<Kinds>, rounds: number): ReadonlyArray<string> =>
  kinds.flatMap((kind) => {
    const grown = held.slice(1).map((now, at) => new Map(grownOf(held[at]![kind], now[kind])))
    const [first, ...others] = grown
    if (first === undefined || others.length === 0) return []
    return [...first].flatMap(([name, by]) => {
      if (name === ofFiber) return []
      const each = [by, ...others.map((one) => one.get(name) ?? 0)]
      return each.every((one) => one >= rounds) ? [`${name}, one of the ${kind}, +${each.join(", +")}`] : []
    })
  })
