// Starts Cairn with the runtime that npm installed. Any Node (12 or newer) can run this file; the program itself needs
// Deno or Node 22.19, and under npm only a process that passes signals on ends together with npm.
//
//   serve                     the service, started again when it crashes
//   build                     what serve and cairn run, ahead of them; else the first of them makes it (build.ts)
//   cairn …                   the command line tool
//   demo                      a tour of the API
//   bench …                   the benchmarks
//   eval …                    what search finds, on the development sets (bench/eval/main.ts)
//   schemathesis …            a service against its own API document (test/schemathesis/run.ts)
//   elasticsearch …           a real one for tests: fetch, or start [NODES] (test/elasticsearch/main.ts)
//   screenshots …             pictures of the console's pages into docs/console (needs Debian's Chromium)
//   test [--node] [vitest…]   the tests, on Deno; on Node those of what a runtime may do otherwise, or the files named
//   test --changed [COMMIT]   the tests of what has changed since a commit, or is not committed
//   ok [vitest…]              format, lint, types, tests: what must pass before a commit
//   check [--no-pages]        the same with no tests but those of the pages, or without these, which `test` has too
"use strict"
const { spawn } = require("node:child_process")
const { accessSync, constants: access, existsSync, statfsSync } = require("node:fs")
const { constants, freemem, totalmem } = require("node:os")
const { dirname, join } = require("node:path")
const builds = require("./builds.cjs")

const programs = {
  serve: builds.programs.serve,
  cairn: builds.programs.cairn,
  demo: "src/cli/demo.ts",
  bench: "bench/main.ts",
  eval: "bench/eval/main.ts",
  schemathesis: "test/schemathesis/run.ts",
  elasticsearch: "test/elasticsearch/main.ts",
  screenshots: "test/console/screenshots.ts"
}

const platform = `${process.platform}-${process.arch}`
const exe = process.platform === "win32" ? ".exe" : ""

/** The path of a file of an installed package, or undefined. */
const installed = (name, file) => {
  try {
    const path = join(dirname(require.resolve(`${name}/package.json`, { paths: [__dirname] })), file)
    return existsSync(path) ? path : undefined
  } catch (_) {
    return undefined
  }
}

const fail = (line) => {
  process.stderr.write(`${line}\n`)
  process.exit(1)
}

/** Garbage grows to half of what lives until it is looked for. By itself V8 lets it grow to several times. */
const growth = "--heap-growing-percent=50"
/** What is called is compiled at once, as plainly as may be, and not interpreted the first times. */
const plainly = "--always-sparkplug"

const deno = () => {
  const path = installed(`@deno/${platform}${process.platform === "linux" ? "-glibc" : ""}`, `deno${exe}`)
  // All permissions: Postgres, git and the network are its business, and a Deno permission would only be a second wall
  // behind the sandbox's own (a static import reads a file in spite of --deny-read). Deno looks at sockets when its
  // event loop has nothing else to do, or has gone round 61 times: of a busy service, after seconds. Here in every
  // round, as Node does. Code that V8 has compiled is kept for the next start, and taken by a process with the same
  // flags only, limits apart: any other compiles all of it again, a third of a start, and keeps that instead. So all
  // programs have these, and what they start has them, too; tests have others (test/flags.ts). Pages of the heap that
  // became empty go back to the system, and not into a pool of V8's (Node has no such flag). To compile plainly at once
  // is a twentieth of a start.
  const v8 = [growth, "--no-memory-pool", "--no-large-page-pool", plainly].join(",")
  const env = { DENO_TOKIO_EVENT_INTERVAL: "1", DENO_V8_FLAGS: v8 }
  const heap = (flags) => [`--v8-flags=${flags.join(",")}`]
  return path && { path, args: ["run", "-A"], env, heap }
}

