const utf8 = new TextDecoder("utf-8", { fatal: true })

/**
 * What a caller wrote into a header. Its bytes come as Latin-1, which is what old HTTP said; today's write UTF-8, as
 * they do in a body: so they are read as that wherever they are that. Nothing in it is unescaped: `%` is a sign like
 * others.
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
