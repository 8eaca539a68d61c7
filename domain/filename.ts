import { normalForm } from "./search/normalForm.ts"
import { beginningOf } from "./text/beginningOf.ts"
import { withoutEnd } from "./text/withoutEnd.ts"

/** The most characters of a filename, with its extension and number. */
const longest = 100

const extensions: { readonly [language: string]: string } = {
  python: "py",
  typescript: "ts",
  javascript: "js",
  go: "go",
  ruby: "rb",
  java: "java",
  rust: "rs",
  bash: "sh",
  csharp: "cs",
  cpp: "cpp",
  c: "c",
  php: "php",
  kotlin: "kt",
  swift: "swift",
  scala: "scala",
  r: "r",
  lua: "lua",
  perl: "pl",
  elixir: "ex",
  erlang: "erl",
  haskell: "hs",
  clojure: "clj",
  dart: "dart",
  julia: "jl",
  sql: "sql",
  html: "html",
  css: "css",
  json: "json",
  yaml: "yaml",
  toml: "toml",
  xml: "xml",
  markdown: "md",
  powershell: "ps1",
  vue: "vue",
  text: "txt"
}

/** Further extensions of a language, which are kept: `.tsx` must not become `.ts`. */
const others: { readonly [language: string]: ReadonlyArray<string> } = {
  python: ["pyw", "pyi"],
  typescript: ["tsx", "mts", "cts"],
  javascript: ["mjs", "cjs", "jsx"],
  bash: ["bash", "zsh", "ksh"],
  cpp: ["cc", "cxx", "hpp", "hh"],
  c: ["h"],
  yaml: ["yml"],
  html: ["htm"]
}

/** Names that Windows takes for devices, with any extension. */
const reserved = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)$/i

const lastPart = (path: string): string => path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1)

/** Characters of a name that are looked at. */
const looked = 1_000
const joints = "._-"

/** Keeps letters, digits, `_`, `-` and inner dots of any script; a run of others, even invisible, becomes one `_`. */
const safe = (text: string): string =>
  withoutEnd(
    normalForm(beginningOf(text, looked), "NFC")
      .replace(/[^\p{L}\p{M}\p{N}_.-]+/gu, "_")
      .replace(/\.{2,}/g, ".")
      .replace(/^[._-]+/, ""),
    joints
  )

const cut = (text: string, length: number): string => {
  let kept = ""
  for (const character of text) {
    if (kept.length + character.length > length) break
    kept += character
  }
  return withoutEnd(kept, joints)
}

const extensionFor = (language: string, given: string): string => {
  const usual = Object.hasOwn(extensions, language) ? extensions[language]! : ""
  if (usual !== "" && given !== usual && !(Object.hasOwn(others, language) && others[language]!.includes(given)))
    return usual
  // Without a known language, the file keeps its extension, if it has one at all.
  return usual === "" && !/^[a-z0-9]{1,10}$/.test(given) ? "txt" : given
}

export interface NamedFile {
  /** As it was uploaded: it may be absolute, of any system, or hostile. */
  readonly path: string
  readonly name: string
  readonly language: string
  readonly id: string
}

/**
 * A filename for a snippet that a client can write anywhere: no folder, no leading dot, no name that a system reserves,
 * at most 100 characters, with its language's extension. It is none of `taken`, ignoring case, and is added to `taken`.
 */
export const filename = ({ path, name, language, id }: NamedFile, taken: Set<string>): string => {
  const base = lastPart(path)
  const dot = base.lastIndexOf(".")
  const given = dot > 0 ? base.slice(dot + 1).toLowerCase() : ""
  const extension = extensionFor(language.toLowerCase(), given)
  const stems = [dot > 0 ? base.slice(0, dot) : base, name, `snippet_${id.slice(0, 8)}`].map(safe)
  const stem = stems.find((stem) => stem !== "") ?? "snippet"
  const harmless = reserved.test(stem.split(".", 1)[0]!) ? `_${stem}` : stem
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? `.${extension}` : `_${number}.${extension}`
    const candidate = `${cut(harmless, longest - suffix.length)}${suffix}`
    const key = candidate.toLowerCase()
    if (taken.has(key)) continue
    taken.add(key)
    return candidate
  }
}
