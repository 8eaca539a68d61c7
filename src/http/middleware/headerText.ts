const utf8 = new TextDecoder("utf-8", { fatal: true })

/**
 * A header's text as its caller wrote it. The runtime reads its bytes as Latin-1, as old HTTP said; today's clients
 * write UTF-8, as in a body. So bytes that are valid UTF-8 are read as UTF-8. Nothing is unescaped: `%` is a character
 * like others.
 */
export const headerText = (value: string): string => {
  // only ASCII, or characters that no byte stands for
  if (!/[\u0080-\u00ff]/.test(value) || /[^\u0000-\u00ff]/.test(value)) return value
  try {
    return utf8.decode(Buffer.from(value, "latin1"))
  } catch {
    return value
  }
}
