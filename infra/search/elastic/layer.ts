import { createHash } from "node:crypto"
import { Effect, Layer, Semaphore } from "effect"
import { EventStore } from "#engine/ports/EventStore.ts"
import type { ElasticsearchSettings } from "#ports/ElasticsearchSettings.ts"
import { Embeddings } from "#ports/Embeddings.ts"
import type { EngineUnusable } from "#ports/EngineUnusable.ts"
import type { NotOurs } from "#ports/Hold.ts"
import { Installation } from "#ports/Installation.ts"
import { IndexUnavailable, SnippetIndex } from "#ports/SnippetIndex.ts"
import { candidatesOf, type FrequenciesAnswer, frequenciesIn, nothing } from "./answer.ts"
import { connect, type Engine, patience } from "./Engine.ts"
import { makeEditions } from "./editions.ts"
import { makeExpunge } from "./expunge.ts"
import { makeFeed } from "./feed.ts"
import { frequenciesOf, questionOf, type Scope } from "./question.ts"
import { refreshed as refreshIndex } from "./refreshed.ts"
import { askTogether } from "./together.ts"
import { makeUnite } from "./unite.ts"

/**
 * What an index says about whose it is, without telling the secret. If the log was moved to where positions differ, an
 * index that was filled before is another log's: its checkpoint and its documents' versions are positions.
 */
const nameOf = ({ secret, positions }: Installation["Service"]) =>
  createHash("sha256")
    .update(`snippet index of ${secret}${positions === undefined ? "" : ` in ${positions}`}`)
    .digest("hex")
    .slice(0, 32)

/**
 * Identifies the cluster, whatever its address. If the cluster does not tell, as when it is just shutting down, only
 * the index's name tells processes that they share one.
 */
const clusterOf = ({ ask }: Engine) =>
  ask<{ readonly cluster_uuid?: string }>({
    method: "GET",
    path: "/_cluster/state/version",
    query: { filter_path: "cluster_uuid" },
    within: patience.search
  }).pipe(
    Effect.map(({ body }) => body.cluster_uuid ?? ""),
    Effect.orElseSucceed(() => "")
  )

/**
 * The index in Elasticsearch. It finds what is likely, and tells what ranking needs to know of the scope;
 * `domain/search` alone makes the score. It keeps what it has, and any number of processes may use it.
 */
export const layer = (
  settings: ElasticsearchSettings
): Layer.Layer<SnippetIndex, EngineUnusable | NotOurs, Embeddings | EventStore | Installation> =>
  Layer.effect(
    SnippetIndex,
    Effect.gen(function* () {
      const { dimensions } = yield* Embeddings
      const installation = nameOf(yield* Installation)
      const { eventAt } = yield* EventStore
      const engine = yield* connect(settings)
      const alias = settings.index
      const editions = makeEditions(engine, { alias, installation, dimensions })
      yield* Effect.catchTag(editions.lookFirst, "IndexUnavailable", ({ fault }) => Effect.logWarning(fault))
      const cluster = yield* clusterOf(engine)
      const erased = yield* makeExpunge(engine, alias)
      const wrote = yield* makeUnite(engine, alias)

      let writes = 0
      let refreshed = 0
      const refreshing = yield* Semaphore.make(1)
      /**
       * Makes what was written visible to searches. Callers that come while a refresh is under way share the next one.
       * `false`: the node that was asked knows no index; another node may know one, which was not refreshed.
       */
      const refresh = Effect.suspend(() => {
        const wanted = writes
        if (refreshed >= wanted) return Effect.succeed(true)
        return Effect.gen(function* () {
          if (refreshed >= wanted) return true
          const now = writes
          const isThere = yield* refreshIndex(engine.ask, alias, patience.search)
          if (isThere) refreshed = now
          return isThere
        }).pipe(refreshing.withPermits(1))
      })
      const written = Effect.sync(() => {
        writes++
      })

      const gone = Effect.suspend(
        () => new IndexUnavailable({ fault: `there is no index ${alias} in Elasticsearch any more` })
      )

      const count = Effect.fnUntraced(function* (scope: Scope, terms: ReadonlyArray<string>) {
        if (yield* refresh) {
          const { status, body } = yield* engine.ask<FrequenciesAnswer>({
            method: "POST",
            path: `/${alias}/_search`,
            query: { allow_partial_search_results: false },
            body: frequenciesOf(scope, terms),
            within: patience.search
          })
          if (status !== 404) return frequenciesIn(body)
        }
        if (!feed.hasBegun()) return terms.map(() => 0)
        return yield* gone
      })

      const feed = makeFeed({ engine, editions, dimensions, erased, wrote, eventAt })
      const one = yield* Semaphore.make(1)
      return SnippetIndex.of({
        // a call that was broken off may have written, too, and so may another process before this one asks
        apply: (changes, upTo) => feed.apply(changes, upTo).pipe(Effect.ensuring(written), one.withPermits(1)),
        stand: Effect.ensuring(feed.stand, written),
        sharedAs: `${cluster} ${editions.family}`,
        candidates: Effect.fnUntraced(function* (query, most) {
          if (query.homes.length === 0 && !query.includePublic) return nothing(query.asked)
          if (yield* refresh) {
            const answers = yield* askTogether(engine, alias, questionOf(query, most))
            if (answers !== undefined) return candidatesOf(query, answers, most)
          }
          if (!feed.hasBegun()) return nothing(query.asked)
          return yield* gone
        }),
        frequencies: (scope, terms) => {
          const isEmpty = terms.length === 0 || (scope.homes.length === 0 && !scope.includePublic)
          return isEmpty ? Effect.succeed(terms.map(() => 0)) : count(scope, terms)
        }
      })
    })
  )
