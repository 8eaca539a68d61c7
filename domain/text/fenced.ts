/**
 * A text as a block of code in Markdown. Its fence is longer than any run of backticks in it, so the text can't end the
 * block. `info` stands behind the fence; only its letters, digits, `_`, `-` and `+` are kept.
 */
export const fenced = (text: string, info = ""): string => {
  let longest = 2
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length)
  const fence = "`".repeat(longest + 1)
  return `${fence}${info.replace(/[^\w+-]/g, "")}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`
}
