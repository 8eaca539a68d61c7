import { execFile } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
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

  it("is named by each of the modules that it has, but for those of packages", () => {
    const { parts }: { readonly parts: () => ReadonlyArray<string> } = createRequire(import.meta.url)("../builds.cjs")
    const known = new Set(parts())
    const linked = texts.flatMap((text) =>
      [...text.matchAll(/^\/\/ ((?!node_modules|\0)\S+\.ts)$/gm)].map(([, path]) => path!)
    )
    assert.isAbove(linked.length, 500)
    assert.include(linked, "src/console/paths.ts")
    assert.deepStrictEqual(
      linked.filter((path) => !known.has(path)),
      []
    )
  })

  it("starts those programs that are built with it", () => {
    for (const program of ["worker", "shell", "searchThread"]) {
      assert.isTrue(existsSync(join(folder, `${program}.mjs`)), program)
      assert.lengthOf(texts.join().match(new RegExp(`new URL\\("\\./${program}\\.mjs"`, "g")) ?? [], 1, program)
    }
  })

  it("has the console as one file, as it is linked where the sources run", async () => {
    const page = readFileSync(join(folder, "console.mjs"), "utf8")
    // from where packages are found, run from where nothing is
    const linking = join(root, ".cache", `linking-${process.pid}.mjs`)
    const linker = join(root, "src/http/console/linked.ts")
    const entry = "src/console/main.ts"
    writeFileSync(
      linking,
      `import { linked } from "${linker}"\nprocess.stdout.write(await linked("${root}", "${entry}"))\n`
    )
    try {
      assert.strictEqual(page, await run([linking], tmpdir()))
    } finally {
      rmSync(linking)
    }
    assert.lengthOf(texts.join("").match(/new URL\("\.\/console\.mjs"/g) ?? [], 1)
    // each service that runs it would hold what links, too
    const linkers = texts.filter((text) => /^import .*"rolldown"/m.test(text))
    assert.lengthOf(linkers, 1)
    assert.lengthOf(texts.join("").match(/import\("\.\/linked-[\w-]+\.mjs"\)/g) ?? [], 1)
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
  const builds = join(house, ".cache/builds")
  const start = (verb: string) => run([join(house, "start.cjs"), verb], house)
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(house, path)), { recursive: true })
    writeFileSync(join(house, path), text)
  }
  const program = (word: string) =>
    `const path: string = import.meta["url"]\nconsole.log("${word}", path.split(".").at(-1), import.meta.dirname)\n`
  const says = (word: string) => write("src/cli/main.ts", program(word))
  /** What the command line says of a build, or as source. */
  const said = (word: string, as: "mjs" | "ts") => `${word} ${as} ${join(house, "src/cli")}\n`
  const read = (name: string) => readFileSync(join(root, name), "utf8")
  beforeEach(() => {
    rmSync(house, { recursive: true, force: true })
    const own = ["start.cjs", "builds.cjs", "build.ts", "package.json", "src/http/console/linked.ts"]
    for (const name of own) write(name, read(name))
    for (const name of ["engine", "domain", "projections", "clients/typescript/src"]) write(`${name}/README.md`, "")
    const empty = ["src/main.ts", "src/console/main.ts", "src/searchThread.ts", "infra/workers/program.ts"]
    for (const name of empty) write(name, "")
    write("infra/sandbox/justBash/program.ts", "")
    symlinkSync(join(root, "node_modules"), join(house, "node_modules"))
    says("first")
  })
  afterAll(() => rmSync(house, { recursive: true, force: true }))

  it("makes a build once, of what is there, whose modules look for files where they were", async () => {
    assert.deepStrictEqual(await Promise.all([start("cairn"), start("cairn")]), Array(2).fill(said("first", "mjs")))
    assert.lengthOf(readdirSync(builds), 1)
    says("second")
    assert.strictEqual(await start("cairn"), said("second", "mjs"))
    assert.lengthOf(readdirSync(builds), 2)
  })

  it("makes the same from wherever it is called", async () => {
    const built = () => {
      const [name] = readdirSync(builds)
      return ["cairn.mjs", "console.mjs"].map((file) => readFileSync(join(builds, name!, file), "utf8"))
    }
    write("src/console/main.ts", 'document.title = "first"\n')
    await start("build")
    const here = built()
    rmSync(builds, { recursive: true })
    await run([join(house, "build.ts")], tmpdir())
    assert.deepStrictEqual(built(), here)
  })

  it("makes one anew of which something is missing", async () => {
    await start("build")
    const [name] = readdirSync(builds)
    writeFileSync(join(builds, name!, "cairn.mjs"), "")
    assert.strictEqual(await start("cairn"), said("first", "mjs"))
    assert.deepStrictEqual(readdirSync(builds), [name])
  })

  it("removes what nobody has used for a day, but for the newest, and never what is there", async () => {
    await start("build")
    const [name] = readdirSync(builds)
    const old = (days: number, of: string) => {
      mkdirSync(join(builds, of), { recursive: true })
      const then = Date.now() / 1000 - days * 24 * 3600
      utimesSync(join(builds, of), then, then)
    }
    for (let one = 1; one <= 12; one++) old(one + 1, `b${one}`)
    old(1, "broken.1")
    old(100, name!)
    await start("build")
    assert.sameMembers(readdirSync(builds), [name!, ...Array.from({ length: 9 }, (_, one) => `b${one + 1}`)])
    says("second")
    await start("build")
    assert.lengthOf(readdirSync(builds), 10)
    assert.includeMembers(readdirSync(builds), [name!, "b1", "b8"])
  })

  it("runs the sources where nothing can be written", async () => {
    write(".cache", "")
    assert.strictEqual(await start("cairn"), said("first", "ts"))
  })

  const change = 'writeFileSync("src/main.ts", "// another\\n")'
  it.for([
    ["they can't be linked", { "src/main.ts": 'import "./nowhere.ts"' }],
    ["making a build is killed", { "build.ts": 'process.kill(process.pid, "SIGKILL")' }],
    [
      "they change while one is made",
      {
        "build.ts": `import { writeFileSync } from "node:fs"\n${read("build.ts").replace("await build(unfinished)", (made) => `${made}\n${change}`)}`
      }
    ]
  ] as const)("runs the sources where %s", async ([_, changed]) => {
    for (const [path, text] of Object.entries(changed)) write(path, text)
    assert.strictEqual(await start("cairn"), said("first", "ts"))
    assert.deepStrictEqual(existsSync(builds) ? readdirSync(builds) : [], [])
  })
})
