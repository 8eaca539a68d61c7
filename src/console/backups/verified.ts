import { filesIn } from "./archive.ts"

/** What a backup says of itself, as far as the page shows it. */
export interface Verified {
  readonly events: number
  readonly to: number
  readonly began: string
  readonly finished: string
  readonly files: number
  /**
   * Whether each file's digest was compared, and not only its length: a browser computes digests only on a page that
   * came over TLS or from this machine.
   */
  readonly digests: boolean
}

interface Manifest {
  readonly format: string
  readonly began: string
  readonly finished: string
  readonly log: { readonly to: number; readonly events: number }
  readonly files: ReadonlyArray<{ readonly name: string; readonly bytes: number; readonly sha256: string }>
}

const hex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("")

/**
 * Compares a backup's files with its manifest, which comes last. Fails with what is wrong, and with the signal's reason
 * before the next file.
 */
export const verified = async (
  archive: Blob,
  progress: (files: number, of: number) => void,
  signal?: AbortSignal
): Promise<Verified> => {
  const files = await filesIn(archive, signal)
  signal?.throwIfAborted()
  const last = files.at(-1)
  if (last === undefined || !/^backups\/\d+\.json$/.test(last.name))
    throw new Error("The backup is cut off: the manifest at its end is missing.")
  const manifest = JSON.parse(await last.content.text()) as Manifest
  if (manifest.format !== "cairn-backup") throw new Error("This is not a Cairn backup.")
  const byName = new Map(files.map((file) => [file.name, file.content]))
  const subtle = globalThis.crypto.subtle as SubtleCrypto | undefined
  for (const [index, { name, bytes, sha256 }] of manifest.files.entries()) {
    const content = byName.get(name)
    if (content === undefined) throw new Error(`${name} is missing.`)
    if (content.size !== bytes) throw new Error(`${name} has ${content.size} bytes, and should have ${bytes}.`)
    if (subtle !== undefined && hex(await subtle.digest("SHA-256", await content.arrayBuffer())) !== sha256)
      throw new Error(`${name} is not as it was written.`)
    signal?.throwIfAborted()
    progress(index + 1, manifest.files.length)
  }
  const { began, finished, log } = manifest
  return {
    events: log.events,
    to: log.to,
    began,
    finished,
    files: manifest.files.length,
    digests: subtle !== undefined
  }
}
