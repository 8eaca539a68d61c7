import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { Effect, type Exit, Layer } from "effect"
import { readTable } from "#domain/search/embeddings/EmbeddingTable.ts"
import { type Encoder, makeEncoder } from "#domain/search/embeddings/Encoder.ts"
import { hubOf, readBank } from "#domain/search/embeddings/HubBank.ts"
import { bankDigest, tableDigest } from "#domain/search/embeddings/tableDigest.ts"
import type { Vector } from "#domain/search/embeddings/vector.ts"
import { Given } from "#engine/Projection.ts"
import { Embeddings } from "#ports/Embeddings.ts"
import { makeKernel } from "../memory/kernel.ts"
import { EmbeddingTableUnusable } from "./EmbeddingTableUnusable.ts"
import { multiplying } from "./products.ts"

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** The files that come with the service: where they are, what they are called, and their digests. */
const files = {
  table: { path: fileOf("table.bin"), what: "table of embeddings", digest: tableDigest },
  bank: { path: fileOf("bank.bin"), what: "bank of docstrings", digest: bankDigest }
} as const
type File = keyof typeof files

const unusable = (file: File, path: string) => (cause: unknown) =>
  new EmbeddingTableUnusable({
    message: `The ${files[file].what} ${path} can't be used: ${cause instanceof Error ? cause.message : String(cause)}. It is part of the installation: restore it from the repository.`
  })

const checked = (file: File, bytes: Uint8Array): Uint8Array => {
  const { digest } = files[file]
  const found = createHash("sha256").update(bytes).digest("hex")
  if (found !== digest) throw new Error(`its SHA-256 is ${found}, and ${digest} was expected`)
  return bytes
}

/** A function that says how near a vector of length 1 is to a bank's. It compares all of them. */
const hubBy = (bytes: Uint8Array, dimensions: number): ((meaning: Vector) => number) => {
  const { vectors } = readBank(bytes, dimensions)
  const count = vectors.length / dimensions
  const [asked, compared] = [4 * dimensions, 4 * vectors.length]
  const memory = new WebAssembly.Memory({ initial: Math.ceil((asked + compared + 4 * count) / 65_536) })
  const kernel = makeKernel(dimensions, memory)
  new Float32Array(memory.buffer, asked, vectors.length).set(vectors)
  const query = new Float32Array(memory.buffer, 0, dimensions)
  const cosines = new Float32Array(memory.buffer, asked + compared, count)
  return (meaning) => {
    query.set(meaning)
    kernel.one(0, asked, asked + compared, asked + compared)
    return hubOf(cosines)
  }
}

/** The encoder made of both files' bytes. */
const digested = (read: (file: File) => Uint8Array, paths: { readonly [file in File]: string }): Encoder => {
  const of = <A>(file: File, make: (bytes: Uint8Array) => A): A => {
    try {
      return make(checked(file, read(file)))
    } catch (cause) {
      throw unusable(file, paths[file])(cause)
    }
  }
  const { table, products } = of("table", (bytes) => multiplying(readTable(bytes)))
  return makeEncoder(
    table,
    of("bank", (bytes) => hubBy(bytes, table.dimensions)),
    products
  )
}

const shipped = { table: files.table.path, bank: files.bank.path }

/** Reads a table and a bank. Refuses any but those whose vectors the read models hold. */
export const load = (paths: Partial<typeof shipped> = {}) => {
  const all = { ...shipped, ...paths }
  const bytesOf = (file: File) =>
    Effect.tryPromise({ try: () => readFile(all[file]), catch: unusable(file, all[file]) })
  return Effect.all({ table: bytesOf("table"), bank: bytesOf("bank") }).pipe(
    Effect.flatMap((bytes) =>
      Effect.try({
        try: () => digested((file) => bytes[file], all),
        catch: (refusal) => refusal as EmbeddingTableUnusable
      })
    )
  )
}

/** The encoder is made once, however many services this process starts one after another. */
let loading: Promise<Exit.Exit<Encoder, EmbeddingTableUnusable>> | undefined
const loaded = Effect.flatten(Effect.promise(() => (loading ??= Effect.runPromiseExit(load()))))

/** Vectors by the table that comes with the service. */
export const layer = Layer.effect(
  Given,
  Effect.map(Embeddings, (encoder) => ({ encoder }))
).pipe(Layer.provideMerge(Layer.effect(Embeddings, loaded)))

let needed: Encoder | undefined
const read = (): Encoder => digested((file) => readFileSync(files[file].path), shipped)

/** The same for callers that may not need it: the first vector reads the table, and throws if that can't be used. */
export const whenNeeded = Layer.succeed(Given, {
  get encoder() {
    needed ??= read()
    return needed
  }
})
