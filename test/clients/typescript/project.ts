import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
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

export const emptyProject = async (): Promise<Project> => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-consumer-"))
  const installed = join(folder, "node_modules/cairn-client")
  mkdirSync(installed, { recursive: true })
  cpSync(join(source, "package.json"), join(installed, "package.json"))
  await tsc(root, "-p", join(source, "tsconfig.json"), "--outDir", join(installed, "dist"))
  for (const types of ["@types/node", "undici-types"]) {
    cpSync(join(root, "node_modules", types), join(folder, "node_modules", types), { recursive: true })
  }
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
  return { folder, installed, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
