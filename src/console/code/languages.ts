/** The highlighter's languages, each with its other names and its file extensions. */
const known: { readonly [language: string]: ReadonlyArray<string> } = {
  bash: ["sh", "shell", "zsh"],
  c: ["h"],
  cpp: ["c++", "cc", "hpp", "cxx"],
  csharp: ["c#", "cs"],
  css: [],
  dockerfile: ["docker"],
  go: ["golang"],
  ini: ["toml", "cfg", "conf"],
  java: [],
  javascript: ["js", "jsx", "mjs", "cjs"],
  json: ["jsonc", "jsonl", "ipynb"],
  kotlin: ["kt", "kts"],
  lua: [],
  markdown: ["md"],
  perl: ["pl", "pm"],
  php: [],
  python: ["py", "pyi", "python3"],
  r: [],
  ruby: ["rb"],
  rust: ["rs"],
  sql: ["postgresql", "sqlite"],
  swift: [],
  typescript: ["ts", "tsx", "mts", "cts"],
  xml: ["html", "svg", "htm", "vue"],
  yaml: ["yml"]
}

const byName = new Map(Object.entries(known).flatMap(([name, others]) => [name, ...others].map((one) => [one, name])))

/** The highlighter's language for a language's name; `undefined`: there is none. */
export const languageOf = (given: string): string | undefined => byName.get(given.toLowerCase())

/** The highlighter's language for a file, by its extension; `undefined`: there is none. */
export const languageOfPath = (path: string): string | undefined => {
  const name = path.split("/").at(-1)!
  return languageOf(name.includes(".") ? name.split(".").at(-1)! : name)
}
