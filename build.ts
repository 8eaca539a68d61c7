import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { type Plugin, rolldown } from "rolldown"
import { linked } from "./src/http/console/linked.ts"

type Programs = Readonly<Record<string, string>>
interface Builds {
  readonly programs: Programs
  readonly folder: string
  readonly current: () => string
  readonly finish: (build: string) => void
  readonly isWhole: (build: string) => boolean
  readonly touch: (build: string) => void
}
const builds = createRequire(import.meta.url)("./builds.cjs") as Builds

const root = import.meta.dirname

/** What browsers run: in a build a file of its own, which the service names. */
const pages = "src/console/main.ts"

/**
 * A module finds files by where it is itself: it is told where it was. But a program that is built too is meant where
 * it names one.
 */
const placed = (from: Programs): Plugin => {
  const names = new Map(Object.entries(from).map(([name, file]) => [resolve(root, file), name]))
  return {
    name: "placed",
    transform: {
      filter: { code: "import.meta." },
      handler: (code, path) => {
        const url = pathToFileURL(path)
        const was: Readonly<Record<string, string>> = { url: url.href, dirname: dirname(path), filename: path }
        return code
          .replace(/new URL\("(\.[^"]+)", import\.meta\.url\)/g, (expression, file) => {
            const name = names.get(fileURLToPath(new URL(file, url)))
            return name === undefined ? expression : `new URL("./${name}.mjs", import.meta["url"])`
          })
          .replace(/\bimport\.meta\.(url|dirname|filename)\b/g, (_, part: string) => JSON.stringify(was[part]))
      }
    }
  }
}

/** All but the house and Effect, which has a hundred modules: packages stay where npm has put them. */
const packages = /^(?!effect$|effect\/|@effect\/|[#./]|[A-Za-z]:[\\/])/

/** What has to run before Effect does: a file of its own, as files run in the order in which they are imported. */
const first = { name: "effectAlone", test: /[\\/]src[\\/]process[\\/]effectAlone\.ts$/ }

/**
 * Writes programs into a new folder inside of the project, as few files in place of a thousand: each module costs a
 * start, and memory for as long as it runs (docs/decisions/0128).
 */
export const build = async (folder: string, from = builds.programs): Promise<void> => {
  const input = Object.fromEntries(Object.entries(from).map(([name, file]) => [name, join(root, file)]))
  const bundle = await rolldown({
    cwd: root,
    input,
    platform: "node",
    external: packages,
    plugins: [placed({ ...from, console: pages })],
    tsconfig: false
  })
  await bundle.write({
    dir: folder,
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name]-[hash].mjs",
    comments: false,
    codeSplitting: { groups: [first] }
  })
  writeFileSync(join(folder, "console.mjs"), await linked(root, pages))
  builds.finish(folder)
}

/** The build of what is here: there as a whole or not at all, whoever else makes it. */
const buildCurrent = async () => {
  const folder = builds.current()
  if (builds.isWhole(folder)) return builds.touch(folder)
  const unfinished = `${folder}.${process.pid}`
  try {
    await build(unfinished)
    if (builds.current() !== folder) throw new Error("the sources changed meanwhile")
    rmSync(`${unfinished}.damaged`, { recursive: true, force: true })
    try {
      renameSync(unfinished, folder)
    } catch {
      // somebody else was faster
      if (builds.isWhole(folder)) return
      renameSync(folder, `${unfinished}.damaged`)
      renameSync(unfinished, folder)
    }
  } finally {
    for (const rest of [unfinished, `${unfinished}.damaged`]) rmSync(rest, { recursive: true, force: true })
  }
}

const hour = 3_600_000
/** Builds that stay whatever their age: who runs one may load more of it yet. */
const most = 10

/** Removes builds that were not used for a day, but for the newest, and what is left of those that were broken off. */
const tidy = () => {
  const old = readdirSync(builds.folder).flatMap((name) => {
    const { mtimeMs } = statSync(join(builds.folder, name), { throwIfNoEntry: false }) ?? {}
    return mtimeMs === undefined ? [] : [{ path: join(builds.folder, name), mtimeMs, broken: name.includes(".") }]
  })
  const age = ({ mtimeMs }: { readonly mtimeMs: number }) => Date.now() - mtimeMs
  const whole = old.filter(({ broken }) => !broken).sort((a, b) => age(a) - age(b))
  const gone = [
    ...whole.slice(most).filter((one) => age(one) > 24 * hour),
    ...old.filter((one) => one.broken && age(one) > hour)
  ]
  for (const { path } of gone) rmSync(path, { recursive: true, force: true })
}

if (process.argv[1] === import.meta.filename) {
  try {
    mkdirSync(builds.folder, { recursive: true })
    await buildCurrent()
    tidy()
  } catch (error) {
    console.error(`cairn: no build could be made: ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  }
}
