/** A line of a file: its text, or why it has none. */
export type Line = {
  /** From 1; empty lines count. */
  readonly number: number
  /** Bytes of the file up to and including the line. */
  readonly end: number
} & ({ readonly text: string } | { readonly text: undefined; readonly trouble: string })

const newline = 0x0a

/**
 * Cuts bytes into lines at `\n` (a `\r` before it goes too), and only there: a line separator within JSON text is text.
 * Empty lines are left out. A line of more than `longest` bytes is not kept in memory.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  longest = 8 * 1024 * 1024
): AsyncGenerator<Line, void, undefined> {
  const utf8 = new TextDecoder("utf-8", { fatal: true })
  let parts: Array<Uint8Array> = []
  let length = 0
  let number = 0
  let end = 0

  const take = (part: Uint8Array) => {
    length += part.length
    if (length <= longest) parts.push(part)
    else parts = []
  }
  const line = (): Line | undefined => {
    number += 1
    const [bytes, size] = [Buffer.concat(parts), length]
    parts = []
    length = 0
    if (size > longest) return { number, end, text: undefined, trouble: `is longer than ${longest} bytes` }
    try {
      const text = utf8.decode(bytes).trim()
      return text === "" ? undefined : { number, end, text }
    } catch {
      return { number, end, text: undefined, trouble: "is not valid UTF-8" }
    }
  }

  for await (const chunk of chunks) {
    let from = 0
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      take(chunk.subarray(from, at))
      end += at + 1 - from
      from = at + 1
      const cut = line()
      if (cut !== undefined) yield cut
    }
    take(chunk.subarray(from))
    end += chunk.length - from
  }
  const last = length > 0 ? line() : undefined
  if (last !== undefined) yield last
}
