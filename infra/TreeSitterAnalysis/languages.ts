/** Language of a file by its extension, lower-case and without the dot. */
const byExtension: { readonly [extension: string]: string } = {
  ...{ py: "python", pyw: "python", pyi: "python", ts: "typescript", mts: "typescript", cts: "typescript" },
  ...{ tsx: "typescript", js: "javascript", mjs: "javascript", cjs: "javascript", jsx: "javascript", go: "go" },
  ...{ rb: "ruby", rake: "ruby", java: "java", rs: "rust", sh: "bash", bash: "bash", zsh: "bash", ksh: "bash" },
  ...{ cs: "csharp", cpp: "cpp", cc: "cpp", cxx: "cpp", hpp: "cpp", hh: "cpp", c: "c", h: "c", php: "php" },
  ...{ kt: "kotlin", kts: "kotlin", swift: "swift", scala: "scala", r: "r", lua: "lua", pl: "perl", pm: "perl" },
  ...{ ex: "elixir", exs: "elixir", erl: "erlang", hs: "haskell", clj: "clojure", dart: "dart", jl: "julia" },
  ...{ sql: "sql", html: "html", htm: "html", css: "css", scss: "css", json: "json", yaml: "yaml", yml: "yaml" },
  ...{ toml: "toml", xml: "xml", md: "markdown", ps1: "powershell", psm1: "powershell", ipynb: "json", vue: "vue" }
}

/** Grammar file of a language, where there is one. C is read as C++. */
const grammars: { readonly [language: string]: string } = {
  ...{ python: "python", typescript: "typescript", javascript: "javascript", go: "go", ruby: "ruby", java: "java" },
  ...{ rust: "rust", bash: "bash", csharp: "c-sharp", cpp: "cpp", c: "cpp", php: "php" }
}

const interpreters: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bpython[\d.]*|\bpypy|\buv\b/, "python"],
  [/\b(?:deno|bun|tsx|ts-node)\b/, "typescript"],
  [/\bnode(?:js)?\b/, "javascript"],
  [/\b(?:ba|z|k|da)?sh\b/, "bash"],
  [/\bruby\b/, "ruby"],
  [/\bphp\b/, "php"],
  [/\bperl\b/, "perl"]
]

/** What a source of a language shows in its first lines; a guess, to be confirmed by a parse without errors. */
const signs: ReadonlyArray<readonly [RegExp, ReadonlyArray<string>]> = [
  [/^<\?php\b/, ["php"]],
  [/^package\s+\w+\s*$[\s\S]*^(?:func|type|import|var|const)\b/m, ["go"]],
  [
    /^\s*(?:async\s+)?def\s+\w+\s*\(.*|^(?:import\s+[\w.]+|from\s+[\w.]+\s+import\b.*)\s*$|^class\s+\w+.*:\s*$/m,
    ["python"]
  ],
  [/^\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+)?fn\s+\w+.*[({]|^use\s+[\w:]+.*;\s*$/m, ["rust"]],
  [
    /^\s*(?:public|private|protected|final|abstract)?\s*(?:final\s+|static\s+)*(?:class|interface|record)\s+\w+[^:]*\{/m,
    ["java", "javascript", "typescript"]
  ],
  [/^\s*(?:def\s+\S+|class\s+[A-Z]\w*|module\s+[A-Z]\w*|require\s+['"]).*$[\s\S]*^\s*end\s*$/m, ["ruby"]],
  [
    /^\s*(?:export\b|import\b.*\bfrom\b|(?:async\s+)?function\b|(?:const|let|var)\s+[\w{[]|interface\s+\w|type\s+\w+.*=)|=>/m,
    ["javascript", "typescript"]
  ]
]

const extensionOf = (path: string): string => {
  const base = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1)
  const dot = base.lastIndexOf(".")
  return dot > 0 ? base.slice(dot + 1).toLowerCase() : ""
}

/** The language that the extension says, or `undefined`. */
export const languageOfPath = (path: string): string | undefined => {
  const extension = extensionOf(path)
  return Object.hasOwn(byExtension, extension) ? byExtension[extension] : undefined
}

/** The language of the interpreter in a `#!` line, or `undefined`. */
export const languageOfShebang = (source: string): string | undefined => {
  const line = /^#!(.*)/.exec(source)?.[1]
  return line === undefined ? undefined : interpreters.find(([name]) => name.test(line))?.[1]
}

/** Languages that a source without a useful name may be in, most likely first. */
export const likelyLanguages = (source: string): ReadonlyArray<string> => {
  const head = source.slice(0, 20_000)
  return [...new Set(signs.flatMap(([sign, languages]) => (sign.test(head) ? languages : [])))].slice(0, 4)
}

/** The grammar to parse a file of a language with, or `undefined`. */
export const grammarOf = (language: string, path: string): string | undefined => {
  if (language === "typescript" && extensionOf(path) === "tsx") return "tsx"
  return Object.hasOwn(grammars, language) ? grammars[language] : undefined
}

/** Name of the file without folders and extension. */
export const stemOf = (path: string): string => {
  const base = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1)
  const dot = base.lastIndexOf(".")
  return dot > 0 ? base.slice(0, dot) : base
}
