/** Part of a line of Markdown. */
export type Inline = { readonly is: "text" | "code" | "strong"; readonly text: string }

/** The blocks of the service's Markdown pages. Anything else in a page is a paragraph, as it stands. */
export type Block =
  | { readonly is: "heading"; readonly level: number; readonly of: ReadonlyArray<Inline> }
  | { readonly is: "list"; readonly items: ReadonlyArray<ReadonlyArray<Inline>> }
  | { readonly is: "code"; readonly language: string; readonly text: string }
  | { readonly is: "paragraph"; readonly of: ReadonlyArray<Inline> }

/** Code is between as many backticks as it needs, with a space on each side if it begins or ends with a backtick. */
const inline = /(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)|\*\*(.+?)\*\*/g

const unpadded = (text: string): string =>
  text.startsWith(" ") && text.endsWith(" ") && /[^ ]/.test(text) ? text.slice(1, -1) : text

/** The parts of a line. */
export const inlinesOf = (line: string): ReadonlyArray<Inline> => {
  const found: Array<Inline> = []
  let from = 0
  for (const match of line.matchAll(inline)) {
    if (match.index > from) found.push({ is: "text", text: line.slice(from, match.index) })
    found.push(match[2] === undefined ? { is: "strong", text: match[3]! } : { is: "code", text: unpadded(match[2]) })
    from = match.index + match[0].length
  }
  if (from < line.length) found.push({ is: "text", text: line.slice(from) })
  return found
}

/** A page as blocks, in order. */
export const blocksOf = (page: string): ReadonlyArray<Block> => {
  const lines = page.split("\n")
  const blocks: Array<Block> = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at++]!
    const fence = /^(`{3,})([^`]*)$/.exec(line)
    const heading = /^(#{1,6}) (.*)$/.exec(line)
    if (fence) {
      let end = lines.findIndex((one, index) => index >= at && one.startsWith(fence[1]!) && /^`+$/.test(one))
      if (end < 0) end = lines.length
      blocks.push({ is: "code", language: fence[2]!.trim(), text: `${lines.slice(at, end).join("\n")}\n` })
      at = end + 1
    } else if (heading) {
      blocks.push({ is: "heading", level: heading[1]!.length, of: inlinesOf(heading[2]!) })
    } else if (line.startsWith("- ")) {
      const items = [inlinesOf(line.slice(2))]
      while (lines[at]?.startsWith("- ")) items.push(inlinesOf(lines[at++]!.slice(2)))
      blocks.push({ is: "list", items })
    } else if (line.trim() !== "") {
      blocks.push({ is: "paragraph", of: inlinesOf(line) })
    }
  }
  return blocks
}
