/** A line of a diff: removed, added, or context. */
export interface DiffLine {
  readonly kind: "same" | "added" | "removed"
  readonly text: string
  /** Its number, from 1; `undefined`: only the other side has it. */
  readonly before: number | undefined
  readonly after: number | undefined
  /** Whether the file ends here without a newline. */
  readonly open: boolean
}

export interface Hunk {
  readonly title: string
  readonly lines: ReadonlyArray<DiffLine>
}

/** What became of one file. */
export interface FileDiff {
  readonly path: string
  /** Its path before, if it was another one. */
  readonly from: string | undefined
  readonly status: "created" | "modified" | "deleted" | "renamed"
  readonly isBinary: boolean
  /** Git's name for the content of an added or removed file; `undefined`: the diff does not say it. */
  readonly blob?: string | undefined
  /** The mode of an added or removed file, as git writes it: `100755` is executable. */
  readonly mode?: string | undefined
  /** Why its lines, or the rest of them, are left out, in the service's words; `undefined`: nothing is left out. */
  readonly remark: string | undefined
  readonly added: number
  readonly removed: number
  readonly hunks: ReadonlyArray<Hunk>
}

const escapes: { readonly [sign: string]: number } = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, "\\": 92 }

/** A path as git writes it: quoted, with bytes as octal numbers, if it has other than plain letters. */
export const pathIn = (given: string): string => {
  const text = given.replace(/\t$/, "")
  if (!text.startsWith('"')) return text
  const bytes: Array<number> = []
  for (const [, octal, sign, plain] of text.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8))
    else if (sign !== undefined) bytes.push(escapes[sign] ?? sign.charCodeAt(0))
    else bytes.push(...new TextEncoder().encode(plain))
  }
  return new TextDecoder().decode(new Uint8Array(bytes))
}

const sideOf = (line: string): string | undefined => {
  const path = pathIn(line.slice(4))
  return path === "/dev/null" ? undefined : path.replace(/^[ab]\//, "")
}

/** The path in `diff --git`. It is the same on both sides if no other line names the file. */
const namedIn = (line: string): string => {
  const rest = line.slice("diff --git ".length)
  if (rest.startsWith('"')) return pathIn(/^"(?:[^"\\]|\\.)*"/.exec(rest)?.[0] ?? rest).replace(/^a\//, "")
  return rest.slice(2, (rest.length - 1) / 2)
}

/** Git's name for the content of a file that was added or removed. */
const blobIn = (line: string): string | undefined => {
  const [, before = "", after = ""] = /^index ([0-9a-f]+)\.\.([0-9a-f]+)/.exec(line) ?? []
  const isNone = (blob: string) => /^0*$/.test(blob)
  if (isNone(before) === isNone(after)) return undefined
  return isNone(before) ? after : before
}

/** The lines of a hunk. Its head says how many it has, so they are its own whatever they look like. */
const hunkAt = (lines: ReadonlyArray<string>, at: number) => {
  const [, from, removed = "1", to, added = "1", title = ""] =
    /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/.exec(lines[at]!) ?? []
  let [before, after, left, right] = [Number(from), Number(to), Number(removed), Number(added)]
  const found: Array<DiffLine> = []
  let next = at + 1
  for (; next < lines.length; next++) {
    const line = lines[next]!
    if (line.startsWith("\\")) {
      const last = found.pop()
      if (last !== undefined) found.push({ ...last, open: true })
      continue
    }
    if (left <= 0 && right <= 0) break
    // a line that begins otherwise is none of a hunk: the rest is left out
    if (!/^[ +-]/.test(line)) break
    const text = line.slice(1)
    if (line.startsWith("+")) {
      found.push({ kind: "added", text, before: undefined, after: after++, open: false })
      right--
    } else if (line.startsWith("-")) {
      found.push({ kind: "removed", text, before: before++, after: undefined, open: false })
      left--
    } else {
      found.push({ kind: "same", text, before: before++, after: after++, open: false })
      left--
      right--
    }
  }
  return { hunk: { title, lines: found }, next }
}

const count = (hunks: ReadonlyArray<Hunk>, kind: DiffLine["kind"]): number =>
  hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.kind === kind).length, 0)

/** Reads a unified diff as git writes it, file by file. */
export const parseDiff = (diff: string): ReadonlyArray<FileDiff> => {
  const lines = diff.split("\n")
  const files: Array<FileDiff> = []
  let at = lines.findIndex((line) => line.startsWith("diff --git "))
  while (at >= 0 && at < lines.length) {
    const first = lines[at]!
    if (!first.startsWith("diff --git ")) {
      at++
      continue
    }
    const named = namedIn(first)
    let [before, after]: [string | undefined, string | undefined] = [named, named]
    let status: FileDiff["status"] = "modified"
    let isBinary = false
    let remark: string | undefined
    let [blob, mode]: [string | undefined, string | undefined] = [undefined, undefined]
    const hunks: Array<Hunk> = []
    at++
    while (at < lines.length && !lines[at]!.startsWith("diff --git ")) {
      const line = lines[at]!
      if (line.startsWith("@@ ")) {
        const { hunk, next } = hunkAt(lines, at)
        hunks.push(hunk)
        at = next
        continue
      }
      if (line.startsWith("new file mode ")) [status, mode] = ["created", line.slice(14)]
      else if (line.startsWith("deleted file mode ")) [status, mode] = ["deleted", line.slice(18)]
      else if (line.startsWith("rename from ")) [status, before] = ["renamed", pathIn(line.slice(12))]
      else if (line.startsWith("rename to ")) after = pathIn(line.slice(10))
      else if (line.startsWith("--- ")) before = sideOf(line) ?? before
      else if (line.startsWith("+++ ")) after = sideOf(line) ?? after
      else if (/^(Binary files|GIT binary patch)/.test(line)) isBinary = true
      else if (line.startsWith("index ")) blob = blobIn(line)
      else if (line.startsWith("... ")) remark = line.slice(4)
      at++
    }
    const path = (status === "deleted" ? before : after) ?? named
    const from = status === "renamed" ? before : undefined
    const [added, removed] = [count(hunks, "added"), count(hunks, "removed")]
    files.push({ path, from, status, isBinary, blob, mode, remark, added, removed, hunks })
  }
  return files
}
