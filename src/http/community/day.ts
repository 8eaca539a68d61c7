import { thousands } from "#domain/text/thousands.ts"
import { type Markup, markup } from "./markup.ts"

/** Made for the first page that has a day: that loads the runtime's tables. */
let day: Intl.DateTimeFormat | undefined

/** A day of UTC, as people say it; the exact instant on hover. */
export const dayOf = (time: Date): Markup => {
  day ??= new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" })
  return markup`<time datetime="${time.toISOString()}" title="${time.toISOString()}">${day.format(time)}</time>`
}

/** A count with what is counted. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${thousands(count)} ${count === 1 ? one : many}`
