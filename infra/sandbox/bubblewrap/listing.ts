/**
 * One entry of a workspace's tree as it lies in the file system. Names are kept as bytes, one character each (latin1):
 * they need not be text.
 */
export interface Found {
  readonly name: string
  /** As `find` tells it: f, d, l, p, s, c, b. */
  readonly type: string
  readonly executable: boolean
  readonly size: number
  /** A link's target, as bytes like the name. */
  readonly target: string
  /** Differs when the entry was written to, replaced or given other permissions. */
  readonly stamp: string
  /** Of the last change, milliseconds since the epoch. */
  readonly changed: number
}

const fields = 8

/** What `find` prints for an entry. The name comes last: no other field of an entry can be `.`, the end of the list. */
export const format = "%y\\0%m\\0%s\\0%T@\\0%C@\\0%i\\0>%l\\0%P\\0"
export const endOfList = "\0.\0"

/** Entries without the root, a folder before what it holds. */
export const parseListing = (text: string): ReadonlyArray<Found> => {
  const parts = text.split("\0")
  const found: Array<Found> = []
  for (let at = 0; at + fields <= parts.length; at += fields) {
    const [type, mode, size, modified, changed, inode, target, name] = parts.slice(at, at + fields) as [
      ...[string, string, string, string],
      ...[string, string, string, string]
    ]
    if (name === "") continue
    found.push({
      name,
      type,
      target: target.slice(1),
      size: Number(size),
      changed: Number(changed) * 1000,
      executable: (Number.parseInt(mode, 8) & 0o100) !== 0,
      stamp: [type, mode, size, modified, changed, inode].join(" ")
    })
  }
  return found
}
