const note = (text: string, kept: number) => `[${(text.length - kept).toLocaleString("en")} characters left out]`

/** The beginning of a text and, when it is cut, a third of what is kept from its end. */
export const ends = (text: string, size: number): string => {
  if (text.length <= size) return text
  const last = Math.floor(size / 3)
  return `${text.slice(0, size - last)}\n${note(text, size)}\n${text.slice(-last)}`.toWellFormed()
}

/** The end of a text: that is where a log says how it went. */
export const tail = (text: string, size: number): string =>
  text.length <= size ? text : `${note(text, size)}\n${text.slice(-size)}`.toWellFormed()
