import type { BackedFile, Manifest } from "./manifest.ts"
import { numbered } from "./manifest.ts"

const names: { readonly [H in BackedFile["holds"]]: RegExp } = {
  log: /^log\/(\d{6,})-\d{6,}\.ndjson\.gz(\.age)?$/,
  beside: /^beside\/(\d{6,})\.ndjson\.gz(\.age)?$/,
  erasures: /^erasures\/(\d{6,})\.ndjson\.gz(\.age)?$/,
  pack: /^repositories\/[a-z0-9-]+\/(\d{6,})(?:-\d{6,})?\.pack(\.age)?$/,
  index: /^repositories\/[a-z0-9-]+\/(\d{6,})(?:-\d{6,})?\.idx(\.age)?$/
}

const isRepository = (name: string | undefined): boolean => /^[a-z0-9][a-z0-9-]{0,63}$/.test(name ?? "")
const isCommit = (sha: string | undefined): boolean => /^[0-9a-f]{40}$/.test(sha ?? "")

/** Whether an index belongs to a pack. */
const belongs = (pack: BackedFile, index: BackedFile | undefined): boolean =>
  index?.holds === "index" &&
  index.repository === pack.repository &&
  index.name.startsWith(`repositories/${pack.repository}/`) &&
  pack.name.startsWith(`repositories/${pack.repository}/`)

/**
 * Whether a manifest that follows another one (`undefined`: it is the first) has what a manifest can have: what reads
 * on trusts it.
 */
export const isShaped = ({ number, files, log, erased }: Manifest, previous: Manifest | undefined): boolean => {
  const count = (holds: BackedFile["holds"]) => files.filter((file) => file.holds === holds).length
  return (
    count("beside") === 1 &&
    count("erasures") === 1 &&
    count("pack") === count("index") &&
    // a file of the log may have no events, but no event is without a file
    (log.events === 0 || count("log") > 0) &&
    log.events >= 0 &&
    log.after === (previous?.log.to ?? 0) &&
    log.to >= log.after &&
    erased.every(isRepository) &&
    new Set(files.map(({ name }) => name)).size === files.length &&
    files.every(
      (file, at) =>
        names[file.holds].exec(file.name)?.[1] === numbered(number) &&
        file.bytes >= 0 &&
        (file.holds !== "pack" ||
          (isRepository(file.repository) &&
            isRepository(file.workspace) &&
            isCommit(file.commit) &&
            belongs(file, files[at + 1])))
    )
  )
}
