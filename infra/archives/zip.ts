import { promisify } from "node:util"
import { crc32, inflateRaw } from "node:zlib"
import { type Entry, fromBufferPromise, type ZipFile } from "yauzl"
import { type ArchivedEntry, ArchiveRefused } from "#ports/Archives.ts"
import type { Bounded } from "./Bounded.ts"

const inflate = promisify(inflateRaw)
const unix = 3

/** An entry's kind and rights, if a Unix has noted them; 0 otherwise. */
const modeOf = ({ versionMadeBy, externalFileAttributes }: Entry): number =>
  versionMadeBy >>> 8 === unix ? externalFileAttributes >>> 16 : 0

const kindOf = (entry: Entry): ArchivedEntry["kind"] => {
  const mode = modeOf(entry)
  const type = mode & 0o170000
  if (entry.fileName.endsWith("/") || type === 0o040000) return "directory"
  if (type === 0o120000) return "symlink"
  if (type !== 0 && type !== 0o100000) {
    throw new ArchiveRefused({ path: entry.fileName, message: "It is a device or a pipe, which no workspace has." })
  }
  return (mode & 0o100) === 0 ? "file" : "executable"
}

/**
 * The bytes of an entry; throws when they are not what it says. Uses one call, not the library's streams: there, an
 * entry that lies about its size fails when nobody listens any more, which would end the process.
 */
const unpacked = async (archive: Buffer, zip: ZipFile, entry: Entry): Promise<Uint8Array> => {
  const { fileName: path, compressedSize, uncompressedSize, compressionMethod, crc32: digest } = entry
  const broken = (what: string) => new ArchiveRefused({ path, message: `It ${what}.` })
  if (!entry.canDecodeFileData()) throw broken("is encrypted, or compressed in a way that is not deflate")
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true })
  const stored = archive.subarray(fileDataStart, fileDataStart + compressedSize)
  const inflating = () => inflate(stored, { maxOutputLength: Math.max(1, uncompressedSize) })
  const bytes =
    compressionMethod === 0
      ? stored
      : await inflating().catch(() => {
          throw broken("is broken, or larger than it says")
        })
  if (bytes.length !== uncompressedSize || crc32(bytes) !== digest) throw broken("is not what it says of itself")
  return bytes
}

/** The entries that the central directory of a zip lists, as its readers see it. */
export const zipEntries = async function* (
  archive: Uint8Array,
  bounded: Bounded
): AsyncGenerator<ArchivedEntry, void, undefined> {
  const all = Buffer.from(archive.buffer, archive.byteOffset, archive.length)
  const zip = await fromBufferPromise(all, { lazyEntries: true, strictFileNames: true })
  for await (const entry of zip.eachEntry()) {
    bounded.entry(entry.uncompressedSize)
    const kind = kindOf(entry)
    const bytes = kind === "directory" ? new Uint8Array() : await unpacked(all, zip, entry)
    bounded.take(bytes.length)
    yield { path: entry.fileName, kind, bytes }
  }
}