const node = () => {
  const [major, minor] = process.versions.node.split(".").map(Number)
  const current = major > 22 || (major === 22 && minor >= 19)
  const path = current ? process.execPath : installed(`node-${platform}`, join("bin", `node${exe}`))
  // node:sqlite, which holds the data folder's lock, still announces itself as experimental.
  const options = "--disable-warning=ExperimentalWarning"
  // Types are stripped and modules compiled once, and not at each start, which takes half as long then. (Deno does so
  // by itself.)
  const env = { NODE_COMPILE_CACHE: join(__dirname, "node_modules", ".cache", "compiled") }
  return path && { path, args: [], env, heap: (flags) => flags.concat(growth), options }
}

const either = () =>
  deno() ||
  node() ||
  fail(`No runtime for ${platform}: run \`npm install\` with optional dependencies, or use Node 22.19 or newer.`)

/**
 * Node where it is there, if the log is in KurrentDB: Deno's HTTP/2 client can end the process when a server goes
 * (docs/decisions/0052).
 */
const hasKurrentDb = () =>
  ["KURRENTDB_URL", "KURRENTDB_URL_FILE"].some((name) => (process.env[name] || "").trim() !== "")
const forService = () => (hasKurrentDb() ? node() || either() : either())

/** By which a program is asked to end. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"]

/** Runs a program in the foreground; resolves with its exit code or the signal that ended it. */
const run = (runtime, args) =>
  new Promise((resolve) => {
    // Programs run in the project's folder, whose ./data is the default; INIT_CWD tells where their user is (npm sets
    // it). The number lets the program notice that this process was killed (infra/parent.ts).
    const own = { CAIRN_PARENT_PID: String(process.pid) }
    const env = Object.assign({ INIT_CWD: process.cwd() }, runtime.env, process.env, own)
    if (runtime.options) env.NODE_OPTIONS = `${env.NODE_OPTIONS || ""} ${runtime.options}`.trim()
    const child = spawn(runtime.path, runtime.args.concat(args), { cwd: __dirname, env, stdio: "inherit" })
    // At a Ctrl-C the child hears the terminal's signal and this one: its shutdown takes the second for the same.
    const forward = (signal) => child.kill(signal)
    for (const signal of signals) process.on(signal, forward)
    const orphaned = whenOrphaned(() => child.kill("SIGTERM"))
    const done = (outcome) => {
      clearInterval(orphaned)
      for (const signal of signals) process.removeListener(signal, forward)
      resolve(outcome)
    }
    child.on("error", (cause) => fail(`Cannot run ${runtime.path}: ${cause.message}`))
    child.on("exit", (code, signal) => done(signal === null ? code : signal))
  })

const build = () => run(either(), [join(__dirname, "build.ts")])

/** MiB of the machine, or of the container where there is one. */
const memory = () => {
  const constrained = typeof process.constrainedMemory === "function" ? process.constrainedMemory() : 0
  return (constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()) / 1048576
}

/** MiB: what making a build takes, some 600, and whatever else is there. */
const leastToBuild = 1024

/** The folder of the build of what is here, which is made now where there is none; fails where none can be made. */
const built = async () => {
  const folder = builds.current()
  if (builds.isWhole(folder)) {
    builds.touch(folder)
    return folder
  }
  if (memory() < leastToBuild) throw new Error(`to make one takes ${leastToBuild} MiB`)
  accessSync(existsSync(builds.folder) ? builds.folder : __dirname, access.W_OK)
  const outcome = await build()
  // it was meant for whom it is made
  if (signals.includes(outcome)) await finish(outcome)
  if (!builds.isWhole(folder)) throw new Error(`making one ended with ${named(outcome)}`)
  return folder
}

/**
 * The file of a program: of a build, which is made where there is none of what is here, as after an upgrade; where none
 * can be made, the source itself.
 */
const programOf = (verb) =>
  built().then(
    (folder) => join(folder, `${verb}.mjs`),
    ({ message }) => {
      if (verb === "serve")
        process.stderr.write(`cairn: the service runs without a build (npm run build): ${message}\n`)
      return join(__dirname, programs[verb])
    }
  )

