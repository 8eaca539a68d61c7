/**
 * A text without these characters at its end; each of `characters` is one UTF-16 unit. An expression such as `[ab]+$`
 * would begin anew at each of them in the middle of the text.
 */
export const withoutEnd = (text: string, characters: string): string => {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}
