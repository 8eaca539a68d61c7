import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { Effect, Layer } from "effect"
import { RepositoryCheck } from "#ports/RepositoryCheck.ts"
import { repositoryPath } from "./repositories.ts"

/** Lines that are kept of what git says. */
const kept = 20

/** Nothing of the operator's configuration, and nothing of the repository's that could run a program. */
const environment = {
  PATH: process.env["PATH"] ?? "",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  LC_ALL: "C"
}
const settings = ["-c", "safe.directory=*", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"]

const fsck = (gitdir: string) =>
  Effect.callback<ReadonlyArray<string> | undefined>((resume) => {
    const child = spawn("git", [...settings, "--git-dir", gitdir, "fsck", "--full", "--no-dangling", "--no-progress"], {
      env: environment,
      stdio: ["ignore", "pipe", "pipe"]
    })
    const lines: Array<string> = []
    let rest = ""
    const take = (text: string) => {
      const parts = (rest + text).split("\n")
      rest = parts.pop()!
      for (const line of parts) if (lines.length < kept && line !== "") lines.push(line)
    }
    child.stdout.setEncoding("utf8").on("data", take)
    child.stderr.setEncoding("utf8").on("data", take)
    child.once("error", () => resume(Effect.undefined))
    child.once("close", (code) => {
      take("\n")
      // what it says beside a good result are notices
      resume(Effect.succeed(code === 0 ? [] : lines.length > 0 ? lines : [`git fsck ended with ${code}`]))
    })
    return Effect.sync(() => child.kill())
  })

/** Asks the `git` on the path, if there is one. */
export const layer = ({ directory }: { readonly directory: string }) =>
  Layer.succeed(RepositoryCheck, {
    check: (repository) => {
      const gitdir = resolve(repositoryPath(directory, repository))
      return Effect.suspend(() => (existsSync(gitdir) ? fsck(gitdir) : Effect.succeed([])))
    }
  })
