import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Running } from "./programs.ts"

interface Files {
  readonly files: ReadonlyArray<{ readonly path: string }>
}

/** Brings an earlier commit's files back, as a new commit: what came in between stays in the history. */
export const goBack = async (service: Running, workspace: string, commit: string, say: (line: string) => void) => {
  const path = `/api/workspaces/${workspace}`
  const restored = await service.ask<{ commit: string }>("POST", `${path}/restore`, { commit })
  const paths = async (at: string) =>
    (await service.ask<Files>("GET", `${path}/tree?at=${at}`)).files.map(({ path }) => path)
  const now = await paths(restored.commit)
  say(`   ${restored.commit.slice(0, 12)} has the files of ${commit.slice(0, 12)} again: ${now.join(", ")}`)
  assert.deepEqual(now, await paths(commit))
  const { commits } = await service.ask<{ commits: ReadonlyArray<{ sha: string }> }>("GET", `${path}/commits`)
  assert.equal(commits.length, 3)
  assert.equal(commits[0]!.sha, restored.commit)
}

/** Clones the workspace with the git that is here, and pushes a commit to it; says so when there is none. */
export const cloneAndPush = async (
  service: Running,
  workspace: string,
  folder: string,
  say: (line: string) => void
) => {
  const address = new URL(`/git/${workspace}.git`, service.url)
  say(`   $ git clone ${address.href}`)
  address.username = "agent"
  address.password = service.key
  const env = { PATH: process.env["PATH"], HOME: folder, GIT_TERMINAL_PROMPT: "0" }
  const git = (...args: ReadonlyArray<string>) => spawnSync("git", args, { encoding: "utf8", env })
  const target = join(folder, "clone")
  const { status, error, stderr } = git("clone", "--quiet", address.href, target)
  if (error !== undefined) return say("   there is no git on this machine: nothing to show")
  assert.equal(status, 0, stderr.replaceAll(service.key, "…"))
  const { stdout } = git("-C", target, "log", "--format=%h  %s")
  for (const line of stdout.trimEnd().split("\n")) say(`     ${line}`)
  say(
    `   files: ${readdirSync(target)
      .filter((name) => name !== ".git")
      .join(", ")}`
  )
  assert.equal(stdout.trimEnd().split("\n").length, 3)
  writeFileSync(join(target, "NOTES.md"), "What the agent should know.\n")
  const author = ["-c", "user.name=Grace", "-c", "user.email=grace@example.org"]
  for (const args of [
    ["add", "NOTES.md"],
    [...author, "commit", "-qm", "Notes for the agent"],
    ["push", "-q"]
  ]) {
    const { status, stderr } = git("-C", target, ...args)
    assert.equal(status, 0, stderr.replaceAll(service.key, "…"))
  }
  say("   $ git push")
  const { commits } = await service.ask<{ commits: ReadonlyArray<{ message: string }> }>(
    "GET",
    `/api/workspaces/${workspace}/commits`
  )
  say(`     ${commits[0]!.message.split("\n")[0]}`)
  assert.match(commits[0]!.message, /^Notes for the agent/)
}
