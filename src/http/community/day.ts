import { type Markup, markup } from "./markup.ts"

const day = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" })

/** A day of UTC, as people say it; the exact instant on hover. */
export const dayOf = (time: Date): Markup =>
  markup`<time datetime="${time.toISOString()}" title="${time.toISOString()}">${day.format(time)}</time>`

/** A count with what is counted. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`
