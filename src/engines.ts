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
import { erased, erasingBy, finishErasures } from "#engine/texts.ts"
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
import * as Codec from "./codec.ts"
import type { Config } from "./config/config.ts"
import { Disks, nearlyFull } from "./disks.ts"
import { passesByItself } from "./reaction.ts"
import type { SearchThreadData } from "./searchThread.ts"
import { ByModel } from "./snippets/embedding/ByModel.ts"
import { indexed } from "./snippets/embedding/fill.ts"

/** Where a service keeps its data, as an operator chooses by environment variables. */
export interface StorageConfig
  extends LogConfig,
    Pick<Config, "dataDir" | "databaseUrl">,
    Partial<Pick<Config, "databaseCa" | "databaseConnections">> {}

/** Where the log is, if it is not in the database. */
export type LogConfig = Partial<Pick<Config, "kurrentdbUrl">>

const day = 86_400
/**
 * Streams that grow with use, and on which nothing is decided. Longer than their texts, which go after 90 days by what
 * is read of them.
 */
const maxAges = ["usage-", "retrieval-"].map((streams) => ({ streams, seconds: 400 * day }))

/** The log: in KurrentDB if one is named, otherwise in the database. Refuses an unfinished copy. */
export const eventStore = ({ kurrentdbUrl }: LogConfig) =>
  (kurrentdbUrl === undefined
    ? Layer.merge(PostgresEventStore.layer, Layer.effectDiscard(ownLog))
    : Layer.unwrap(
        // loaded only if it is used: its native half takes time and memory
        Effect.map(
          Effect.promise(() => import("#infra/kurrent/store.ts")),
          (KurrentEventStore) => KurrentEventStore.layer(kurrentdbUrl, maxAges, erasingBy(Codec, erasures))
        )
      )
  ).pipe(Layer.provide(Layer.effectDiscard(finished)))

/** Which engine has the log. */
export const engineOf = ({ kurrentdbUrl }: LogConfig): LogEngine =>
  kurrentdbUrl === undefined ? "postgres" : "kurrentdb"

/** The log as the source of a copy. */
export const logSource = (config: LogConfig) =>
  engineOf(config) === "postgres" ? PostgresSource.layer : KurrentSource.layer

/** Takes in a copy of a log that `from` has, and reads what it has become; on the copy's database. */
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

/** What can be seen of the log from below. */
export const logAudit = (config: LogConfig): Layer.Layer<LogAudit, never, EventStore | PgClient.PgClient> =>
  config.kurrentdbUrl === undefined ? PostgresAudit.layer : KurrentAudit.layer(maxAges)

/** For a log whose texts lie elsewhere: finishes later what a broken-off erasure left undone. */
export const erasing = ({ kurrentdbUrl }: LogConfig) =>
  kurrentdbUrl === undefined
    ? Layer.empty
    : Layer.effectDiscard(react([finishErasures<DomainEvent>(erasures)], passesByItself)).pipe(
        Layer.provide(KurrentTexts.layer)
      )

/** The same for callers that can't wait: does every such erasure at once. */
export const erasedAtOnce = ({ kurrentdbUrl }: LogConfig) =>
  kurrentdbUrl === undefined ? Layer.empty : Layer.provide(erased<DomainEvent>(erasures), KurrentTexts.layer)

/**
 * Bounds one call to append, and so one page, so that it fits into what a server takes at once (1 MiB, by default),
 * with what stands beside its events.
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

/** A database that the operator named, and that may turn out to be unusable. */
export const named = (url: Redacted.Redacted, { databaseCa, databaseConnections }: StorageConfig) =>
  Postgres.layerOn(url, { ca: databaseCa, connections: databaseConnections })

/** Counts requests in this process, unless others may be on the same database. */
export const requestCounts = ({ databaseUrl }: Pick<Config, "databaseUrl">) =>
  databaseUrl === undefined ? MemoryRequestCounts.layer : PostgresRequestCounts.layer

/** The folder of the snapshot of the index in memory. It may be lost: then the index is made anew. */
const folderOf = ({ dataDir }: Pick<Config, "dataDir">) => join(resolve(dataDir), "search")

/** The rules by which the catalogue's rows are made. */
const rules = `${schemaOf(Snippets)} ${tableDigest} ${bankDigest}`

/** The catalogue's index in memory, kept on the disk; in a thread if that is asked for. */
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

/** Removes the snapshot while another index is used: what is erased then would stay in it. */
const forgotten = (config: Pick<Config, "dataDir">) => Layer.effectDiscard(MemorySnippetIndex.forget(folderOf(config)))

/** An index in memory of vectors with that many numbers; in a thread if that is asked for. */
const inMemory = (config: Pick<Config, "searchThread">, dimensions: number) => {
  const data: SearchThreadData = { dimensions }
  return config.searchThread ? ThreadSnippetIndex.layer(searchThread, data) : MemorySnippetIndex.layerOf(dimensions)
}

/** Reads the part of the index that can be read before there is a log. */
export const earlyIndex = ({
  elasticsearch,
  searchThread,
  ...config
}: Pick<Config, "dataDir" | "elasticsearch" | "searchThread">) =>
  elasticsearch !== undefined || searchThread
    ? Layer.empty
    : MemorySnippetIndex.readEarly({ directory: folderOf(config), rules })

/** The snippet index: in memory, or in Elasticsearch, whose client is loaded only if it is used. */
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
