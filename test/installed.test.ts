import { execFile } from "node:child_process"
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"

const root = new URL("../", import.meta.url)
const textOf = (path: string) => readFileSync(new URL(path, root), "utf8")

const { packages } = JSON.parse(textOf("package-lock.json")) as {
  readonly packages: { readonly [path: string]: { readonly dev?: boolean } }
}

/** Of npm that runs the tests nothing is handed on. */
const env = { PATH: process.env["PATH"], HOME: process.env["HOME"] }

/** What files take is counted in these, as most disks do. */
const block = 4_096

/** Programs that packages put beside themselves when they are first run: npm did not bring them. */
const madeLater = ["node_modules/deno/deno", "node_modules/deno/deno.exe"]

/** Bytes on the disk of a package alone, without those that lie inside of it. */
const bytesOf = (path: string): number =>
  readdirSync(new URL(`${path}/`, root), { withFileTypes: true }).reduce((sum, entry) => {
    const inside = `${path}/${entry.name}`
    if (entry.name === "node_modules" || madeLater.includes(inside)) return sum
    const own = Math.ceil(lstatSync(new URL(inside, root)).size / block) * block
    return sum + own + (entry.isDirectory() ? bytesOf(inside) : 0)
  }, 0)

const megabytesOf = (paths: ReadonlyArray<string>) => paths.reduce((sum, path) => sum + bytesOf(path), 0) / 1_000_000

// those for other machines are not there
const there = Object.entries(packages).filter(([path]) => path !== "" && existsSync(new URL(path, root)))

// other machines have other programs with them, which are larger or smaller
describe.runIf(`${process.platform}-${process.arch}` === "linux-x64")("what npm installs", () => {
  it.each([
    ["with --omit=dev", /(\d+) MB on the disk \(`npm ci --omit=dev`\)/, there.filter(([, { dev }]) => dev !== true)],
    ["with what tests and benchmarks need", /and (\d+) MB\s+with what tests and benchmarks\s+need/, there]
  ] as const)("takes what the README says, give or take a tenth, %s", (_, said, installed) => {
    const megabytes = Number(said.exec(textOf("README.md"))?.[1])
    assert.closeTo(megabytesOf(installed.map(([path]) => path)), megabytes, megabytes / 10)
  })
})

it("npm says nothing of packages that ask for another Node than the one that runs it: they have theirs with them", async () => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-install-"))
  try {
    const lock = JSON.parse(textOf("package-lock.json"))
    lock.packages["node_modules/effect"].engines = { node: ">=999" }
    writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock))
    copyFileSync(new URL("package.json", root), join(folder, "package.json"))
    // nothing is fetched, and nothing is installed
    const said = async () => {
      const { stderr } = await promisify(execFile)("npm", ["ci", "--dry-run", "--offline"], { cwd: folder, env })
      return stderr
    }
    assert.include(await said(), "EBADENGINE")
    copyFileSync(new URL(".npmrc", root), join(folder, ".npmrc"))
    assert.strictEqual(await said(), "")
  } finally {
    rmSync(folder, { recursive: true })
  }
})
