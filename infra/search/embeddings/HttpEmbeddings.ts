import { createHash } from "node:crypto"
import { Effect, Layer, Redacted, Schedule } from "effect"
import type { Vector } from "#domain/search/embeddings/vector.ts"
import { EmbeddingFailed, EmbeddingModel } from "#ports/EmbeddingModel.ts"
import type { EmbeddingSettings } from "#ports/EmbeddingSettings.ts"
import { AnswerTooLarge, boundedFetch, Silent } from "../../models/bounded.ts"
import { vectorsIn } from "./answer.ts"

/** Numbers of all vectors in one answer. Its JSON is read in one go: a millisecond for some ten thousand. */
const mostNumbers = 32_768
const mostTexts = 32
/** Bytes of one number in JSON at most, and of all that stands around the numbers. */
const numberBytes = 32
const aroundBytes = 65_536
/** Milliseconds without a byte after which an answer is given up, and milliseconds that it may take in all. */
const silence = 20_000
const patience = 60_000
const tries = 3
const longestPause = 60_000

/** Raised when something else of a snippet is embedded. */
const contentVersion = 1

/** Tells a model's vectors from others': by what it is called, its dimensions, and what goes before a text. */
const nameOf = ({ model, dimensions, prefixes: { document } }: EmbeddingSettings): string =>
  createHash("sha256")
    .update(JSON.stringify([contentVersion, model, dimensions, document]))
    .digest("hex")
    .slice(0, 32)

/** What `Retry-After` says, in milliseconds. */
const pauseIn = (header: string | null): number | undefined =>
  header !== null && /^\d{1,6}$/.test(header) ? Math.min(Number(header) * 1_000, longestPause) : undefined

/** Statuses that may be due to the texts: the server finds them malformed, too large, or can't process them. */
const ofTexts = [400, 413, 422]

interface Fault {
  readonly fault: EmbeddingFailed["fault"]
  readonly told: string
  readonly passes?: boolean
  readonly byTexts?: boolean
  readonly pause?: number | undefined
}

/**
 * A model behind `/v1/embeddings`, as published by OpenAI and spoken by many servers. Nothing reads the wording of its
 * answers: it may quote what was embedded.
 */
export const layer = (settings: EmbeddingSettings, quiet = silence) =>
  Layer.sync(EmbeddingModel, () => {
    const { url, model, apiKey, dimensions, prefixes } = settings
    const where = `the embeddings server at ${new URL(url).host} (CAIRN_EMBEDDINGS_URL)`
    const atOnce = Math.max(1, Math.min(mostTexts, Math.floor(mostNumbers / dimensions)))
    /** Whether requests tell the dimensions: models that can make shorter vectors need it; others refuse it. */
    let tells = false

    const failed = ({ fault, told, passes = false, byTexts = false, pause }: Fault) =>
      new EmbeddingFailed({
        fault,
        told: `${where} ${told}`,
        passes,
        byTexts,
        ...(pause === undefined ? {} : { pause })
      })

    const ofStatus = (status: number, retryAfter: string | null): EmbeddingFailed => {
      if (status >= 300 && status < 400)
        return failed({ fault: "redirected", told: `leads elsewhere (${status}), where nothing is sent` })
      const isKey = status === 401 || status === 403
      return failed({
        fault: "refused",
        told: `answered ${status}${isKey ? ": look at CAIRN_EMBEDDINGS_API_KEY" : ""}`,
        passes: status === 408 || status === 429 || status >= 500,
        byTexts: ofTexts.includes(status),
        pause: pauseIn(retryAfter)
      })
    }

    const read = (text: string, count: number): ReadonlyArray<Vector> | EmbeddingFailed => {
      const found = vectorsIn(text, count, dimensions)
      if (typeof found !== "string") return found
      const told = {
        malformed: "gave an answer that is none of /v1/embeddings",
        "wrong-dimensions": `made vectors that have not ${dimensions} numbers (CAIRN_EMBEDDINGS_DIMENSIONS)`,
        "not-finite": "made vectors of what are no numbers"
      } as const
      return failed({ fault: found, told: told[found as keyof typeof told] })
    }

    const ask = (texts: ReadonlyArray<string>, tells: boolean) =>
      Effect.tryPromise({
        try: async (signal) => {
          const most = texts.length * dimensions * numberBytes + aroundBytes
          const response = await boundedFetch(quiet, most)(`${url}/embeddings`, {
            method: "POST",
            headers: {
              "content-type": "application/json",
              ...(apiKey === undefined ? {} : { authorization: `Bearer ${Redacted.value(apiKey)}` })
            },
            body: JSON.stringify({ model, input: texts, encoding_format: "float", ...(tells ? { dimensions } : {}) }),
            // the key and the texts go to no other server
            redirect: "manual",
            signal
          })
          if (response.status !== 200) {
            void response.body?.cancel().catch(() => undefined)
            return ofStatus(response.status, response.headers.get("retry-after"))
          }
          return read(await response.text(), texts.length)
        },
        catch: (error) => {
          if (error instanceof AnswerTooLarge)
            return failed({ fault: "too-large", told: "said more than vectors take" })
          return error instanceof Silent
            ? failed({ fault: "late", told: "fell silent", passes: true })
            : failed({ fault: "unreachable", told: "can't be reached", passes: true })
        }
      }).pipe(
        Effect.flatMap((found) => (found instanceof EmbeddingFailed ? Effect.fail(found) : Effect.succeed(found))),
        Effect.timeoutOrElse({
          duration: patience,
          orElse: () => Effect.fail(failed({ fault: "late", told: "did not answer in time", passes: true }))
        })
      )

    const askOnce = (texts: ReadonlyArray<string>) =>
      Effect.suspend(() => {
        // another request may have found out meanwhile
        if (tells) return ask(texts, true)
        return Effect.catchIf(
          ask(texts, false),
          ({ fault }) => fault === "wrong-dimensions",
          (wrong) =>
            ask(texts, true).pipe(
              Effect.tap(
                Effect.sync(() => {
                  tells = true
                })
              ),
              // a model that can't be told refuses the field: not the texts' fault
              Effect.catchIf(
                ({ byTexts }) => byTexts,
                () => Effect.fail(wrong)
              )
            )
        )
      })

    const inBatches = (
      texts: ReadonlyArray<string>,
      askFor: (some: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Vector>, EmbeddingFailed>
    ) =>
      Effect.map(
        Effect.forEach(
          Array.from({ length: Math.ceil(texts.length / atOnce) }, (_, at) =>
            texts.slice(at * atOnce, (at + 1) * atOnce)
          ),
          askFor
        ),
        (batches) => batches.flat()
      )

    const again = Schedule.exponential("500 millis")
    return EmbeddingModel.of({
      name: nameOf(settings),
      dimensions,
      documents: (texts) =>
        inBatches(
          texts.map((text) => prefixes.document + text),
          (some) =>
            Effect.retry(askOnce(some), {
              // if the server says when to come again, the caller waits for that and asks again
              while: ({ passes, pause }) => passes && pause === undefined,
              times: tries - 1,
              schedule: again
            })
        ),
      queries: (texts) =>
        inBatches(
          texts.map((text) => prefixes.query + text),
          askOnce
        )
    })
  })
