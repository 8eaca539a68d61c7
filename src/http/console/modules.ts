import { existsSync, readFileSync } from "node:fs"
import { createRequire, stripTypeScriptTypes } from "node:module"
import { dirname, join, posix } from "node:path"

/** Where the project is: paths of its modules stand below it, on disk and in the browser. */
const project = join(import.meta.dirname, "../../..")

/** What the first page needs; everything else is asked for by what imports it. */
export const entry = "src/console/main.ts"

/** ESM packages by the names that modules import them under; one that ends with `/` is a folder of them. */
const packages = {
  preact: "preact/dist/preact.mjs",
  "preact/hooks": "preact/hooks/dist/hooks.mjs",
  htm: "htm/dist/htm.mjs",
  "@preact/signals": "@preact/signals/dist/signals.mjs",
  "@preact/signals-core": "@preact/signals-core/dist/signals-core.mjs",
  "highlight.js": "@highlightjs/cdn-assets/es/core.min.js",
  "highlight.js/": "@highlightjs/cdn-assets/es/languages/"
} as const

const languages = [
  ...["bash", "c", "cpp", "csharp", "css", "dockerfile", "go", "ini", "java", "javascript", "json", "kotlin", "lua"],
  ...["markdown", "perl", "php", "python", "r", "ruby", "rust", "sql", "swift", "typescript", "xml", "yaml"]
]

/** Their order counts. */
const styles = [
  "ground",
  "parts",
  "states",
  "code",
  "pages",
  "search",
  "workspaces",
  "chat",
  "live",
  "overview",
  "people",
  "events",
  "public",
  "sign-in"
]

/** Modules that a module names: `now` before it runs, `later` perhaps. */
const namedIn = (source: string) => {
  const all = (pattern: RegExp) => [...source.matchAll(pattern)].map(([, name]) => name!)
  return {
    now: all(/^(?:import|export)\b(?:[^"'()=]*? from)? "(\.[^"]+)"/gm),
    later: all(/\bimport\("(\.[^"]+)"\)/g)
  }
}

/** Without the line at its end that names a map, which is not served. */
const withoutMap = (source: string): string => {
  const at = source.lastIndexOf("\n//# sourceMappingURL=")
  return at < 0 ? source : source.slice(0, at + 1)
}

/** A file of an installed package, wherever it was installed to. */
const installed = (file: string): string => {
  const folder = createRequire(import.meta.url)
    .resolve.paths("preact")
    ?.find((folder) => existsSync(join(folder, file)))
  if (folder === undefined) throw new Error(`${file} is not installed: run \`npm ci\`.`)
  return readFileSync(join(folder, file), "utf8")
}

/** Packages as browsers get them, by their files. */
export const readPackages = () => {
  const { "highlight.js/": folder, ...single } = packages
  const files = [...Object.values(single), ...languages.map((language) => `${folder}${language}.min.js`)]
  return {
    texts: new Map(files.map((file) => [file, withoutMap(installed(file))])),
    /** Of an import map. */
    names: Object.entries(packages),
    first: Object.values(single).filter((file) => !file.startsWith("@highlightjs"))
  }
}

/** The pages' own modules and styles, by their paths in the project: what `entry` leads to, and nothing else. */
export const readModules = () => {
  const texts = new Map<string, string>()
  const first = new Set<string>()
  const visit = (path: string, isFirst: boolean): void => {
    if (isFirst ? first.has(path) : texts.has(path)) return
    const text = texts.get(path) ?? stripTypeScriptTypes(readFileSync(join(project, path), "utf8"))
    texts.set(path, text)
    if (isFirst) first.add(path)
    const { now, later } = namedIn(text)
    for (const name of now) visit(posix.join(posix.dirname(path), name), isFirst)
    for (const name of later) visit(posix.join(posix.dirname(path), name), false)
  }
  visit(entry, true)
  for (const file of styles.map((name) => `style/${name}.css`).concat("icon.svg")) {
    const path = posix.join(dirname(entry), file)
    texts.set(path, readFileSync(join(project, path), "utf8"))
  }
  return { texts, first: [...first] }
}
