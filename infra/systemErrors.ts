/** The system's code of an error that it gave; `undefined` for any other. */
export const systemCode = (error: unknown): string | undefined => {
  const code = (error as NodeJS.ErrnoException | undefined)?.code
  return typeof code === "string" && /^E[A-Z0-9]+$/.test(code) ? code : undefined
}

/** Whether a file is not there, or not any more. */
export const isMissing = (error: unknown): boolean => systemCode(error) === "ENOENT"

/** What a look at a file gives; `undefined` if the file is not there, or not any more. */
export const there = <A>(look: () => A): A | undefined => {
  try {
    return look()
  } catch (error) {
    if (!isMissing(error)) throw error
    return undefined
  }
}
