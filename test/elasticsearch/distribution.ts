import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const version = "9.5.0"
/**
 * Elasticsearch with no more modules than it needs to run: 130 MB, Apache 2.0, AGPL and Elastic License (its
 * LICENSE.txt).
 */
const artifact = "org.elasticsearch.distribution.integ-test-zip:elasticsearch"
const path = `org/elasticsearch/distribution/integ-test-zip/elasticsearch/${version}/elasticsearch-${version}.zip`
const digest = "db0e275fd790f723eca7bcde96069fd6fed304ad23afdb70c8c09553dd9e8b1b"

const cache = fileURLToPath(new URL("../../.cache/elasticsearch/", import.meta.url))

/** Where it lies, once it was fetched. */
export const home = join(cache, `elasticsearch-${version}`)

const oldestJava = 21

const versionOf = (java: string): number => {
  try {
    const release = readFileSync(join(java, "release"), "utf8")
    return existsSync(join(java, "bin/jar")) ? Number(/^JAVA_VERSION="(\d+)/m.exec(release)?.[1] ?? 0) : 0
  } catch {
    return 0
  }
}

const within = (folder: string) => (existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [])

/** A JDK that Elasticsearch runs on: the one of ES_JAVA_HOME or JAVA_HOME, else the newest of the usual places. */
export const findJava = (): string | undefined => {
  const named = [process.env["ES_JAVA_HOME"], process.env["JAVA_HOME"]].filter((java) => java !== undefined)
  const usual = ["/usr/lib/jvm", "/opt/java", "/usr/local/lib/jvm", join(homedir(), ".sdkman/candidates/java")]
  const found = usual.flatMap(within).sort((one, other) => versionOf(other) - versionOf(one))
  return [...named, ...found].find((java) => versionOf(java) >= oldestJava)
}

/** Why no Elasticsearch can be started here; `undefined`: it can. */
export const whyNot = (): string | undefined => {
  if (findJava() === undefined) return `there is no JDK ${oldestJava} or newer (ES_JAVA_HOME)`
  return existsSync(home) ? undefined : "Elasticsearch is not fetched (npm run elasticsearch -- fetch)"
}

const digestOf = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex")

/** By Maven where there is one, which knows the way to a mirror; else from Maven Central itself. */
const download = async (to: string): Promise<void> => {
  const folder = join(cache, "download")
  try {
    const goal = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"
    execFileSync("mvn", ["-q", "-B", goal, `-Dartifact=${artifact}:${version}:zip`, `-DoutputDirectory=${folder}`], {
      cwd: cache,
      stdio: ["ignore", "ignore", "inherit"]
    })
    renameSync(join(folder, `elasticsearch-${version}.zip`), to)
    return
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
  }
  const answer = await fetch(`https://repo1.maven.org/maven2/${path}`)
  if (!answer.ok) throw new Error(`Maven Central answered ${answer.status}`)
  writeFileSync(to, Buffer.from(await answer.arrayBuffer()))
}

/** Brings it into the project's `.cache/`, unless it is there. */
export const fetchDistribution = async (): Promise<string> => {
  if (existsSync(home)) return home
  const java = findJava()
  if (java === undefined) throw new Error(whyNot())
  mkdirSync(cache, { recursive: true })
  const zip = join(cache, `${version}.zip`)
  if (!existsSync(zip) || digestOf(zip) !== digest) await download(zip)
  if (digestOf(zip) !== digest) throw new Error(`${zip} is not what was expected`)
  const unpacked = join(cache, "unpacked")
  rmSync(unpacked, { recursive: true, force: true })
  mkdirSync(unpacked)
  execFileSync(join(java, "bin/jar"), ["xf", zip], { cwd: unpacked })
  const folder = join(unpacked, `elasticsearch-${version}`)
  // a jar knows no permissions
  for (const program of within(join(folder, "bin"))) chmodSync(program, 0o755)
  renameSync(folder, home)
  rmSync(unpacked, { recursive: true })
  rmSync(zip)
  return home
}
