import fs from "node:fs"
import { Effect } from "effect"
import { MissingObject, WorkspacesUnavailable } from "#ports/WorkspaceStore.ts"
import { systemCode } from "../systemErrors.ts"

/** What a system says of a call that was wrong in itself: no other disk would do it. */
const ours = new Set(["EISDIR", "EINVAL", "ENAMETOOLONG", "EEXIST", "ELOOP", "EBADF", "EFAULT", "ENOTEMPTY"])

const words: { readonly [code: string]: string } = {
  ENOENT: "the folder of workspaces or a repository in it is not there",
  ENOTDIR: "the folder of workspaces or a repository in it is not there",
  ENOSPC: "the disk of the workspaces is full",
  EDQUOT: "the disk of the workspaces is full",
  EROFS: "the disk of the workspaces is read-only",
  EACCES: "the folder of workspaces may not be used",
  EPERM: "the folder of workspaces may not be used",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open"
}

/** The disk's failure by its code (`ENOSPC`), as the port tells it: it passes by itself. */
export const unavailable = (code: string): WorkspacesUnavailable =>
  new WorkspacesUnavailable({ code, message: `${words[code] ?? "the disk of the workspaces failed"} (${code})` })

/** Throws what the system says when a repository can't be read at all: then nothing is known of what it lacks. */
export const mustBeThere = (gitdir: string): void => {
  fs.readdirSync(`${gitdir}/objects`)
}

/** The code of what keeps a repository from being read. */
const obstacle = (gitdir: string): string | undefined => {
  try {
    mustBeThere(gitdir)
    return undefined
  } catch (error) {
    return systemCode(error) ?? "EIO"
  }
}

/** A fault of the disk that passes; `undefined`: a defect. What is missing in a repository that is away is not lost. */
export const faultOf = (error: unknown, gitdir: string): WorkspacesUnavailable | undefined => {
  if (error instanceof WorkspacesUnavailable) return error
  const code = error instanceof MissingObject ? obstacle(gitdir) : systemCode(error)
  return code === undefined || ours.has(code) ? undefined : unavailable(code)
}

/** Runs what reads or writes a repository: the disk's faults are failures, all else is a defect. */
export const onDisk = <A>(gitdir: string, use: () => A | Promise<A>): Effect.Effect<A, WorkspacesUnavailable> =>
  Effect.catchDefect(
    Effect.promise(async () => use()),
    (error) => {
      const fault = faultOf(error, gitdir)
      return fault === undefined ? Effect.die(error) : Effect.fail(fault)
    }
  )
