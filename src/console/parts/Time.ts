import { signal } from "@preact/signals"
import { html, type Node } from "../html.ts"

/** The time, updated by itself, so that "two minutes ago" is, too. */
const now = signal(Date.now())
setInterval(() => {
  now.value = Date.now()
}, 20_000)

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" })
const day = new Intl.DateTimeFormat("en", { dateStyle: "medium" })
const exact = new Intl.DateTimeFormat("en", { dateStyle: "full", timeStyle: "long" })

const ago = (then: number, at: number): string => {
  const seconds = Math.round((then - at) / 1000)
  const size = Math.abs(seconds)
  if (size < 45) return "just now"
  if (size < 3_300) return relative.format(Math.round(seconds / 60), "minute")
  if (size < 79_200) return relative.format(Math.round(seconds / 3_600), "hour")
  if (size < 7 * 86_400) return relative.format(Math.round(seconds / 86_400), "day")
  return day.format(then)
}

/** A time as people say it, in the reader's zone, with the exact time on hover. */
export const Time = ({ at }: { readonly at: string | null }): Node => {
  const then = at === null ? Number.NaN : Date.parse(at)
  if (at === null || Number.isNaN(then)) return html`<span class="quiet">never</span>`
  return html`<time datetime=${at} title=${`${exact.format(then)} (${at})`}>${ago(then, now.value)}</time>`
}
