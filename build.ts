import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { type Plugin, rolldown } from "rolldown"

const root = import.meta.dirname

/** What is started, by `start.cjs` or by another one of them: names in a build, and where each begins. */
export const programs: Readonly<Record<string, string>> = {
  serve: "src/main.ts",
  cairn: "src/cli/main.ts",
  searchThread: "src/searchThread.ts",
  worker: "infra/workers/program.ts",
  shell: "infra/sandbox/justBash/program.ts"
}

/**
 * A module finds files by where it is itself: it is told where it was. But a program that is built too is meant where
 * it names one.
 */
const placed = (from: typeof programs): Plugin => {
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
const first = { name: "effectAlone", test: /[\\/]src[\\/]effectAlone\.ts$/ }

/** Days for which nobody has to have made a build before it goes: whoever runs one may load more of it yet. */
const kept = 30

/**
 * Writes programs into a new folder inside of the project, as few files in place of a thousand: each module costs a
 * start, and memory for as long as it runs (docs/decisions/0128). It is there as a whole or not at all, whoever makes
 * it at the same time.
 */
export const build = async (folder: string, from = programs): Promise<void> => {
  const unfinished = `${folder}.${process.pid}`
  try {
    const input = Object.fromEntries(Object.entries(from).map(([name, file]) => [name, join(root, file)]))
    const bundle = await rolldown({ input, platform: "node", external: packages, plugins: [placed(from)] })
    await bundle.write({
      dir: unfinished,
      entryFileNames: "[name].mjs",
      chunkFileNames: "[name]-[hash].mjs",
      comments: false,
      codeSplitting: { groups: [first] }
    })
    renameSync(unfinished, folder)
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

/** Removes what was built long ago, of the folder that builds are in. */
const tidy = (builds: string) => {
  for (const name of readdirSync(builds)) {
    const old = join(builds, name)
    if (Date.now() - statSync(old).mtimeMs > kept * 24 * 3600 * 1000) rmSync(old, { recursive: true, force: true })
  }
}

if (process.argv[1] === import.meta.filename) {
  const folder = resolve(process.argv[2]!)
  mkdirSync(dirname(folder), { recursive: true })
  // somebody else may have been faster
  await build(folder).catch((error) => {
    if (!existsSync(folder)) throw error
  })
  tidy(dirname(folder))
}
