export interface ToWorker {
  readonly job: string
  readonly args: ReadonlyArray<unknown>
}

export type FromWorker =
  /** The process has loaded what it needs: from now on, its work is what takes time. */
  | { readonly type: "ready" }
  /** `memory`: bytes that the process holds. */
  | { readonly type: "done"; readonly value: unknown; readonly memory: number }
  /**
   * `where`: what was thrown and the lines of code that it came through, without its message, which may quote the work.
   */
  | { readonly type: "threw"; readonly where: string }
