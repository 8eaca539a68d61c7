/**
 * The first and the last millisecond of the years 1 to 9999 (UTC, since the epoch). Of any other year the text that
 * `toISOString` gives begins with a sign, which Postgres takes for no date.
 */
export const firstTime = Date.parse("0001-01-01T00:00:00.000Z")
export const lastTime = Date.parse("9999-12-31T23:59:59.999Z")

/** Whether a time is in these years. */
export const isInYears = (time: number): boolean => time >= firstTime && time <= lastTime
