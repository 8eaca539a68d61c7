import { execFileSync } from "node:child_process"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"

/** What native git says, with no configuration of this machine. */
export const git = (directory: string, args: ReadonlyArray<string>, input?: string | Uint8Array): string =>
  execFileSync("git", ["-C", directory, "-c", "safe.directory=*", ...args], {
    encoding: "utf8",
    stdio: ["pipe", "pipe", "pipe"],
    maxBuffer: 64 * 1024 * 1024,
    env: {
      PATH: process.env["PATH"],
      HOME: os.tmpdir(),
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: os.devNull,
      LC_ALL: "C"
    },
    ...(input === undefined ? {} : { input })
  })

const found = (() => {
  try {
    return git(".", ["--version"]) !== ""
  } catch {
    return false
  }
})()

/** Tests that ask native git are skipped, visibly, where it is absent. */
export const noGit = !found

/** Everything that `git fsck --strict` has to say; `""`: nothing. Objects that nothing names yet are no fault. */
export const fsck = (gitdir: string): string => {
  try {
    return git(gitdir, ["fsck", "--strict", "--no-dangling"]).trim()
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string }
    return `${stdout}${stderr}`.trim() || String(error)
  }
}

export const temporaryDirectory = (): string => fs.mkdtempSync(path.join(os.tmpdir(), "cairn-git-"))
