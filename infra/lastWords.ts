import type { Writable } from "node:stream"

/**
 * Writes the last words to a child process's pipe, if there are any, and closes it. It does not use `end`: Deno (2.9)
 * holds a pipe for good if its child goes meanwhile. The caller listens for the pipe's errors: the child may be gone.
 */
export const lastWords = (pipe: Writable, words: string | Uint8Array = ""): void => {
  pipe.write(words, () => pipe.destroy())
}
