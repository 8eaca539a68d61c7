import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const execute = promisify(execFile)
const root = fileURLToPath(new URL("../../..", import.meta.url))

/** Where the library's sources are. */
export const source = join(root, "clients/typescript")

/** Runs a program on whatever runs the tests. */
export const run = (
  args: ReadonlyArray<string>,
  cwd: string,
  env: { readonly [name: string]: string } = {}
): Promise<{ readonly stdout: string }> =>
  execute(process.execPath, [...("Deno" in globalThis ? ["run", "-A"] : []), ...args], {
    cwd,
    env: { ...process.env, ...env }
  }).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${error.stdout}${error.stderr}`)
  })

/** TypeScript itself, without the project's plugin. */
export const tsc = (folder: string, ...args: ReadonlyArray<string>): Promise<{ readonly stdout: string }> =>
  run([join(root, "node_modules/typescript/lib/tsc.js"), ...args], folder)

/** An empty project into which the built package is installed, and Node's types. */
export interface Project {
  readonly folder: string
  /** Where the package is. */
  readonly installed: string
  remove(): void
}

const typesOfNode = (folder: string): void => {
  for (const types of ["@types/node", "undici-types"]) {
    cpSync(join(root, "node_modules", types), join(folder, "node_modules", types), { recursive: true })
  }
}

export const emptyProject = async (): Promise<Project> => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-consumer-"))
  const installed = join(folder, "node_modules/cairn-client")
  mkdirSync(installed, { recursive: true })
  cpSync(join(source, "package.json"), join(installed, "package.json"))
  await tsc(root, "-p", join(source, "tsconfig.json"), "--outDir", join(installed, "dist"))
  typesOfNode(folder)
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
  return { folder, installed, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/**
 * Without what an npm that runs the tests has said of itself: where its own package is, another npm would take for
 * where to work.
 */
const withoutNpm = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))

/** Runs lines of a shell, stopping at the first that fails. */
export const shell = (lines: string, cwd: string, env: { readonly [name: string]: string } = {}): Promise<unknown> =>
  execute("sh", ["-euc", lines], { cwd, env: { ...withoutNpm, ...env } }).catch((error: Error & { stderr: string }) => {
    throw new Error(`${error.message}\n${error.stderr}`)
  })

/**
 * A project beside a clone (`../cairn`), into which lines of a shell install the package. The clone has this library's
 * sources, of which a build is made there, and the packages of this one; npm asks no registry.
 */
export const installedBy = async (lines: string): Promise<Project> => {
  const above = mkdtempSync(join(tmpdir(), "cairn-installed-"))
  const clone = join(above, "cairn")
  const copied = join(clone, "clients/typescript")
  const own = ["node_modules", "dist", "docs", "test"].map((name) => join(source, name))
  cpSync(source, copied, { recursive: true, filter: (path) => !own.includes(path) })
  symlinkSync(join(root, "node_modules"), join(clone, "node_modules"))
  const folder = join(above, "project")
  mkdirSync(folder)
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
  await shell(lines, folder, { npm_config_offline: "true", npm_config_cache: join(above, "npm") })
  typesOfNode(folder)
  const installed = join(folder, "node_modules/cairn-client")
  return { folder, installed, remove: () => rmSync(above, { recursive: true, force: true }) }
}
