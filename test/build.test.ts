import { execFile } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { afterAll, assert, beforeEach, describe, it } from "vitest"
import { programs as built } from "./programs.ts"

const root = join(import.meta.dirname, "..")
const runtimeArgs = "deno" in process.versions ? ["run", "-A"] : []
const run = async (args: ReadonlyArray<string>, cwd = root) =>
  (await promisify(execFile)(process.execPath, [...runtimeArgs, ...args], { cwd })).stdout

describe("a build", () => {
  const folder = dirname(built.serve)
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"))

  it("is what tests run, and says what the sources say", async () => {
    assert.match(built.cairn, /\.mjs$/)
    const help = await run([built.cairn, "--help"])
    assert.match(help, /workspace/)
    assert.strictEqual(help, await run(["src/cli/main.ts", "--help"]))
  })

  it("starts those programs that are built with it", () => {
    for (const program of ["worker", "shell", "searchThread"]) {
      assert.isTrue(existsSync(join(folder, `${program}.mjs`)), program)
      assert.lengthOf(texts.join().match(new RegExp(`new URL\\("\\./${program}\\.mjs"`, "g")) ?? [], 1, program)
    }
  })

  it("loads the packages that its modules would", () => {
    const named = texts.flatMap((text) => [...text.matchAll(/^import .*?"([^."][^"]*)"/gm)].map(([, name]) => name!))
    const packages = new Set(named.filter((name) => !name.startsWith("node:")))
    assert.isTrue(packages.has("lru-cache"))
    assert.deepStrictEqual(
      [...packages].filter((name) => /^(effect|@effect)\b/.test(name)),
      []
    )
    // Effect's modules lie in other folders than what was made of them: no package may have another copy for them
    const { resolve } = createRequire(join(root, "package.json"))
    for (const name of ["effect", "@effect/platform-node", "@effect/sql-pg"])
      assert.isFalse(existsSync(join(dirname(resolve(`${name}/package.json`)), "node_modules")), name)
  })
})

describe("start.cjs", () => {
  const house = mkdtempSync(join(tmpdir(), "cairn-build-"))
  const cairn = () => run([join(house, "start.cjs"), "cairn"], house)
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(house, path)), { recursive: true })
    writeFileSync(join(house, path), text)
  }
  const says = (word: string) =>
    write(
      "src/cli/main.ts",
      `const path: string = import.meta["url"]\nconsole.log("${word}", path.split(".").at(-1), import.meta.dirname)\n`
    )
  beforeEach(() => {
    rmSync(house, { recursive: true, force: true })
    for (const name of ["start.cjs", "build.ts", "package.json"]) write(name, readFileSync(join(root, name), "utf8"))
    for (const name of ["engine", "domain", "projections", "clients/typescript/src"]) write(`${name}/README.md`, "")
    for (const name of ["src/main.ts", "src/searchThread.ts", "infra/workers/program.ts"]) write(name, "")
    write("infra/sandbox/justBash/program.ts", "")
    symlinkSync(join(root, "node_modules"), join(house, "node_modules"))
    says("first")
  })
  afterAll(() => rmSync(house, { recursive: true, force: true }))

  it("makes a build once, of what is there, whose modules look for files where they were", async () => {
    const once = await Promise.all([cairn(), cairn()])
    assert.deepStrictEqual(once, Array(2).fill(`first mjs ${join(house, "src/cli")}\n`))
    assert.lengthOf(readdirSync(join(house, ".cache/builds")), 1)
    says("second")
    assert.strictEqual(await cairn(), `second mjs ${join(house, "src/cli")}\n`)
    assert.lengthOf(readdirSync(join(house, ".cache/builds")), 2)
  })

  it("runs the sources where nothing can be written, or they can't be built", async () => {
    write(".cache", "")
    assert.strictEqual(await cairn(), `first ts ${join(house, "src/cli")}\n`)
    rmSync(join(house, ".cache"))
    write("src/main.ts", 'import "./nowhere.ts"\n')
    assert.strictEqual(await cairn(), `first ts ${join(house, "src/cli")}\n`)
    assert.deepStrictEqual(readdirSync(join(house, ".cache/builds")), [])
  })
})
