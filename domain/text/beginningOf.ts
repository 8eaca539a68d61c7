/** At most the first `length` UTF-16 units of a text, without half a character at their end. */
export const beginningOf = (text: string, length: number): string => {
  if (text.length <= length) return text
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length)
}
