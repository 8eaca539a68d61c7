import { existsSync, readFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** The project's folder: paths of its modules are relative to it, on disk and in the browser. */
const project = join(import.meta.dirname, "../../..")

/** The module that runs first, and imports all of the pages. */
export const entry = "src/console/main.ts"
/** The entry's file. In a build, it has all that the entry imports (build.ts). */
const entryFile = fileURLToPath(new URL("../../console/main.ts", import.meta.url))

/** What every page loads. */
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

/** A source without its last line, if that names a map: maps are not served. */
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
    /** For the import map. */
    names: Object.entries(packages),
    first: Object.values(single).filter((file) => !file.startsWith("@highlightjs"))
  }
}

/** `entry` with all that it imports. A build is linked already, and does not load the linker, which takes memory. */
const readEntry = async () =>
  entryFile.endsWith(".mjs")
    ? await readFile(entryFile, "utf8")
    : await (await import("./linked.ts")).linked(project, entry)

/** The console's own files by their paths in the project: `entry` with all that it imports, the style, the icon. */
export const readModules = async (): Promise<ReadonlyMap<string, string>> => {
  const read = (path: string) => readFileSync(join(project, path), "utf8")
  const folder = dirname(entry)
  return new Map([
    [entry, await readEntry()],
    // one file, as the first page would wait for a request for each
    [style, styles.map((name) => read(`${folder}/style/${name}.css`)).join("\n")],
    [icon, read(icon)]
  ])
}
