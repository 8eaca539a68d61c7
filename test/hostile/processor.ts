import { readFileSync } from "node:fs"

/** Milliseconds of processor time that a process's main thread has had (Linux; elsewhere what the clock says). */
export const worked = (pid: number): number => {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6
  } catch {
    return performance.now()
  }
}
