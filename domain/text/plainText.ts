/** Control characters that no text has (tabs, line ends, form feeds and escapes of terminals are some that it has). */
const strange = /[\u0001-\u0008\u000b\u000e-\u001a\u001c-\u001f\u007f-\u009f\ufffd]/g

/** The share of strange characters from which on something is no text. */
const most = 0.1

/**
 * Whether this can be read: a picture or a program that somebody decoded as text is mostly control and replacement
 * characters.
 */
export const isPlainText = (text: string): boolean => {
  let found = 0
  for (const _ of text.matchAll(strange)) found++
  return found <= most * text.length
}