/**
 * MiB that the service may take: what CAIRN_MEMORY_LIMIT says (the program refuses a wrong one), else a share of the
 * machine's.
 */
const memoryLimit = () => {
  const given = (process.env.CAIRN_MEMORY_LIMIT || "").trim()
  if (/^\d{2,7}$/.test(given)) return Number(given)
  return Math.min(4096, Math.floor(memory() * 0.75))
}

/** The program says that starting it again helps (src/process/exitCode.ts), or that it does not. */
const startAgain = 75
const operators = 78
const gaveUp = 1
const mostRestarts = 5
const minute = 60000

const named = (outcome) => (typeof outcome === "number" ? `exit code ${outcome}` : String(outcome))

/**
 * Runs a program until it ends for good: one that crashed, or was killed by somebody else, is started again after a
 * pause that doubles, five times within a minute at most; `argsOf` is asked before each start. Resolves with its last
 * outcome.
 */
const supervise = async (runtime, argsOf) => {
  const restarts = []
  const told = []
  const tell = (signal) => told.push(signal)
  for (const signal of signals) process.on(signal, tell)
  for (;;) {
    const outcome = await run(runtime, await argsOf())
    const stopped = told.length > 0 || signals.includes(outcome)
    if (outcome === 0 || outcome === operators || stopped) return outcome
    const now = Date.now()
    while (restarts.length > 0 && now - restarts[0] > minute) restarts.shift()
    const why = outcome === startAgain ? "ended to be started again" : `ended with ${named(outcome)}`
    if (restarts.length >= mostRestarts) {
      process.stderr.write(
        `cairn: the service ${why}, ${mostRestarts} restarts in a minute did not help: not started again\n`
      )
      // who tries it on from here on is somebody else: nothing is said of whether it helps
      return outcome === startAgain ? gaveUp : outcome
    }
    const pause = 250 * 2 ** restarts.length
    restarts.push(now)
    process.stderr.write(`cairn: the service ${why}: starting it again in ${pause} ms\n`)
    await new Promise((resolve) => setTimeout(resolve, pause))
    if (told.length > 0) return told[0]
  }
}

/**
 * A runtime that gives back what it does not need. By itself V8 gathers up to 32 MiB of what is young, twice: an
 * eighth has to do. And glibc keeps what was freed of pieces below a bound, which rises to 32 MiB, for the next that
 * fit: here only of small ones, in few places. (Its own answer to `man mallopt`; other systems pass over these names.)
 */
const sparing = (runtime, megabytes) =>
  Object.assign({}, runtime, {
    args: runtime.args.concat(runtime.heap([`--max-old-space-size=${megabytes}`, "--max-semi-space-size=4"])),
    env: Object.assign({}, runtime.env, {
      MALLOC_MMAP_THRESHOLD_: "32768",
      MALLOC_TRIM_THRESHOLD_: "131072",
      MALLOC_ARENA_MAX: "2"
    })
  })

// what is there may be another release by the time it is started again
const serve = (args) =>
  supervise(sparing(forService(), memoryLimit()), async () => [await programOf("serve")].concat(args))

/** A killed npm tells nobody; without it the service would run on unseen and hold its data folder. */
const whenOrphaned = (then) => {
  const parent = process.ppid
  if (!process.env.npm_lifecycle_event) return undefined
  return setInterval(() => process.ppid !== parent && then(), 500)
}

const finish = (outcome) => {
  if (typeof outcome === "number") process.exit(outcome)
  process.kill(process.pid, outcome)
  // Some signals can't end this process on every system.
  return new Promise(() => setTimeout(() => process.exit(128 + (constants.signals[outcome] || 0)), 100))
}

/**
 * Where tests put databases and repositories: into memory, where there is room. On a disk they would wait a third of
 * their time for it to say that it has what nobody will look for again.
 */
