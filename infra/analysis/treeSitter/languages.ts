/** Language of a file by its extension, lower-case and without the dot. */
const byExtension: { readonly [extension: string]: string } = {
  py: "python",
  pyw: "python",
  pyi: "python",
  ts: "typescript",
  mts: "typescript",
  cts: "typescript",
  tsx: "typescript",
  js: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  jsx: "javascript",
  go: "go",
  rb: "ruby",
  rake: "ruby",
  java: "java",
  rs: "rust",
  sh: "bash",
  bash: "bash",
  zsh: "bash",
  ksh: "bash",
  cs: "csharp",
  cpp: "cpp",
  cc: "cpp",
  cxx: "cpp",
  hpp: "cpp",
  hh: "cpp",
  c: "c",
  h: "c",
  php: "php",
  kt: "kotlin",
  kts: "kotlin",
  swift: "swift",
  scala: "scala",
  r: "r",
  lua: "lua",
  pl: "perl",
  pm: "perl",
  ex: "elixir",
  exs: "elixir",
  erl: "erlang",
  hs: "haskell",
  clj: "clojure",
  dart: "dart",
  jl: "julia",
  sql: "sql",
  html: "html",
  htm: "html",
  css: "css",
  scss: "css",
  json: "json",
  yaml: "yaml",
  yml: "yaml",
  toml: "toml",
  xml: "xml",
  md: "markdown",
  ps1: "powershell",
  psm1: "powershell",
  ipynb: "json",
  vue: "vue"
}

/** Grammar file of a language, where there is one. C is read as C++. */
const grammars: { readonly [language: string]: string } = {
  python: "python",
  typescript: "typescript",
  javascript: "javascript",
  go: "go",
  ruby: "ruby",
  java: "java",
  rust: "rust",
  bash: "bash",
  csharp: "c-sharp",
  cpp: "cpp",
  c: "cpp",
  php: "php"
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

/**
 * What a line of a language looks like, and for some what a later line does: a guess, to be confirmed by a parse
 * without errors. Lines come trimmed, with one blank for many.
 */
const signs: ReadonlyArray<readonly [languages: ReadonlyArray<string>, line: RegExp, later?: RegExp]> = [
  [["go"], /^package \w+$/, /^(?:func|type|import|var|const)\b/],
  [["python"], /^(?:async )?def \w+ ?\(|^import [\w.]+$|^from [\w.]+ import\b|^class \w.*:$/],
  [["rust"], /^(?:pub(?:\([^)]*\))? )?(?:async )?fn \w.*[({]|^use \w.*;$/],
  [
    ["java", "javascript", "typescript"],
    /^(?:(?:public|private|protected|final|abstract) )?(?:(?:final|static) )*(?:class|interface|record) \w[^:{]*(?:\{|$)/,
    /\{/
  ],
  [["ruby"], /^(?:def \S|class [A-Z]|module [A-Z]|require ['"])/, /^end$/],
  [
    ["javascript", "typescript"],
    /^(?:export\b|import\b.*\bfrom\b|(?:async )?function\b|(?:const|let|var) [\w{[]|interface \w|type \w.*=)|=>/
  ]
]

/** Lines that are looked at, and characters of each. */
const mostLines = 1_000
const longestLine = 200

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
  const lines = source
    .slice(0, 20_000)
    .split(/\r\n|[\n\r]/, mostLines)
    .map((line) => line.slice(0, longestLine).trim().replace(/\s+/g, " "))
  const shows = (line: RegExp, later?: RegExp): boolean => {
    const at = lines.findIndex((one) => line.test(one))
    return at >= 0 && (later === undefined || lines.slice(at).some((one) => later.test(one)))
  }
  if (/^<\?php\b/.test(source)) return ["php"]
  return [...new Set(signs.flatMap(([languages, line, later]) => (shows(line, later) ? languages : [])))].slice(0, 4)
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
