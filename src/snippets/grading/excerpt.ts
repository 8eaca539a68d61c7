import { thousands } from "#domain/text/thousands.ts"

const note = (text: string, kept: number) => `[${thousands(text.length - kept)} characters left out]`

/**
 * A text of at most `size` UTF-16 units as it is. Of a longer one, `size` units, a third of them from its end, and
 * between them a line that says how many are left out.
 */
export const ends = (text: string, size: number): string => {
  if (text.length <= size) return text
  const last = Math.floor(size / 3)
  return `${text.slice(0, size - last)}\n${note(text, size)}\n${text.slice(-last)}`.toWellFormed()
}

/** The same, with all of them from the end, where a log says how it went. */
export const tail = (text: string, size: number): string =>
  text.length <= size ? text : `${note(text, size)}\n${text.slice(-size)}`.toWellFormed()