const folderOfTests = () => {
  if (process.env.TMPDIR || process.platform !== "linux" || !statfsSync) return {}
  try {
    const { bavail, bsize } = statfsSync("/dev/shm")
    return Math.min(bavail * bsize, freemem()) > 8 * 1024 ** 3 ? { TMPDIR: "/dev/shm" } : {}
  } catch (_) {
    return {}
  }
}

/**
 * Most of what tests call they call a few times: with feedback from the first one on it is compiled well after fewer.
 * And what keeps a service small takes a seventh of the processor from those of rules, which load and forget much.
 */
const hurried = [plainly, "--no-lazy-feedback-allocation"].join(",")

const test = (args) => {
  const onNode = args.includes("--node")
  if (onNode && args.every((arg) => arg.startsWith("-"))) args = args.concat(require("./test/runtimes.cjs").files())
  const runtime = onNode ? node() || fail(`No Node 22.19 or newer for ${platform}.`) : either()
  const onDeno = Boolean(runtime.env.DENO_V8_FLAGS)
  if (onDeno) runtime.env.DENO_V8_FLAGS = hurried
  // both have commands of their own: what a browser shows, and what is served on Node
  if (args.every((arg) => arg.startsWith("-"))) {
    const left = onDeno && !args.includes("--changed") ? ["browser", "kurrent"] : ["browser"]
    args = args.concat(left.map((project) => `--project=!${project}`))
  }
  const vitest = installed("vitest", "vitest.mjs") || fail("vitest is not installed: run `npm install`.")
  runtime.env = Object.assign(folderOfTests(), runtime.env)
  return run(runtime, [vitest, "run"].concat(args.filter((arg) => arg !== "--node")))
}

/**
 * Types are read by a program in Go, which tidies its memory up whenever that has doubled: here seldomer. And each of
 * several checkers at once reads what all of them need: one alone takes longer where cores are free, which in CI have
 * other work, and little more than half of the processor's time.
 */
const typeChecker = {
  env: { GOGC: "400" },
  flags: process.env.CI === "true" ? ["--checkers", "1"] : []
}

/**
 * `check` is `ok` without the tests, but for those that compare the tree with its own pages: they take three seconds.
 */
const ok = async (args, tests) => {
  const biome = installed("@biomejs/biome", join("bin", "biome")) || fail("biome is not installed: run `npm install`.")
  // TypeScript with Effect's diagnostics: run directly, so that nothing in node_modules has to be patched.
  const types =
    installed(`@effect/tsgo-${platform}`, join("lib", `tsc${exe}`)) || fail("@effect/tsgo is not installed.")
  const steps = [
    ["format and lint", () => run({ path: process.execPath, args: [] }, [biome, "check", "--error-on-warnings"])],
    [
      "types",
      () => run({ path: types, args: [], env: typeChecker.env }, ["-p", "tsconfig.json", ...typeChecker.flags])
    ],
    ...(tests ? [["tests", () => test(args)]] : []),
    ...(tests || args.includes("--no-pages")
      ? []
      : [["pages", () => test(["docs", "coverage", "architecture"].map((of) => `test/${of}.test.ts`))]])
  ]
  for (const [name, step] of steps) {
    process.stderr.write(`— ${name}\n`)
    const outcome = await step()
    if (outcome !== 0) return outcome
  }
  return 0
}

const main = (verb, args) => {
  if (verb === "test") return test(args)
  if (verb === "serve") return serve(args)
  if (verb === "build") return build()
  if (verb === "cairn") return programOf(verb).then((program) => run(forService(), [program].concat(args)))
  if (verb === "ok" || verb === "check") return ok(args, verb === "ok")
  if (programs[verb] === undefined)
    fail(
      "Usage: node start.cjs serve | build | cairn … | demo | bench … | eval … | schemathesis … | elasticsearch … | screenshots | test … | ok | check"
    )
  return run(either(), [join(__dirname, programs[verb])].concat(args))
}

if (require.main === module) main(process.argv[2], process.argv.slice(3)).then(finish, (cause) => fail(String(cause)))
else module.exports = { supervise, either, node, sparing, memoryLimit, folderOfTests, programOf }
