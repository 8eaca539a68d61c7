import { beginningOf } from "#domain/text/beginningOf.ts"

/** What documentation says of a parameter or a result. */
export interface Said {
  readonly description: string
  /** The type as it is written; `""`: none is. */
  readonly type: string
}

export interface Documentation {
  readonly parameters: ReadonlyMap<string, Said>
  readonly result: Said | undefined
}

/** Characters that are kept of one description, and lines that are read. */
const longest = 300
const mostLines = 500

const name = String.raw`[\p{L}_$*][\p{L}\p{N}_$.*]*`
// Lines reach these expressions trimmed, with one blank for many: with `\s+`, each would try every share of a run of
// blanks.
const tag = new RegExp(
  // @param {type} [name=default] - text · @param name [Type] text · :param type name: text
  String.raw`^(?:[@\\](?:param|arg|argument) (?:\{((?:[^{}]|\{[^{}]*\})*)\} ?|\[([^\] ]*)\] )?(\[?)(${name})(?:=[^\]]*)?\]?(?: \[([^\]]*)\])?|:(?:param|parameter|arg) (?:([^:]*?) )?(${name}) ?:) ?(?:[-–—:] )?([\s\S]*)`,
  "u"
)
const typeTag = new RegExp(String.raw`^:type (${name}) ?: ?([\s\S]+)`, "u")
const resultTag = /^(?:[@\\]returns? ?(?:\{((?:[^{}]|\{[^{}]*\})*)\}|\[([^\]]*)\])?|:returns? ?:) ?(?:[-–—] )?([\s\S]*)/
const resultType = /^:rtype ?: ?([\s\S]+)/
const anyTag = /^[@\\:][a-z]+\b/i

const googleSection =
  /^(Args|Arguments|Parameters|Params|Keyword Args|Returns|Yields|Raises|Examples?|Notes?|Attributes) ?:$/i
const numpySection = /^(Parameters|Other Parameters|Returns|Yields|Raises|Examples|Notes|See Also|Attributes)$/i
const markdownSection = /^#+ ?(Arguments|Parameters|Returns|Errors|Panics|Examples?)$/i
const googleEntry = new RegExp(String.raw`^(${name}) ?(?:\(([^)]*)\))? ?: ?([\s\S]*)`, "u")
const numpyEntry = new RegExp(String.raw`^(${name}(?: ?, ?${name})*) ?(?:: ?([\s\S]*))?$`, "u")
const bullet = new RegExp(String.raw`^[*-] \x60?(${name})\x60? ?(?:[-–—:] ?)?([\s\S]*)`, "u")

const namesIn = (list: string): ReadonlyArray<string> => list.split(",").map((one) => one.trim())
const isParameters = (section: string) => /^(?:args|arguments|param|keyword|other param)/i.test(section)
const indentOf = (line: string) => line.length - line.trimStart().length

/** Reads the sections and tags of a docstring or comment: Google, NumPy, reST, JSDoc, Javadoc, YARD, Rust's bullets. */
export const documentationIn = (text: string): Documentation => {
  const parameters = new Map<string, Said>()
  let result: Said | undefined
  let open: { names: ReadonlyArray<string> | undefined; type: string; lines: Array<string> } | undefined
  let section: { name: string; style: "google" | "numpy" | "markdown"; indent: number } | undefined

  const close = () => {
    if (open === undefined) return
    const { names, type, lines } = open
    const description = beginningOf(lines.join(" ").replace(/\s+/g, " ").trim(), longest)
    const said = (before: Said | undefined): Said => ({
      description: description || (before?.description ?? ""),
      type: type || (before?.type ?? "")
    })
    if (names === undefined) result = said(result)
    else for (const one of names) parameters.set(one, said(parameters.get(one)))
    open = undefined
  }
  const begin = (names: ReadonlyArray<string> | undefined, type: string, first: string) => {
    close()
    open = { names: names?.map((one) => one.replace(/^\*+/, "")), type: type.trim(), lines: [first] }
  }

  const lines = text
    .split(/\r\n|[\n\r]/)
    .slice(0, mostLines)
    .map((line) => beginningOf(line, 1_000).replaceAll("\t", "    "))
  const tagged = (line: string): boolean => {
    const parameter = tag.exec(line)
    const result = resultTag.exec(line)
    const type = typeTag.exec(line)
    if (parameter !== null) {
      const [, braces, before, bracket, named, after, rest, restName, words] = parameter
      const type = braces ?? before ?? after ?? rest ?? ""
      begin([named ?? restName!], bracket === "[" ? `${type}, optional` : type, words!)
    } else if (result !== null) begin(undefined, result[1] ?? result[2] ?? "", result[3]!)
    else if (type !== null) begin([type[1]!], type[2]!, "")
    else if (resultType.test(line)) begin(undefined, resultType.exec(line)![1]!, "")
    else if (anyTag.test(line)) close()
    else return false
    section = undefined
    return true
  }

  for (const [at, raw] of lines.entries()) {
    const line = raw.trim().replace(/\s+/g, " ")
    const indent = indentOf(raw)
    if (line === "") {
      if (section?.style !== "numpy") close()
      continue
    }
    if (tagged(line)) continue
    const underlined = numpySection.test(line) && /^\s*-{3,}\s*$/.test(lines[at + 1] ?? "")
    const header = underlined ? line : (googleSection.exec(line)?.[1] ?? markdownSection.exec(line)?.[1])
    if (header !== undefined) {
      close()
      section = { name: header, style: underlined ? "numpy" : line.startsWith("#") ? "markdown" : "google", indent }
      continue
    }
    if (/^-{3,}$/.test(line)) continue
    if (section === undefined) {
      open?.lines.push(line)
      continue
    }
    const { style, name: which, indent: base } = section
    const isEntry = style === "numpy" ? indent <= base : style === "google" ? indent > base : true
    if (style === "google" && !isEntry) {
      close()
      section = undefined
      continue
    }
    const first = open === undefined || style === "numpy" || indent <= section.indent + 4 || style === "markdown"
    const entry =
      !isEntry || !first
        ? null
        : (style === "google" ? googleEntry : style === "numpy" ? numpyEntry : bullet).exec(line)
    if (isParameters(which)) {
      if (entry === null) open?.lines.push(line)
      else if (style === "google") begin([entry[1]!], entry[2] ?? "", entry[3]!)
      else if (style === "numpy") begin(namesIn(entry[1]!), entry[2] ?? "", "")
      else begin([entry[1]!], "", entry[2]!)
    } else if (/^returns$/i.test(which)) {
      if (open !== undefined) open.lines.push(line)
      else if (style === "numpy") begin(undefined, line.replace(/^\w+\s*:\s*/, ""), "")
      else begin(undefined, /^([\w[\], |.]{1,40}):\s/.exec(line)?.[1] ?? "", line.replace(/^[\w[\], |.]{1,40}:\s+/, ""))
    }
  }
  close()
  return { parameters, result }
}
