import { partOfNode } from "./partOfNode.ts"

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown }).code

/**
 * Makes a folder, with those above it, unless it is there. Fails with the system's error. (Node's own tries for ever
 * behind a link to nowhere, and in `/proc`.)
 */
export const makeFolder = async (path: string): Promise<void> => {
  const { mkdir, stat } = await partOfNode<typeof import("node:fs/promises")>("node:fs/promises")
  const { dirname, resolve } = await partOfNode<typeof import("node:path")>("node:path")
  const make = async (folder: string): Promise<void> => {
    try {
      await mkdir(folder)
    } catch (error) {
      // another program may have made it meanwhile
      const there = await stat(folder).catch(() => undefined)
      if (!there?.isDirectory()) throw error
    }
  }
  const makeAll = async (folder: string): Promise<void> => {
    try {
      await make(folder)
    } catch (error) {
      if (codeOf(error) !== "ENOENT" || dirname(folder) === folder) throw error
      await makeAll(dirname(folder))
      await make(folder)
    }
  }
  await makeAll(resolve(path))
}
