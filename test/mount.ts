import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/**
 * Mounts a file system of so many megabytes, in memory, at a folder, which is made; throws where that is not allowed.
 */
export const mount = (folder: string, megabytes: number): void => {
  mkdirSync(folder, { recursive: true })
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0700`, "tmpfs", folder], { stdio: "pipe" })
}

/** Takes it away, also when somebody has a file of it open. */
export const unmount = (folder: string): void => void execFileSync("umount", ["-l", folder], { stdio: "pipe" })

/** Whether one can be had here: root alone may, and not in each container. */
export const mounts = (): boolean => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-mount-"))
  try {
    mount(folder, 1)
    unmount(folder)
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
