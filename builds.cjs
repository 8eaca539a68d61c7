// Where builds of the programs lie (build.ts makes them, start.cjs runs them), and which of them can be run. Any Node
// can read it.
"use strict"
const { createHash } = require("node:crypto")
const { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } = require("node:fs")
const { join } = require("node:path")

/** What is started, by start.cjs or by another one of them: names in a build, and where each begins. */
const programs = {
  serve: "src/main.ts",
  cairn: "src/cli/main.ts",
  searchThread: "src/searchThread.ts",
  worker: "infra/workers/program.ts",
  shell: "infra/sandbox/justBash/program.ts"
}

const folder = join(__dirname, ".cache", "builds")

const rooms = ["engine", "domain", "projections", "infra", "src", "clients/typescript/src"]
/** What npm says that it has installed, or was to install. */
const installed = ["node_modules/.package-lock.json", "package-lock.json"]

const sourcesIn = (room) =>
  readdirSync(join(__dirname, room), { withFileTypes: true }).flatMap((entry) => {
    const path = `${room}/${entry.name}`
    return entry.isDirectory() ? sourcesIn(path) : path.endsWith(".ts") ? [path] : []
  })

/** What a build is made of, and what makes it, as paths from here. Of packages it is what npm says of them. */
const parts = () =>
  ["package.json", "build.ts", "builds.cjs"].concat(
    installed.filter((path) => existsSync(join(__dirname, path))).slice(0, 1),
    ...rooms.map(sourcesIn)
  )

/** The folder of the build of what is here, which says where that lies, too. */
const current = () => {
  const hash = createHash("sha256").update(__dirname)
  for (const path of parts()) {
    hash.update(`\0${path}\0`)
    hash.update(readFileSync(join(__dirname, path)))
  }
  return join(folder, hash.digest("hex").slice(0, 16))
}

const list = "files.json"

/** Notes what files there are: to be called when all are written. */
const finish = (build) => {
  const sizes = readdirSync(build).map((name) => [name, statSync(join(build, name)).size])
  writeFileSync(join(build, list), JSON.stringify(sizes))
}

/** Whether all that was written is there. A machine that lost its power may have kept a part of it. */
const isWhole = (build) => {
  try {
    const sizes = JSON.parse(readFileSync(join(build, list), "utf8"))
    return sizes.every(([name, size]) => statSync(join(build, name)).size === size)
  } catch (_) {
    return false
  }
}

/** Says that it is used. */
const touch = (build) => {
  try {
    const now = new Date()
    utimesSync(build, now, now)
  } catch (_) {
    // where nothing may be written nothing is removed either
  }
}

module.exports = { current, finish, folder, isWhole, parts, programs, touch }
