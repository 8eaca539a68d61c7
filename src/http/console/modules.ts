import { existsSync, readFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** Where the project is: paths of its modules stand below it, on disk and in the browser. */
const project = join(import.meta.dirname, "../../..")

/** What runs first, and leads to all of the pages. */
export const entry = "src/console/main.ts"
/** The file that it is in: of a build one that has all that it leads to (build.ts). */
const entryFile = fileURLToPath(new URL("../../console/main.ts", import.meta.url))

/** What every page wears. */
export const style = "src/console/style.css"
export const icon = "src/console/icon.svg"

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
  "tables",
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

/** `entry` with all that it leads to. A service of a build has no use for what links it, which takes memory. */
const readEntry = async () =>
  entryFile.endsWith(".mjs")
    ? await readFile(entryFile, "utf8")
    : await (await import("./linked.ts")).linked(project, entry)

/** The pages' own files, by their paths in the project: `entry` with all that it leads to, and nothing else. */
export const readModules = async (): Promise<ReadonlyMap<string, string>> => {
  const read = (path: string) => readFileSync(join(project, path), "utf8")
  const folder = dirname(entry)
  return new Map([
    [entry, await readEntry()],
    // one request instead of one each, which the first page would wait for
    [style, styles.map((name) => read(`${folder}/style/${name}.css`)).join("\n")],
    [icon, read(icon)]
  ])
}
