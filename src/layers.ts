import { resolve } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { Asker, ReadPatience } from "#engine/ask.ts"
import { Dispatcher } from "#engine/dispatch.ts"
import { LeftOut } from "#engine/leftOut.ts"
import { Projector } from "#engine/project.ts"
import { Reacting } from "#engine/reacting.ts"
import * as Retire from "#engine/retire.ts"
import { Tail } from "#engine/tail.ts"
import * as SecretRules from "#infra/analysis/secretRules/layer.ts"
import * as TreeSitterAnalysis from "#infra/analysis/treeSitter/layer.ts"
import * as Archives from "#infra/archives/layer.ts"
import * as BackupArchives from "#infra/backup/archives.ts"
import * as SystemDiskSpace from "#infra/diskSpace.ts"
import * as GitCopy from "#infra/git/copy/layer.ts"
import * as GitCheck from "#infra/git/native/check.ts"
import { anyVersion, findGit } from "#infra/git/native/git.ts"
import * as LanguageModels from "#infra/models/layer.ts"
import * as ModelsSeen from "#infra/models/seen.ts"
import * as ObservedDispatcher from "#infra/observed/dispatcher.ts"
import * as ObservedModels from "#infra/observed/languageModel.ts"
import * as ObservedLog from "#infra/observed/log.ts"
import * as ObservedSandbox from "#infra/observed/sandbox.ts"
import * as ObservedWorkspaces from "#infra/observed/workspaces.ts"
import * as PostgresAsOfTables from "#infra/postgres/asOfTables.ts"
import * as Postgres from "#infra/postgres/client.ts"
import * as BesideRows from "#infra/postgres/copy/rows.ts"
import * as PostgresInstallation from "#infra/postgres/installation.ts"
import * as PostgresKeySightings from "#infra/postgres/keySightings.ts"
import { clusterOf } from "#infra/postgres/launcher/cluster.ts"
import { launch } from "#infra/postgres/launcher/launcher.ts"
import * as PostgresLook from "#infra/postgres/look.ts"
import * as PostgresMcpSessions from "#infra/postgres/mcpSessions.ts"
import * as PostgresReadModels from "#infra/postgres/readModels/layer.ts"
import * as PostgresReplayRecords from "#infra/postgres/replayRecords.ts"
import * as PostgresRequests from "#infra/postgres/requests/layer.ts"
import * as PostgresTelling from "#infra/postgres/telling.ts"
import * as Bubblewrap from "#infra/sandbox/bubblewrap/layer.ts"
import * as JustBash from "#infra/sandbox/justBash/layer.ts"
import * as EmbeddingTable from "#infra/search/embeddings/layer.ts"
import * as Workers from "#infra/workers/layer.ts"
import type { DiskSpace } from "#ports/DiskSpace.ts"
import { WorkersIdle } from "#ports/Workers.ts"
import { Readiness } from "#src/http/ready.ts"
import { EraseTenants } from "#src/keys/reactions/EraseTenants.ts"
import { KeepSlugs } from "#src/keys/reactions/KeepSlugs.ts"
import { TellSlugs } from "#src/keys/reactions/TellSlugs.ts"
import { SignInCodes } from "#src/keys/SignInCodes.ts"
import * as Grader from "#src/snippets/grading/grade.ts"
import { Indexing } from "#src/snippets/indexing.ts"
import { KnownSnippets } from "#src/snippets/knownSnippets.ts"
import { Learning } from "#src/snippets/learning.ts"
import * as MeasuredSearch from "#src/snippets/measured.ts"
import { EraseBundles } from "#src/snippets/reactions/EraseBundles.ts"
import { EraseEmbeddings } from "#src/snippets/reactions/EraseEmbeddings.ts"
import { EraseSearches } from "#src/snippets/reactions/EraseSearches.ts"
import { StoreBundles } from "#src/snippets/reactions/StoreBundles.ts"
import { withdrawSnippets } from "#src/snippets/reactions/WithdrawSnippets.ts"
import { Reputations } from "#src/snippets/reputation.ts"
import { Search } from "#src/snippets/search.ts"
import { Packing } from "#src/workspaces/packing.ts"
import { Runs } from "#src/workspaces/queue.ts"
import { MoveRefs } from "#src/workspaces/reactions/MoveRefs.ts"
import { RemoveRepositories } from "#src/workspaces/reactions/RemoveRepositories.ts"
import { Spoken } from "#src/workspaces/spoken.ts"
import { AsOfs } from "./audit/AsOfs.ts"
import { Replays } from "./audit/Replays.ts"
import { DropErased } from "./audit/reactions/DropErased.ts"
import * as Retention from "./audit/retention.ts"
import * as Codec from "./codec.ts"
import type { Config } from "./config/config.ts"
import { isCounted, type Watched } from "./config/telemetry.ts"
import { type Disk, watched as watchedDisks } from "./disks.ts"
import {
  bounded,
  embeddingModel,
  erasedAtOnce,
  erasing,
  eventStore,
  type LogConfig,
  logAudit,
  logSource,
  named,
  requestCounts,
  type StorageConfig,
  snippetIndex
} from "./engines.ts"
import { Notes } from "./notes.ts"
import { projections } from "./readModels.ts"
import { gitTransport, pushIntake, repositories, workspaces } from "./repositories.ts"
import { Storage } from "./usage/Storage.ts"

/** All reactions; every service runs them. */
export const reactions = [
  MoveRefs,
  RemoveRepositories,
  EraseTenants,
  KeepSlugs,
  TellSlugs,
  StoreBundles,
  EraseBundles,
  EraseSearches,
  EraseEmbeddings,
  DropErased,
  withdrawSnippets(SecretRules.rulesVersion())
] as const

