/** What others typed, cut to `longest` characters and on one line, so that it can't pass for anything else. */
export const line = (text: string, longest = 1_000): string =>
  text
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim()
    .slice(0, longest)
    .toWellFormed()
