/** A file of an archive. The browser decides where it keeps the bytes. */
export interface ArchivedFile {
  readonly name: string
  readonly content: Blob
}

const block = 512

const textIn = (header: Uint8Array, from: number, length: number): string => {
  const bytes = header.subarray(from, from + length)
  const end = bytes.indexOf(0)
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end))
}

/** The size that a header gives: in octal digits, or, if it is too large for them, as bytes behind a marker byte. */
const sizeIn = (header: Uint8Array): number => {
  const bytes = header.subarray(124, 136)
  if ((bytes[0]! & 0x80) === 0) return Number.parseInt(textIn(header, 124, 12).trim() || "0", 8)
  return bytes.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0)
}

/** What a pax header says of the entry that follows it. */
const paxIn = (text: string): { readonly [key: string]: string } =>
  Object.fromEntries(
    text.split("\n").flatMap((line) => {
      const [, key, value] = /^\d+ ([^=]+)=(.*)$/s.exec(line) ?? []
      return key === undefined || value === undefined ? [] : [[key, value]]
    })
  )

/** The files of a tar, in their order. Fails if the tar is cut off, if it is none, or with the signal's reason. */
export const filesIn = async (archive: Blob, signal?: AbortSignal): Promise<ReadonlyArray<ArchivedFile>> => {
  const files: Array<ArchivedFile> = []
  let pax: { readonly [key: string]: string } = {}
  for (let at = 0; at + block <= archive.size; ) {
    signal?.throwIfAborted()
    const header = new Uint8Array(await archive.slice(at, at + block).arrayBuffer())
    if (header.every((byte) => byte === 0)) return files
    const size = pax["size"] === undefined ? sizeIn(header) : Number(pax["size"])
    if (!Number.isSafeInteger(size) || size < 0) throw new Error("This is not an archive: a header can't be read.")
    const prefix = textIn(header, 345, 155)
    const name = pax["path"] ?? (prefix === "" ? "" : `${prefix}/`) + textIn(header, 0, 100)
    const from = at + block
    if (from + size > archive.size) throw new Error(`The archive is cut off in ${name}.`)
    const kind = String.fromCharCode(header[156]!)
    if (kind === "x") pax = paxIn(await archive.slice(from, from + size).text())
    else {
      if (kind === "0" || kind === "\0") files.push({ name, content: archive.slice(from, from + size) })
      pax = {}
    }
    at = from + Math.ceil(size / block) * block
  }
  throw new Error("The archive is cut off: its end is missing.")
}
