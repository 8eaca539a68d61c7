import { createHash } from "node:crypto"
import { Cause, Effect, PubSub } from "effect"
import { SqlClient } from "effect/sql"
import { contentOf } from "#domain/search/embeddings/content.ts"
import { type Vector, vectorToText } from "#domain/search/embeddings/vector.ts"
import { beginningOf } from "#domain/text/beginningOf.ts"
import { schemaOf } from "#engine/Projection.ts"
import { whileMine } from "#engine/ports/Claims.ts"
import { Projector } from "#engine/project.ts"
import { EmbeddingFailed, EmbeddingModel } from "#ports/EmbeddingModel.ts"
import { embeddedAmong, keepEmbedded, keepOnly, type ToEmbed, toEmbed } from "#projections/Snippets/embedded.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import type { Outage } from "./Outage.ts"

/** Snippets that are embedded at once: that many texts are in memory. */
const rows = 64
/** Milliseconds until the next try, after a fault that passes and after one that somebody has to mend. */
const pauses = { passing: 2_000, other: 30_000 } as const
/** Characters that the model is given of a text whose whole is too long for it. */
const shorter = 1_000
/** A text that any model can take. */
const plain = "text"

/** How many numbers the index's vectors have: a multiple of four. Zeros change no cosine. */
export const indexed = (dimensions: number): number => Math.ceil(dimensions / 4) * 4
/** A vector, filled up with zeros to the index's width. */
export const padded = (vector: Vector): Vector => {
  const wide = new Float32Array(indexed(vector.length))
  wide.set(vector)
  return wide
}

const digestOf = (text: string) => createHash("sha256").update(text).digest("base64url")

/**
 * The vector of a text or, if the text is too long for the model, of its beginning. `undefined`: the model takes
 * neither, though it takes other texts.
 */
const alone = Effect.fnUntraced(function* (text: string) {
  const model = yield* EmbeddingModel
  for (const some of [text, beginningOf(text, shorter)]) {
    const made = yield* model.documents([some]).pipe(
      Effect.map(([vector]) => vector),
      Effect.catchIf(
        ({ byTexts }) => byTexts,
        () => Effect.undefined
      )
    )
    if (made !== undefined) return made
  }
  // if the server takes nothing at all, this fails: the text is not the cause
  yield* model.documents([plain])
  return undefined
})

const vectorsOf = Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
  const model = yield* EmbeddingModel
  return yield* Effect.catchIf(
    model.documents(texts) as Effect.Effect<ReadonlyArray<Vector | undefined>, EmbeddingFailed>,
    ({ byTexts }) => byTexts,
    () => Effect.forEach(texts, alone)
  )
})

/** Embeds the contents of some snippets, each once, and keeps the vectors. */
const embed = Effect.fnUntraced(function* (snippets: ReadonlyArray<ToEmbed>) {
  const { name } = yield* EmbeddingModel
  const texts = new Map<string, string>()
  const some = snippets.map(({ id, changed, ...content }) => {
    const text = contentOf(content)
    const digest = digestOf(text)
    texts.set(digest, text)
    return { id, changed, digest }
  })
  const known = yield* embeddedAmong(name, [...texts.keys()])
  const lacking = [...texts].filter(([digest]) => !known.has(digest))
  const said = lacking.filter(([, text]) => text !== "")
  const made = said.length === 0 ? [] : yield* vectorsOf(said.map(([, text]) => text))
  const vectors = new Map(said.map(([digest], at) => [digest, made[at]]))
  const kept = lacking.map(([digest]) => {
    const vector = vectors.get(digest)
    return { digest, vector: vector === undefined ? "" : vectorToText(padded(vector)) }
  })
  yield* keepEmbedded(name, some, kept)
})

/**
 * Embeds all that the catalogue has, and goes on with what comes, in one process at a time. `position` is how far the
 * model's own index is. Once everything has been embedded for the first time, the vectors of other models are dropped.
 */
export const fill = Effect.fnUntraced(function* (outage: Outage, position: Effect.Effect<number>) {
  const model = yield* EmbeddingModel
  const sql = yield* SqlClient.SqlClient
  const projector = yield* Projector
  const name = schemaOf(Snippets)
  const work = Effect.gen(function* () {
    const moves = yield* PubSub.subscribe(projector.moved)
    let at = 0
    let isWhole = false
    const step = Effect.gen(function* () {
      // an index that begins anew, for another build of the catalogue, may lack vectors of rows that are already passed
      at = Math.min(at, yield* position)
      for (;;) {
        const { last, lacking } = yield* toEmbed(model.name, at, rows)
        if (last === undefined) break
        if (lacking.length > 0) {
          yield* embed(lacking)
          yield* outage.ends
        }
        at = last
      }
      if (!isWhole) yield* keepOnly(model.name)
      isWhole = true
    })
    const failed = (cause: Cause.Cause<unknown>): Effect.Effect<void> => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
      const error = Cause.squash(cause)
      if (!(error instanceof EmbeddingFailed))
        return Effect.andThen(outage.begins("the store of vectors can't be used"), Effect.sleep(pauses.passing))
      const pause = error.pause ?? (error.passes ? pauses.passing : pauses.other)
      return Effect.andThen(outage.begins(error.told), Effect.sleep(pause))
    }
    const moved = Effect.timeoutOption(
      Effect.repeat(PubSub.takeAll(moves), { until: (names) => names.includes(name) }),
      "1 second"
    )
    return yield* Effect.forever(
      Effect.matchCauseEffect(step, { onFailure: failed, onSuccess: () => Effect.asVoid(moved) })
    )
  }).pipe(Effect.scoped, Effect.provideService(SqlClient.SqlClient, sql))
  return yield* whileMine(`embeddings ${model.name}`, () => work)
})
