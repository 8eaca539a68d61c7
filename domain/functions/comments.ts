/** How a language marks a comment that takes one line. */
export interface CommentStyle {
  readonly open: string
  readonly close: string
}

const styles: ReadonlyArray<readonly [CommentStyle, string]> = [
  [{ open: "# ", close: "" }, "python ruby bash r perl elixir julia yaml toml powershell"],
  [{ open: "// ", close: "" }, "typescript javascript go java rust csharp cpp c php kotlin swift scala dart"],
  [{ open: "-- ", close: "" }, "sql lua haskell"],
  [{ open: "% ", close: "" }, "erlang"],
  [{ open: "; ", close: "" }, "clojure"],
  [{ open: "/* ", close: " */" }, "css"],
  [{ open: "<!-- ", close: " -->" }, "html xml vue markdown"]
]

const byLanguage = new Map(styles.flatMap(([style, names]) => names.split(" ").map((name) => [name, style] as const)))

/** The comment style of a language; `undefined` if it has no comments, or isn't known. */
export const commentStyle = (language: string): CommentStyle | undefined => byLanguage.get(language)

/** A text as a comment of one line. The text has no line break. */
export const commentIn = ({ open, close }: CommentStyle, text: string): string => `${open}${text}${close}`

/** What some languages require on the first line. */
const first: { readonly [language: string]: RegExp } = {
  php: /^<\?(?:php)?\s*$/i,
  xml: /^<\?xml\b/,
  html: /^<!doctype\b/i,
  css: /^@charset\b/
}
const encoding = /^[ \t\f]*#.*?coding[:=]/
const rubyMagic = /^#.*?(?:coding|frozen_string_literal|warn_indent|shareable_constant_value)\s*[:=]/i
/** Languages that allow no comment above their front matter. */
const frontMatter = new Set(["markdown", "yaml"])

/** How many lines must stay first in a file: `#!`, an encoding, a declaration. `Infinity`: no comment may come in. */
export const headerLines = (lines: ReadonlyArray<string>, language: string): number => {
  let count = lines[0]!.startsWith("#!") ? 1 : 0
  if (language === "python") {
    for (const at of [0, 1]) if (encoding.test(lines[at] ?? "")) count = at + 1
  } else if (language === "ruby") {
    while (rubyMagic.test(lines[count] ?? "")) count++
  } else if (frontMatter.has(language) && /^(?:---|%)/.test(lines[0]!)) return Number.POSITIVE_INFINITY
  else if (Object.hasOwn(first, language)) {
    if (first[language]!.test(lines[0]!))
      return /<\?xml|<!doctype/i.test(lines[0]!) && !lines[0]!.includes(">") ? Number.POSITIVE_INFINITY : 1
    // PHP prints what is outside of its tags.
    if (language === "php" && count === 0) return Number.POSITIVE_INFINITY
    if (language === "php") return /^<\?php\s*$/i.test(lines[1] ?? "") ? 2 : Number.POSITIVE_INFINITY
  }
  return count
}
