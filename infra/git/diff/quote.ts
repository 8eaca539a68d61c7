const escapes = new Map([
  [0x07, "\\a"],
  [0x08, "\\b"],
  [0x09, "\\t"],
  [0x0a, "\\n"],
  [0x0b, "\\v"],
  [0x0c, "\\f"],
  [0x0d, "\\r"],
  [0x22, '\\"'],
  [0x5c, "\\\\"]
])

/**
 * A path as git prints it: in quotes, with escapes, when it has control characters, quotes or anything beyond ASCII.
 */
export const quotePath = (path: string): string => {
  let text = ""
  for (const byte of Buffer.from(path)) {
    const plain = byte >= 0x20 && byte < 0x7f
    text += escapes.get(byte) ?? (plain ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`)
  }
  return text === path ? path : `"${text}"`
}
