import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { Effect, Stream } from "effect"
import * as Tar from "effect/encoding/Tar"
import { send, type Target } from "./send.ts"

const archiveOf = async (path: string, content: string) => {
  const tar = Stream.make(Tar.file(path, content)).pipe(Stream.pipeThroughChannel(Tar.encode()), Stream.runCollect)
  return new Uint8Array(gzipSync(Buffer.concat([...(await Effect.runPromise(tar))])))
}

const git = (...args: ReadonlyArray<string>) =>
  new Promise<void>((resolve, reject) => {
    const child = spawn("git", args, {
      stdio: "ignore",
      env: { PATH: process.env["PATH"], GIT_TERMINAL_PROMPT: "0", HOME: "/nonexistent" }
    })
    child.once("error", reject)
    child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`git ended with ${code}`))))
  })

/** What is done with whole repositories: `workspace` gives one, if there is any; `n` is the number of the operation. */
export const repositoryOperations = (target: Target, workspace: () => string | undefined, n: () => number) => {
  const urlOf = (id: string) => `http://x:${target.key}@127.0.0.1:${target.port}/git/${id}.git`
  return {
    git: async () => {
      const id = workspace()
      if (id !== undefined) await git("ls-remote", urlOf(id))
    },
    push: async () => {
      const id = workspace()
      if (id === undefined) return
      const clone = mkdtempSync(join(target.clones, "clone-"))
      try {
        await git("clone", "-q", "--depth=1", urlOf(id), clone)
        writeFileSync(join(clone, "pushed.txt"), `${n()}\n`)
        await git("-C", clone, "add", "pushed.txt")
        await git("-C", clone, "-c", "user.name=S", "-c", "user.email=s@example.org", "commit", "-q", "-m", "soak")
        await git("-C", clone, "push", "-q", "origin", "HEAD:main")
      } finally {
        rmSync(clone, { recursive: true, force: true })
      }
    },
    archive: async () => {
      const id = workspace()
      if (id === undefined) return
      const archive = await archiveOf("unpacked.txt", `${n()}\n`)
      await send(target, "POST", `/api/workspaces/${id}/archive?path=archive`, archive)
    },
    restore: async () => {
      const id = workspace()
      if (id === undefined) return
      const { json } = await send(target, "GET", `/api/workspaces/${id}/commits?limit=2`)
      const sha = json<{ readonly commits: ReadonlyArray<{ readonly sha: string }> }>().commits.at(-1)!.sha
      await send(target, "POST", `/api/workspaces/${id}/restore`, { commit: sha })
    }
  }
}
