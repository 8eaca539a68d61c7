/** Characters that no text has: U+FFFD, and controls other than tabs, line ends, form feeds and terminal escapes. */
const strange = /[\u0001-\u0008\u000b\u000e-\u001a\u001c-\u001f\u007f-\u009f\ufffd]/g

/** The greatest share of such characters that a text may have. */
const most = 0.1

/**
 * Whether something can be read: a picture or a program that was decoded as text is mostly control and replacement
 * characters.
 */
export const isPlainText = (text: string): boolean => {
  let found = 0
  for (const _ of text.matchAll(strange)) found++
  return found <= most * text.length
}
