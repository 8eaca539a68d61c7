import { Context } from "effect"
import { OpenApi } from "effect/http-api"

/** What a route reads of a body. */
export interface Limits {
  readonly bytes: number
  /** Values of any kind, in arrays and objects too. */
  readonly values: number
  /**
   * Named fields, in all objects; as many as values unless told. They cost some ten times as much as an array's
   * entries.
   */
  readonly names?: number
}

const kibibyte = 1024
const mebibyte = 1024 * kibibyte

/** Ids, names and short texts. */
export const small: Limits = { bytes: 64 * kibibyte, values: 1_000 }
/** A text of 100,000 characters, however they are written in JSON. */
export const oneText: Limits = { bytes: mebibyte, values: 2_000 }
/** A file of 1 MiB, or a task of any length. */
export const oneFile: Limits = { bytes: 8 * mebibyte, values: 20_000 }
/** What a run took and gave: 1 MiB of JSON of any shape. */
export const oneRun: Limits = { bytes: 8 * mebibyte, values: 50_000, names: 10_000 }
/** Many files. */
export const manyFiles: Limits = { bytes: 32 * mebibyte, values: 20_000 }

/** What is nested deeper is no request, and walking it would take the stack of whoever reads it. */
export const deepest = 200

/** A file as it is, of any kind. */
export const rawFile: Limits = { bytes: 32 * mebibyte, values: 1 }

/** An archive as it is. */
export const rawArchive: Limits = { bytes: 32 * mebibyte, values: 1 }

/** Whether the route of an endpoint takes bytes of any type as they are, and no JSON. */
export const RawBody = Context.Reference<boolean>("cairn/RawBody", { defaultValue: () => false })

/** What the route of an endpoint reads. */
export const BodyLimits = Context.Reference<Limits>("cairn/BodyLimits", { defaultValue: () => small })

/** Bytes in words, e.g. `64 KiB`. */
export const sizeOf = (bytes: number): string =>
  bytes >= mebibyte ? `${bytes / mebibyte} MiB` : `${bytes / kibibyte} KiB`

/** Where an operation of the document has its limits, until its description says them. */
export const limitsKey = "x-body-limits"
/** Where it says that its body is no JSON, until then. */
export const rawKey = "x-raw-body"

/** Annotates an endpoint with what it reads, where that is not the little that most take. */
export const reads = (limits: Limits): Context.Context<never> =>
  Context.merge(
    Context.make(BodyLimits, limits),
    OpenApi.annotations({ transform: (operation) => ({ ...operation, [limitsKey]: limits }) })
  ) as Context.Context<never>

/** Annotates an endpoint that takes bytes as they are; unless they are `needed`, none are an empty file. */
export const readsRaw = (limits: Limits, needed: boolean): Context.Context<never> =>
  Context.merge(
    Context.make(BodyLimits, limits).pipe(Context.add(RawBody, true)),
    OpenApi.annotations({ transform: (operation) => ({ ...operation, [limitsKey]: limits, [rawKey]: { needed } }) })
  ) as Context.Context<never>
