import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Reporter, TestCase, TestModule, Vitest } from "vitest/node"
import { chromiumPath, whyNoChromium } from "./console/chromiumPath.ts"
import { whyNot as whyNoElasticsearch } from "./elasticsearch/distribution.ts"
import { isLong } from "./long.ts"
import { mounts } from "./mount.ts"
import { isHere as serverIsHere } from "./postgresServer.ts"

const has = (path: string) => existsSync(new URL(path, import.meta.url))

const runs = (program: string, ...args: ReadonlyArray<string>) => {
  try {
    execFileSync(program, args, { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

interface Reason {
  readonly files: RegExp
  /** Which tests of a file, by their full names. Without it all of them are, and none where others of the file ran. */
  readonly tests?: RegExp
  readonly why: string
  /** Whether it is so here. */
  readonly holds: () => boolean
  /** Whether CI may leave them out, too. */
  readonly always?: boolean
}

const noGit = "there is no git here"
const hasNoGit = () => !runs("git", "--version")

const noBubblewrap = "bubblewrap can't run here (Debian: apt-get install bubblewrap python3 perl)"

/** Why a test may be left out, and nothing else may be. */
const reasons: ReadonlyArray<Reason> = [
  {
    files: /^test\/hostile\//,
    why: "the bounds are for Deno, which `npm start` uses",
    always: true,
    holds: () => process.versions["deno"] === undefined
  },
  {
    files: /^test\/(infra\/git\/(kill|pack|push)|http\/(git\.|push)|processes\/)/,
    why: noGit,
    holds: hasNoGit
  },
  {
    files: /^test\/infra\/git\/(native|filePieces)/,
    tests:
      /(`git (diff|fsck)|diffs that apply|an empty workspace|after native git|what came from outside|every special file|from a pack too)/,
    why: noGit,
    holds: hasNoGit
  },
  {
    files:
      /^test\/(http\/(archives|gitFiles|lastCommit|othersWorkspaces)|audit\/verify|e2e\/kill|service\/diskNearlyFull|deploy\/nginx)/,
    tests:
      /(that git made|without native git|is who pushed it|no push of git|a git object that is gone|has sound repositories|files and pushes are refused|lets git clone)/,
    why: noGit,
    holds: hasNoGit
  },
  {
    files: /^test\/clients\/typescript\/readme/,
    why: "there is no npm here",
    holds: () => !runs("npm", "--version")
  },
  {
    files: /^test\/infra\/search\/elastic\/(?!together)/,
    why: whyNoElasticsearch() ?? "",
    holds: () => whyNoElasticsearch() !== undefined
  },
  {
    files: /^test\/infra\/search\/elastic\/together/,
    tests: /^a search in Elasticsearch/,
    why: whyNoElasticsearch() ?? "",
    holds: () => whyNoElasticsearch() !== undefined
  },
  {
    files: /^test\/infra\/postgres\/launcher\.test/,
    tests: /as root without user namespaces/,
    why: "only root starts Postgres as somebody else",
    always: true,
    holds: () => process.getuid?.() !== 0
  },
  {
    files: /^test\/infra\/kurrent\/(tls|.*[fF]aults)/,
    why: "Deno's HTTP/2 can end the process when a server goes, and has no TLS for the double (docs/decisions/0052): `npm run test:node` has them",
    always: true,
    holds: () => process.versions["deno"] !== undefined
  },
  {
    files: /^test\/infra\/kurrent\/node/,
    why: "no KurrentDB node (KURRENTDB_TEST_URL=kurrentdb://… names one; elsewhere its protocol's double stands for it)",
    always: true,
    holds: () => !process.env["KURRENTDB_TEST_URL"]
  },
  {
    files: /^test\/infra\/postgres\/serverFaults/,
    why: "there is no PostgreSQL 15 here (Debian: apt-get install postgresql-15); CI has it in .ci/engines",
    always: true,
    holds: () => !serverIsHere
  },
  {
    files: /^test\/infra\/postgres\/pooler/,
    why: "there is no PgBouncer here (Debian: apt-get install pgbouncer); CI has it beside PostgreSQL 15",
    always: true,
    holds: () => !has("/usr/sbin/pgbouncer")
  },
  {
    files: /^test\/(deploy\/nginx|processes\/)/,
    why: "there is no nginx here (Debian: apt-get install nginx-light)",
    holds: () => !has("/usr/sbin/nginx")
  },
  {
    files: /^test\/(service\/disk(Full|Fills)|backup\/full)/,
    why: "a disk is filled with CAIRN_LONG=1, where a file system can be mounted (as root)",
    always: true,
    holds: () => !isLong || !mounts()
  },
  {
    files: /^test\/http\/push\.slow/,
    why: "a push as slow as may be takes a minute: with CAIRN_LONG=1",
    always: true,
    holds: () => !isLong
  },
  {
    files: /\.browser\.test\.ts$/,
    why: whyNoChromium,
    holds: () => chromiumPath === undefined
  },
  {
    files: /^test\/infra\/sandbox\/bubblewrap\.(?!service)/,
    why: noBubblewrap,
    holds: () => !runs("bwrap", "--ro-bind", "/", "/", "--unshare-all", "true")
  },
  {
    files: /^test\/infra\/sandbox\/bubblewrap\.service/,
    tests: /(CAIRN_SANDBOX=bubblewrap|what to enable)/,
    why: noBubblewrap,
    holds: () => !runs("bwrap", "--ro-bind", "/", "/", "--unshare-all", "python3", "-c", "")
  }
]

/** What a run of all leaves to another command (start.cjs), by the filter that leaves it out. */
const elsewhere: { readonly [filter: string]: string } = {
  "!kurrent": "what stands on KurrentDB's log, which is served on Node: `npm run test:node`",
  "!browser": "the console in a browser: `npm run test:console`"
}

/**
 * Says in the last lines which tests were left out and why. One that is left out for none of these reasons fails the
 * run; in CI (`CI=true`) so does one whose reason CI does not have.
 */
export default class Skips implements Reporter {
  #vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    // whoever picks tests by name leaves out the others on purpose
    if (this.#vitest?.config.testNamePattern !== undefined) return
    const root = fileURLToPath(new URL("..", import.meta.url))
    const lines: Array<string> = []
    for (const module of modules) {
      const skipped = [...module.children.allTests("skipped")]
      if (skipped.length === 0) continue
      const path = module.moduleId.startsWith(root) ? module.moduleId.slice(root.length) : module.moduleId
      const ran = [...module.children.allTests()].length > skipped.length
      const here = reasons.filter(({ files, tests, holds }) => files.test(path) && (tests || !ran) && holds())
      const isOf = ({ fullName }: TestCase, { tests }: Reason) => tests?.test(fullName) ?? true
      for (const [reason, left] of Map.groupBy(skipped, (test) => here.find((reason) => isOf(test, reason)))) {
        const isFine = reason !== undefined && (reason.always === true || process.env["CI"] !== "true")
        if (!isFine) process.exitCode = 1
        const why = reason?.why ?? "for no reason that test/skips.ts knows"
        lines.push(` skipped ${String(left.length).padStart(3)} of ${path}: ${why}${isFine ? "" : " — NOT EXPECTED"}`)
        if (reason === undefined) lines.push(...left.map(({ fullName }) => `             ${fullName}`))
      }
    }
    for (const filter of this.#vitest?.config.project ?? [])
      if (elsewhere[filter] !== undefined) lines.push(` not asked: ${elsewhere[filter]}`)
    if (lines.length > 0) console.log(`\n${lines.join("\n")}\n`)
  }
}
