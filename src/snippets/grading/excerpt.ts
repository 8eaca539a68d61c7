import { thousands } from "#domain/text/thousands.ts"

const note = (text: string, kept: number) => `[${thousands(text.length - kept)} characters left out]`

/**
 * A text of at most `size` UTF-16 units as it is; of a longer one so many of them, a third from its end, with a line
 * that says how many are left out.
 */
export const ends = (text: string, size: number): string => {
  if (text.length <= size) return text
  const last = Math.floor(size / 3)
  return `${text.slice(0, size - last)}\n${note(text, size)}\n${text.slice(-last)}`.toWellFormed()
}

/** Likewise, all of them from its end: that is where a log says how it went. */
export const tail = (text: string, size: number): string =>
  text.length <= size ? text : `${note(text, size)}\n${text.slice(-size)}`.toWellFormed()
