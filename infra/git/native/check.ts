import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { Effect, Layer } from "effect"
import { RepositoryCheck } from "#ports/RepositoryCheck.ts"
import { lastWords } from "../../lastWords.ts"
import { repositoryPath } from "../repositories.ts"
import { type NativeGit, startGit } from "./git.ts"

export interface Options {
  /** Where the repositories are. */
  readonly directory: string
  readonly git: NativeGit | undefined
}

/** Lines of git's output that are kept. */
const kept = 20

const fsck = (git: NativeGit, gitdir: string) =>
  Effect.callback<ReadonlyArray<string> | undefined>((resume) => {
    const child = startGit(git, gitdir, ["fsck", "--full", "--no-dangling", "--no-progress"])
    lastWords(child.stdin)
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
      // after a success, its output is only notices
      resume(Effect.succeed(code === 0 ? [] : lines.length > 0 ? lines : [`git fsck ended with ${code}`]))
    })
    return Effect.sync(() => child.kill())
  })

/** Checks repositories with native git's `fsck`; `undefined`: there is no git. */
export const layer = ({ directory, git }: Options) =>
  Layer.succeed(RepositoryCheck, {
    check: (repository) => {
      const gitdir = resolve(repositoryPath(directory, repository))
      return Effect.suspend(() => {
        if (!existsSync(gitdir)) return Effect.succeed([])
        return git === undefined ? Effect.undefined : fsck(git, gitdir)
      })
    }
  })
