import { join, resolve } from "node:path"
import type { PgClient } from "@effect/sql-pg"
import { Effect, Layer, type Redacted } from "effect"
import { erasures } from "#domain/erasures.ts"
import type { DomainEvent } from "#domain/events.ts"
import { bankDigest, tableDigest } from "#domain/search/embeddings/tableDigest.ts"
import { schemaOf } from "#engine/Projection.ts"
import { Bounds } from "#engine/ports/Bounds.ts"
import type { EventStore } from "#engine/ports/EventStore.ts"
import { react } from "#engine/react.ts"
import { erased, finishErasures } from "#engine/texts.ts"
import * as KurrentAudit from "#infra/kurrent/audit.ts"
import * as KurrentSource from "#infra/kurrent/copy/source.ts"
import { ownLog } from "#infra/kurrent/ownLog.ts"
import * as KurrentTexts from "#infra/kurrent/texts.ts"
import * as Postgres from "#infra/postgres/client.ts"
import { finished } from "#infra/postgres/copy/finished.ts"
import * as PostgresIntake from "#infra/postgres/copy/intake.ts"
import * as PostgresSource from "#infra/postgres/copy/source.ts"
import * as PostgresInstallation from "#infra/postgres/installation.ts"
import * as PostgresAudit from "#infra/postgres/log/audit.ts"
import * as PostgresEventStore from "#infra/postgres/log/layer.ts"
import * as PostgresRequestCounts from "#infra/postgres/requestCounts.ts"
import * as MemoryRequestCounts from "#infra/requestCounts/layer.ts"
import * as HttpEmbeddings from "#infra/search/embeddings/HttpEmbeddings.ts"
import * as MemorySnippetIndex from "#infra/search/memory/layer.ts"
import * as ThreadSnippetIndex from "#infra/search/thread/layer.ts"
import type { LogAudit } from "#ports/LogAudit.ts"
import type { LogEngine } from "#ports/LogCopy.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import type { Config } from "./config.ts"
import { Disks, nearlyFull } from "./disks.ts"
import { passesByItself } from "./reaction.ts"
import type { SearchThreadData } from "./searchThread.ts"
import { ByModel } from "./snippets/embedding/ByModel.ts"
import { indexed } from "./snippets/embedding/fill.ts"

/** Where a service keeps what it has: what an operator chooses by environment variables. */
export interface StorageConfig
  extends LogConfig,
    Pick<Config, "dataDir" | "databaseUrl">,
    Partial<Pick<Config, "databaseCa" | "databaseConnections">> {}

/** Where the log is, if not in the database. */
export type LogConfig = Partial<Pick<Config, "kurrentdbUrl">>

const day = 86_400
/**
 * Streams that grow with use, and on which nothing is decided. Longer than their texts, which go after 90 days by what
 * is read of them.
 */
const maxAges = ["usage-", "retrieval-"].map((streams) => ({ streams, seconds: 400 * day }))

/** The log: in KurrentDB where one is named, else in the database. One that is still being copied is nobody's. */
export const eventStore = ({ kurrentdbUrl }: LogConfig) =>
  (kurrentdbUrl === undefined
    ? Layer.merge(PostgresEventStore.layer, Layer.effectDiscard(ownLog))
    : Layer.unwrap(
        // with its native half it takes time and memory, which nobody else is to spend
        Effect.map(
          Effect.promise(() => import("#infra/kurrent/store.ts")),
          (KurrentEventStore) => KurrentEventStore.layer(kurrentdbUrl, maxAges)
        )
      )
  ).pipe(Layer.provide(Layer.effectDiscard(finished)))

/** Which engine has the log. */
export const engineOf = ({ kurrentdbUrl }: LogConfig): LogEngine =>
  kurrentdbUrl === undefined ? "postgres" : "kurrentdb"

/** The log as a copy is read from it. */
export const logSource = (config: LogConfig) =>
  engineOf(config) === "postgres" ? PostgresSource.layer : KurrentSource.layer

/** What takes a copy in, of a log in `from`, and what it has become; on a database that was made the copy. */
export const logIntake = ({ kurrentdbUrl }: LogConfig, from: LogEngine) =>
  kurrentdbUrl === undefined
    ? Layer.merge(PostgresIntake.layer(from), Layer.provideMerge(PostgresSource.layer, PostgresEventStore.layer))
    : Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("#infra/kurrent/copy/target.ts")),
          (KurrentTarget) => KurrentTarget.layer(kurrentdbUrl, maxAges)
        )
      )

/** Refuses, before anything is written anywhere, a KurrentDB that has another log. */
export const lookAtIntake = ({ kurrentdbUrl }: LogConfig) =>
  kurrentdbUrl === undefined
    ? Effect.void
    : Effect.flatMap(
        Effect.promise(() => import("#infra/kurrent/copy/target.ts")),
        (KurrentTarget) => KurrentTarget.look(kurrentdbUrl)
      )

