/** What others typed, on one line, so that it can't pass for anything but what it is; its first characters. */
export const line = (text: string, longest = 1_000): string =>
  text
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim()
    .slice(0, longest)
    .toWellFormed()
