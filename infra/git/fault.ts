import fs from "node:fs"
import { Effect } from "effect"
import { MissingObject, WorkspacesUnavailable } from "#ports/WorkspaceStore.ts"
import { systemCode } from "../systemErrors.ts"

/** Error codes of calls that are wrong in themselves: they would fail on any disk. */
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

/** The port's error for a failure of the disk with this code (`ENOSPC`), which passes by itself. */
export const unavailable = (code: string): WorkspacesUnavailable =>
  new WorkspacesUnavailable({ code, message: `${words[code] ?? "the disk of the workspaces failed"} (${code})` })

/** The system's words for what git fails of. */
const printed: { readonly [code: string]: string } = {
  ENOSPC: "No space left on device",
  EDQUOT: "Disk quota exceeded",
  EROFS: "Read-only file system",
  EIO: "Input/output error",
  EACCES: "Permission denied",
  EMFILE: "Too many open files"
}

/** The code of the disk's failure that git complains of; `undefined`: of none, or of another. */
export const codeIn = (complaint: string): string | undefined =>
  Object.keys(printed).find((code) => complaint.includes(printed[code]!))

/** Throws the system's error when a repository can't be read at all: then nobody can tell which objects it lacks. */
export const mustBeThere = (gitdir: string): void => {
  fs.readdirSync(`${gitdir}/objects`)
}

/** The code of the error that reading the repository gives; `undefined`: it can be read. */
const obstacle = (gitdir: string): string | undefined => {
  try {
    mustBeThere(gitdir)
    return undefined
  } catch (error) {
    return systemCode(error) ?? "EIO"
  }
}

/** The passing fault behind an error: the disk's, or that the repository is away; `undefined`: a defect. */
export const faultOf = (error: unknown, gitdir: string): WorkspacesUnavailable | undefined => {
  if (error instanceof WorkspacesUnavailable) return error
  const code = error instanceof MissingObject ? obstacle(gitdir) : systemCode(error)
  return code === undefined || ours.has(code) ? undefined : unavailable(code)
}

/** Runs `use`, which reads or writes a repository. Faults of the disk are failures, all other errors are defects. */
export const onDisk = <A>(gitdir: string, use: () => A | Promise<A>): Effect.Effect<A, WorkspacesUnavailable> =>
  Effect.catchDefect(
    Effect.promise(async () => use()),
    (error) => {
      const fault = faultOf(error, gitdir)
      return fault === undefined ? Effect.die(error) : Effect.fail(fault)
    }
  )
