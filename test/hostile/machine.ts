import { worked } from "./processor.ts"

/** Milliseconds of processor time that `work` takes on the machine that bounds are stated for. */
const reference = 7

const lines = JSON.stringify(Array.from({ length: 2_000 }, (_, n) => ({ id: n, name: `line ${n}`, tags: ["a", "b"] })))

/** Some of what a service does: parsing, sorting, joining. */
const work = () => {
  let sum = 0
  for (let n = 0; n < 10; n++) {
    const rows = JSON.parse(lines) as Array<{ name: string }>
    rows.sort((a, b) => (a.name < b.name ? 1 : -1))
    sum += rows.map(({ name }) => name).join(" ").length
  }
  return sum
}

const best = (looks: number) => {
  let least = Number.POSITIVE_INFINITY
  for (let n = 0; n < looks; n++) {
    const from = worked(process.pid)
    work()
    least = Math.min(least, worked(process.pid) - from)
  }
  return least
}

/** How many times as long as on that machine things take here, at this moment; never less than 1. */
export const slowness = (looks = 3): number => Math.max(1, best(looks) / reference)