/** What can be seen of it from below. */
export const logAudit = (config: LogConfig): Layer.Layer<LogAudit, never, EventStore | PgClient.PgClient> =>
  config.kurrentdbUrl === undefined ? PostgresAudit.layer : KurrentAudit.layer(maxAges)

/** The log's texts lie elsewhere: what an erasure that was stopped has left is done later. */
export const erasing = ({ kurrentdbUrl }: LogConfig) =>
  kurrentdbUrl === undefined
    ? Layer.empty
    : Layer.effectDiscard(react([finishErasures<DomainEvent>(erasures)], passesByItself)).pipe(
        Layer.provide(KurrentTexts.layer)
      )

/** The same for who can't wait for it. */
export const erasedAtOnce = ({ kurrentdbUrl }: LogConfig) =>
  kurrentdbUrl === undefined ? Layer.empty : Layer.provide(erased<DomainEvent>(erasures), KurrentTexts.layer)

/**
 * One call to append, and so one page, is to fit into what a server takes at once (1 MiB, by default), with what stands
 * beside its events.
 */
export const bounded = <A, E, R>({ kurrentdbUrl }: LogConfig, layer: Layer.Layer<A, E, R>) =>
  kurrentdbUrl === undefined
    ? layer
    : Layer.provide(
        layer,
        Layer.effect(
          Bounds,
          Effect.map(Bounds, ({ count, bytes }) => ({ count, bytes: Math.min(bytes, 512 * 1024) }))
        )
      )

/** A database of the operator's, which may be one that can't be used. */
export const named = (url: Redacted.Redacted, { databaseCa, databaseConnections }: StorageConfig) =>
  Postgres.layerOn(url, { ca: databaseCa, connections: databaseConnections })

/** In this process, unless others may be on the same database. */
export const requestCounts = ({ databaseUrl }: Pick<Config, "databaseUrl">) =>
  databaseUrl === undefined ? MemoryRequestCounts.layer : PostgresRequestCounts.layer

/** Where the index in memory is kept, beside what has to be kept: it is made anew where it is not there. */
const folderOf = ({ dataDir }: Pick<Config, "dataDir">) => join(resolve(dataDir), "search")

/** By which rules the catalogue's rows are made. */
const rules = `${schemaOf(Snippets)} ${tableDigest} ${bankDigest}`

/** The catalogue's index in memory, kept on the disk; in a thread where that is asked for. */
const kept = (config: Pick<Config, "dataDir" | "searchThread">) =>
  Layer.unwrap(
    Effect.map(Disks, (disks) => {
      const isFull = () => nearlyFull(disks()).includes("data")
      const options = { directory: folderOf(config), rules, isFull }
      return config.searchThread
        ? ThreadSnippetIndex.layerKept(searchThread, options)
        : MemorySnippetIndex.layerKept(options)
    })
  ).pipe(Layer.provide(PostgresInstallation.layer))

const searchThread = new URL("./searchThread.ts", import.meta.url)

/** What another index than the one in memory does not follow must not stay: it has what may be erased. */
const forgotten = (config: Pick<Config, "dataDir">) => Layer.effectDiscard(MemorySnippetIndex.forget(folderOf(config)))

/** An index in memory of vectors that have so many numbers, in a thread where that is asked for. */
const inMemory = (config: Pick<Config, "searchThread">, dimensions: number) => {
  const data: SearchThreadData = { dimensions }
  return config.searchThread ? ThreadSnippetIndex.layer(searchThread, data) : MemorySnippetIndex.layerOf(dimensions)
}

/** What of the index can be read before there is a log. */
export const earlyIndex = ({
  elasticsearch,
  searchThread,
  ...config
}: Pick<Config, "dataDir" | "elasticsearch" | "searchThread">) =>
  elasticsearch !== undefined || searchThread
    ? Layer.empty
    : MemorySnippetIndex.readEarly({ directory: folderOf(config), rules })

/** In memory, or in Elasticsearch, whose client is loaded by those alone who use it. */
export const snippetIndex = ({ elasticsearch, ...config }: Config) =>
  elasticsearch === undefined
    ? kept(config)
    : Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("#infra/search/elastic/layer.ts")),
          (ElasticSnippetIndex) => ElasticSnippetIndex.layer(elasticsearch)
        )
      ).pipe(Layer.provide(PostgresInstallation.layer), Layer.provideMerge(forgotten(config)))

/** The embedding model that is named, if any, with an index of its own beside the table's. */
export const embeddingModel = ({ embeddings, ...config }: Pick<Config, "embeddings" | "searchThread">) =>
  embeddings === undefined
    ? ByModel.none
    : ByModel.layer(embeddings).pipe(
        Layer.provide(Layer.merge(inMemory(config, indexed(embeddings.dimensions)), HttpEmbeddings.layer(embeddings)))
      )