/**
 * The service's database: the one that is named or, without one, the data folder's own, which starts and stops with the
 * service, or was `started` before it. The table of embeddings is read while it starts.
 */
export const serviceDatabase = (config: StorageConfig, started: ReturnType<typeof launch> = launch(config)) =>
  Layer.merge(
    Layer.unwrap(
      Effect.gen(function* () {
        const { databaseUrl } = config
        return databaseUrl === undefined ? Postgres.layer((yield* started).url) : named(databaseUrl, config)
      })
    ),
    EmbeddingTable.layer
  )

/** Reads source files, and looks for secrets in those that are to be public. */
export const analysis = Layer.provideMerge(Layer.mergeAll(TreeSitterAnalysis.layer, SecretRules.layer), Workers.layer)

/** A layer, with what measures it if anything is counted. */
const watched = <A, E, R, A2, E2, R2>(
  config: Watched,
  watching: Layer.Layer<A, E2, R2 | A>,
  layer: Layer.Layer<A | A2, E, R>
) => (isCounted(config) ? Layer.provideMerge(watching, layer) : layer)

/** The log and the read models, on a database. */
export const log = (config: LogConfig & Watched) =>
  bounded(
    config,
    Layer.mergeAll(Tail.layer, Notes.layer, Storage.layer).pipe(
      Layer.provideMerge(
        Layer.mergeAll(
          watched(config, ObservedDispatcher.layer, Dispatcher.layer),
          Asker.layer(projections).pipe(Layer.provideMerge(Projector.layer(projections))),
          // when something was recorded, and by what its text was erased, is asked of the log's own tables
          logAudit(config)
        )
      ),
      Layer.provideMerge(
        Layer.mergeAll(
          Codec.layer,
          PostgresRequests.layer.pipe(
            Layer.provide(watched(config, ObservedLog.layer, eventStore(config))),
            Layer.provideMerge(PostgresReadModels.layer)
          ),
          PostgresKeySightings.layer,
          PostgresInstallation.layer,
          PostgresLook.layer,
          PostgresTelling.layer,
          PostgresReplayRecords.layer,
          PostgresAsOfTables.layer,
          Layer.provideMerge(TreeSitterAnalysis.layer, Workers.layer)
        )
      ),
      Layer.provideMerge(EmbeddingTable.layer)
    )
  )

/** What the command line looks at from below: the log's tables, repositories, and git itself. */
export const audit = (config: Pick<Config, "dataDir"> & LogConfig) =>
  Layer.mergeAll(
    logAudit(config),
    workspaces(config),
    GitCheck.layer({ directory: repositories(config), git: findGit(anyVersion) })
  )

/** What a running service needs to back itself up when asked. */
const backups = (config: Pick<Config, "dataDir"> & LogConfig) =>
  Layer.mergeAll(
    logSource(config),
    GitCopy.layer({ directory: repositories(config) }),
    Layer.unwrap(Effect.map(PgClient.PgClient, BesideRows.layer)),
    BackupArchives.layer(resolve(config.dataDir))
  )

/** Watches the disks of what the service keeps itself. A named Postgres is for others to watch. */
const disks = ({ dataDir, databaseUrl, diskReserve }: Pick<Config, "dataDir" | "databaseUrl" | "diskReserve">) =>
  Layer.unwrap(
    Effect.sync(() => {
      const data = resolve(dataDir)
      const folders: ReadonlyArray<readonly [Disk, string]> = [
        ["data", data],
        ...(databaseUrl === undefined ? [["database", clusterOf(data).data] as const] : []),
        ["workspaces", repositories({ dataDir })]
      ]
      return watchedDisks(folders, diskReserve)
    })
  )

/** Reads archives. */
export const archives = Archives.layer

/** Everything the service stands on, except the database. `space` says how much room disks have. */
export const service = (config: Config, space: Layer.Layer<DiskSpace> = SystemDiskSpace.layer) =>
  Layer.mergeAll(
    Runs.layer,
    SignInCodes.layer,
    Replays.layer,
    Layer.provide(AsOfs.layer, erasedAtOnce(config)),
    Packing.layer,
    Readiness.layer(projections),
    Grader.layer,
    Retention.layer(config.retention),
    Retire.layer(projections),
    erasing(config),
    backups(config)
  ).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        watched(config, MeasuredSearch.layer, Search.layer),
        KnownSnippets.layer,
        Reputations.layer,
        LeftOut.layer,
        Layer.sync(Reacting, () => new Map())
      )
    ),
    Layer.provideMerge(Layer.mergeAll(Indexing.layer, Learning.layer, embeddingModel(config))),
    Layer.provideMerge(snippetIndex(config)),
    Layer.provideMerge(
      Layer.mergeAll(
        log(config),
        Layer.provide(SecretRules.layer, Workers.layer),
        watched(config, ObservedWorkspaces.layer, workspaces(config)),
        gitTransport(config),
        pushIntake(config),
        archives,
        requestCounts(config),
        PostgresMcpSessions.layer,
        Layer.provideMerge(ModelsSeen.layer, watched(config, ObservedModels.layer, LanguageModels.layer(config.models)))
      )
    ),
    Layer.provideMerge(Spoken.layer),
    Layer.provideMerge(
      watched(config, ObservedSandbox.layer, config.sandbox === "bubblewrap" ? Bubblewrap.layer : JustBash.layer)
    ),
    Layer.provideMerge(Layer.succeed(ReadPatience, config.readPatience)),
    Layer.provideMerge(Layer.succeed(WorkersIdle, config.workersIdle)),
    Layer.provideMerge(disks(config)),
    Layer.provideMerge(space)
  )
