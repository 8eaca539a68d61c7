/** Which paths a workspace may hold: `git fsck --strict` accepts them, and a checkout anywhere puts them in place. */

const maxNameBytes = 255
const maxPathBytes = 4096
const maxDepth = 128
const maxTargetBytes = 4095

const bytesOf = (text: string): number => Buffer.byteLength(text)

/** Code points that HFS+ leaves out when it compares names. */
const hfsIgnorable = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g
/** NTFS drops trailing dots and spaces and reads `:` as the start of a stream's name. */
const dotGit = /^(?:\.git|git~1)[ .]*(?:$|:)/i

type Special = "gitmodules" | "gitattributes" | "gitignore" | "mailmap"
/** Files that git reads for itself, each with the start of its hashed NTFS short name. */
const specials: ReadonlyArray<readonly [Special, string]> = [
  ["gitmodules", "gi7eba"],
  ["gitattributes", "gi7d29"],
  ["gitignore", "gi250a"],
  ["mailmap", "maba30"]
]

/** `gi7eba~1`, `gi7eb~12` …: eight characters; those before the tilde begin the hashed short name. */
const isHashedShortName = (name: string, prefix: string): boolean => {
  const [before, tail] = [name.slice(0, name.indexOf("~")), name.slice(8)]
  return (
    /^[^~]{0,6}~[1-9][0-9]*$/.test(name.slice(0, 8)) &&
    name.length >= 8 &&
    prefix.startsWith(before) &&
    /^[ .]*(?:$|:)/.test(tail)
  )
}

const special = (name: string): Special | undefined => {
  for (const form of [name.toLowerCase(), name.replace(hfsIgnorable, "").toLowerCase()]) {
    for (const [plain, hashed] of specials) {
      const dotted = form.startsWith(`.${plain}`) && /^[ .]*(?:$|:)/.test(form.slice(plain.length + 1))
      const short = form.startsWith(`${plain.slice(0, 6)}~`) && /^[1-4][ .]*(?:$|:)/.test(form.slice(7))
      if (dotted || short || isHashedShortName(form, hashed)) return plain
    }
  }
  return undefined
}

/** What is wrong with one part of a path, for a person to read; `undefined`: nothing. */
export const nameProblem = (name: string): string | undefined => {
  if (name === "") return "a path has no empty parts: no slash at its begin or end, and not two in a row"
  if (name === "." || name === "..") return `a path has no "${name}" parts: give it from the workspace's root`
  if (name.includes("\0")) return "a name can't hold a NUL character"
  if (name.includes("/")) return "a name can't hold a slash"
  if (name.includes("\\")) return "a name can't hold a backslash; parts of a path are separated by /"
  if (!name.isWellFormed()) return "a name must be well-formed Unicode"
  if (dotGit.test(name) || dotGit.test(name.replace(hfsIgnorable, ""))) {
    return "the name .git, also in a form that some file system takes for it, is git's own"
  }
  if (bytesOf(name) > maxNameBytes) return `a name has at most ${maxNameBytes} bytes`
  return undefined
}

/** What is wrong with a path (relative to the workspace's root), for a person to read; `undefined`: nothing. */
export const pathProblem = (path: string): string | undefined => {
  if (path.startsWith("/")) return "a path is relative to the workspace's root: it doesn't begin with a slash"
  if (path.length > maxPathBytes || bytesOf(path) > maxPathBytes) return `a path has at most ${maxPathBytes} bytes`
  const names = path.split("/")
  if (names.length > maxDepth) return `a path has at most ${maxDepth} parts`
  for (const name of names) {
    const problem = nameProblem(name)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Why an entry of this name can't be of this kind; `undefined`: it can. Git follows no links to what it reads. */
export const kindProblem = (
  name: string,
  kind: "file" | "executable" | "symlink" | "directory"
): string | undefined => {
  if (kind === "file" || kind === "executable") return undefined
  const found = special(name)
  if (found === undefined) return undefined
  if (kind === "symlink") return `.${found} can't be a symbolic link`
  return found === "gitmodules" || found === "gitattributes" ? `.${found} can't be a directory` : undefined
}

const submoduleLines = [
  /^\s*(?:[#;].*)?$/,
  /^\s*\[submodule "(?!\.\.?[/"])(?![^"]*\/\.\.?[/"])[\w.+/-]+"\]\s*$/,
  /^\s*path\s*=\s*\w[\w.+/-]*\s*$/i,
  /^\s*url\s*=\s*(?:(?:\.\.?\/)+|(?:https?|ssh|git):\/\/|[\w.-]+@[\w.-]+:)\w[\w.~@:/+-]*\s*$/i,
  /^\s*(?:branch|ignore|shallow|fetchRecurseSubmodules)\s*=\s*\w[\w./-]*\s*$/i,
  /^\s*update\s*=\s*(?:none|checkout|rebase|merge)\s*$/i
]
const maxAttributeLine = 2048

/** Whether `contentProblem` has to check a file of this name. */
export const hasReadContent = (name: string): boolean => {
  const found = special(name)
  return found === "gitmodules" || found === "gitattributes"
}

/** What is wrong with the content of a file of this name: `git fsck` reads `.gitmodules` and `.gitattributes` too. */
export const contentProblem = (name: string, bytes: Uint8Array): string | undefined => {
  const found = special(name)
  if (found !== "gitmodules" && found !== "gitattributes") return undefined
  if (bytes.length > 1024 * 1024) return `.${found} has at most 1 MiB`
  // latin1: lengths are bytes
  const lines = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1").split("\n")
  if (found === "gitattributes") {
    return lines.some((line) => line.length >= maxAttributeLine)
      ? `a line of .gitattributes has less than ${maxAttributeLine} bytes`
      : undefined
  }
  return lines.every((line) => submoduleLines.some((allowed) => allowed.test(line)))
    ? undefined
    : ".gitmodules may hold submodule sections with plain name, path, url, branch and update only"
}

/** What is wrong with a symbolic link's target. Where it leads is not checked here. */
export const targetProblem = (target: string): string | undefined => {
  if (target === "") return "a symbolic link needs a target"
  if (target.includes("\0") || !target.isWellFormed()) return "a symbolic link's target must be well-formed text"
  if (bytesOf(target) > maxTargetBytes) return `a symbolic link's target has at most ${maxTargetBytes} bytes`
  return undefined
}

const aboveSurrogates = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)

/** Compares texts by their UTF-8 bytes, which UTF-16 orders differently beyond U+FFFF; negative if `a` comes first. */
export const compareBytes = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const [one, other] = [a.charCodeAt(index), b.charCodeAt(index)]
    if (one !== other) return aboveSurrogates(one) - aboveSurrogates(other)
  }
  return a.length - b.length
}

/** Characters whose order in UTF-16 may not be that of their bytes. */
const disordered = /[\ud800-\uffff]/

/** Items in byte order of their texts. The runtime's comparison is many times as fast, and right for most names. */
export const sortedByBytes = <A>(items: ReadonlyArray<A>, textOf: (item: A) => string): Array<A> => {
  const texts = items.map(textOf)
  const compare = disordered.test(texts.join(""))
    ? compareBytes
    : (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
  // items read from a tree are in order already
  if (texts.every((text, index) => index === 0 || compare(texts[index - 1]!, text) <= 0)) return [...items]
  const order = texts.map((_, index) => index).sort((a, b) => compare(texts[a]!, texts[b]!))
  return order.map((index) => items[index]!)
}
