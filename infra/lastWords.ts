import type { Writable } from "node:stream"

/**
 * Says the last that a child process is told on a pipe, if anything, and closes it. Not by `end`: Deno (2.9) holds a
 * pipe for good whose child goes while it is ending. Its errors are the caller's to hear: a child may be gone.
 */
export const lastWords = (pipe: Writable, words: string | Uint8Array = ""): void => {
  pipe.write(words, () => pipe.destroy())
}
