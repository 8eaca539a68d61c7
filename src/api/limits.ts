import { Context } from "effect"
import { OpenApi } from "effect/http-api"

/** How much of a body a route reads. */
export interface Limits {
  readonly bytes: number
  /** Values of any kind, in arrays and objects too. */
  readonly values: number
  /** Named fields of all objects; defaults to `values`. A field costs some ten times as much as an array's entry. */
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

/** The deepest nesting of a body: no request needs more, and walking it would take the reader's stack. */
export const deepest = 200

/** A raw file of any kind. */
export const rawFile: Limits = { bytes: 32 * mebibyte, values: 1 }

/** A raw archive. */
export const rawArchive: Limits = { bytes: 32 * mebibyte, values: 1 }

/** Whether an endpoint takes raw bytes of any type, and no JSON. */
export const RawBody = Context.Reference<boolean>("cairn/RawBody", { defaultValue: () => false })

/** How much of a body an endpoint reads. */
export const BodyLimits = Context.Reference<Limits>("cairn/BodyLimits", { defaultValue: () => small })

/** Bytes in words, e.g. `64 KiB`. */
export const sizeOf = (bytes: number): string =>
  bytes >= mebibyte ? `${bytes / mebibyte} MiB` : `${bytes / kibibyte} KiB`

/** The field of an operation in the document that has its limits, until its description says them. */
export const limitsKey = "x-body-limits"
/** The field that says, until then, that an operation's body is not JSON. */
export const rawKey = "x-raw-body"

/** Annotates an endpoint with its limits, where they are not `small`. */
export const reads = (limits: Limits): Context.Context<never> =>
  Context.merge(
    Context.make(BodyLimits, limits),
    OpenApi.annotations({ transform: (operation) => ({ ...operation, [limitsKey]: limits }) })
  ) as Context.Context<never>

/** Annotates an endpoint that takes raw bytes. If they are not `needed`, no body means an empty file. */
export const readsRaw = (limits: Limits, needed: boolean): Context.Context<never> =>
  Context.merge(
    Context.make(BodyLimits, limits).pipe(Context.add(RawBody, true)),
    OpenApi.annotations({ transform: (operation) => ({ ...operation, [limitsKey]: limits, [rawKey]: { needed } }) })
  ) as Context.Context<never>
