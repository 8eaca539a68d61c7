import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { Effect, type Exit, Layer, Schema } from "effect"
import { readTable } from "#domain/search/embeddings/EmbeddingTable.ts"
import { type Encoder, makeEncoder } from "#domain/search/embeddings/Encoder.ts"
import { tableDigest } from "#domain/search/embeddings/tableDigest.ts"
import { Given } from "#engine/Projection.ts"
import { Embeddings } from "#ports/Embeddings.ts"

const file = fileURLToPath(new URL("table.bin", import.meta.url))

/** The table of this installation can't be used. */
export class EmbeddingTableUnusable extends Schema.TaggedError<EmbeddingTableUnusable>()("EmbeddingTableUnusable", {
  message: Schema.String
}) {}

const unusable = (path: string) => (cause: unknown) =>
  new EmbeddingTableUnusable({
    message: `The table of embeddings ${path} can't be used: ${cause instanceof Error ? cause.message : String(cause)}. It is part of the installation: restore it from the repository.`
  })

/** The encoder of a table's bytes. */
const digested = (bytes: Uint8Array): Encoder => {
  const digest = createHash("sha256").update(bytes).digest("hex")
  if (digest !== tableDigest) throw new Error(`its SHA-256 is ${digest}, and ${tableDigest} was expected`)
  return makeEncoder(readTable(bytes))
}

/** Reads a table; any other than the one whose vectors the read models hold is refused. */
export const load = (path: string) =>
  Effect.tryPromise({ try: () => readFile(path), catch: unusable(path) }).pipe(
    Effect.flatMap((bytes) =>
      Effect.try({
        try: () => digested(bytes),
        catch: unusable(path)
      })
    )
  )

/** Its encoder is made once, however many services this process starts one after another. */
let loading: Promise<Exit.Exit<Encoder, EmbeddingTableUnusable>> | undefined
const loaded = Effect.flatten(Effect.promise(() => (loading ??= Effect.runPromiseExit(load(file)))))

/** Vectors by the table that comes with the service. */
export const layer = Layer.effect(
  Given,
  Effect.map(Embeddings, (encoder) => ({ encoder }))
).pipe(Layer.provideMerge(Layer.effect(Embeddings, loaded)))

let needed: Encoder | undefined
const read = (): Encoder => {
  try {
    return digested(readFileSync(file))
  } catch (cause) {
    throw unusable(file)(cause)
  }
}

/** The same for who may do without: the table is read when a vector is first made, which throws where it can't be used. */
export const whenNeeded = Layer.succeed(Given, {
  get encoder() {
    needed ??= read()
    return needed
  }
})
