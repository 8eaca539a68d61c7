import { Schema } from "effect"
import { isSlug, longestSlug } from "#domain/Slug.ts"
import { isInYears } from "#domain/times.ts"

const storable = Schema.makeFilter((text: string) =>
  text.isWellFormed() && !text.includes("\u0000") ? undefined : "has a NUL or half a surrogate pair"
)

/** Text of 1 to `maximum` characters. */
export const text = (maximum: number) =>
  Schema.String.check(
    storable,
    Schema.isMinLength(1, { message: "is empty" }),
    Schema.isMaxLength(maximum, { message: `is longer than ${maximum} characters` })
  )

export const email = text(254).check(
  Schema.isPattern(/^[^\s@]+@[^\s@]+$/, { message: "is no e-mail address; expected name@domain" })
)

/** An organization's slug. */
export const slug = Schema.String.check(
  Schema.makeFilter((text: string) =>
    isSlug(text) ? undefined : `is no slug; expected 1 to ${longestSlug} of a-z, 0-9 and hyphens within, and no id`
  )
)

const iso = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/

/** Milliseconds of a day (its first moment, UTC), or of a time with its zone, up to the year 9999; else `NaN`. */
export const timeIn = (text: string): number => {
  const time = iso.test(text) ? Date.parse(text) : Number.NaN
  return isInYears(time) ? time : Number.NaN
}
