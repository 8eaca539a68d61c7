import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import secretlint from "@secretlint/secretlint-rule-preset-recommend/package.json" with { type: "json" }
import { Effect, Layer } from "effect"
import { ScanFailed, SecretScan } from "#ports/SecretScan.ts"
import { Workers } from "#ports/Workers.ts"

/** Milliseconds for one text; the worst texts found took a tenth. */
const patience = 10_000
/** Texts known to have no secrets, by their digests: a reaction scans what is published again a moment later. */
const mostClean = 10_000

/** A version that changes with every file of this folder, and with Secretlint: nobody has to remember it. */
export const rulesVersion = (): string => {
  const hash = createHash("sha256").update(secretlint.version)
  for (const name of readdirSync(import.meta.dirname).sort()) hash.update(readFileSync(join(import.meta.dirname, name)))
  return hash.digest("hex").slice(0, 16)
}

/**
 * Secretlint's rules, and some of our own, in a worker that can be killed. An expression that runs wild in a text made
 * for it costs nobody else time.
 */
export const layer = Layer.effect(
  SecretScan,
  Effect.gen(function* () {
    const workers = yield* Workers
    const clean = new Set<string>()
    const scan = Effect.fnUntraced(function* (path: string, text: string) {
      const digest = createHash("sha256").update(JSON.stringify(path)).update(text).digest("base64")
      if (clean.has(digest)) return []
      const found = yield* workers
        .run("scanForSecrets", [path, text], { within: patience })
        .pipe(Effect.catchTag("TookTooLong", () => Effect.fail(new ScanFailed())))
      if (found.length === 0) {
        for (const oldest of clean.size >= mostClean ? clean : []) {
          clean.delete(oldest)
          break
        }
        clean.add(digest)
      }
      return found
    })
    return SecretScan.of({ rules: rulesVersion(), scan })
  })
)
