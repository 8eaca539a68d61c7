import { join, resolve } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option, PubSub, Schedule } from "effect"
import { Asker, ReadPatience } from "#engine/ask.ts"
import { Dispatcher } from "#engine/dispatch.ts"
import { LeftOut } from "#engine/leftOut.ts"
import { Claims, unshared } from "#engine/ports/Claims.ts"
import { Projector } from "#engine/project.ts"
import { Reacting } from "#engine/reacting.ts"
import * as Retire from "#engine/retire.ts"
import { Tail } from "#engine/tail.ts"
import * as SecretRules from "#infra/analysis/secretRules/layer.ts"
import * as TreeSitterAnalysis from "#infra/analysis/treeSitter/layer.ts"
import * as Archives from "#infra/archives/layer.ts"
import * as BackupArchives from "#infra/backup/archives.ts"
import * as Belonging from "#infra/belonging.ts"
import * as SystemDiskSpace from "#infra/diskSpace.ts"
import * as GitCopy from "#infra/git/copy/layer.ts"
import * as GitWorkspaceStore from "#infra/git/layer.ts"
import * as GitCheck from "#infra/git/native/check.ts"
import { anyVersion, findGit } from "#infra/git/native/git.ts"
import * as GitTransport from "#infra/git/native/transport.ts"
import * as PushIntake from "#infra/git/push/layer.ts"
import * as LanguageModels from "#infra/models/layer.ts"
import * as ObservedModels from "#infra/observed/languageModel.ts"
import * as ObservedLog from "#infra/observed/log.ts"
import * as ObservedSandbox from "#infra/observed/sandbox.ts"
import * as ObservedWorkspaces from "#infra/observed/workspaces.ts"
import * as Postgres from "#infra/postgres/client.ts"
import { finished } from "#infra/postgres/copy/finished.ts"
import * as BesideRows from "#infra/postgres/copy/rows.ts"
import * as PostgresHold from "#infra/postgres/hold.ts"
import * as PostgresInstallation from "#infra/postgres/installation.ts"
import * as PostgresKeySightings from "#infra/postgres/keySightings.ts"
import { clusterOf } from "#infra/postgres/launcher/cluster.ts"
import { connect, launch } from "#infra/postgres/launcher/launcher.ts"
import { lockFolder } from "#infra/postgres/launcher/lock.ts"
import * as PostgresLook from "#infra/postgres/look.ts"
import * as PostgresMcpSessions from "#infra/postgres/mcpSessions.ts"
import * as PostgresReadModels from "#infra/postgres/readModels/layer.ts"
import * as PostgresRequests from "#infra/postgres/requests/layer.ts"
import * as Bubblewrap from "#infra/sandbox/bubblewrap/layer.ts"
import * as JustBash from "#infra/sandbox/justBash/layer.ts"
import * as EmbeddingTable from "#infra/search/embeddings/layer.ts"
import * as Telemetry from "#infra/telemetry/layer.ts"
import * as Lines from "#infra/telemetry/lines.ts"
import * as Workers from "#infra/workers/layer.ts"
import type { DiskSpace } from "#ports/DiskSpace.ts"
import { Bundles } from "#projections/Bundles.ts"
import { ChatRuns } from "#projections/ChatRuns.ts"
import { Consumption } from "#projections/Consumption/tables.ts"
import { Erasures } from "#projections/Erasures.ts"
import { Executions } from "#projections/Executions.ts"
import { Functions } from "#projections/Functions/tables.ts"
import { Gradings } from "#projections/Gradings.ts"
import { Keys } from "#projections/Keys.ts"
import { KeyUsage } from "#projections/KeyUsage.ts"
import { Learned } from "#projections/Learned.ts"
import { Logs } from "#projections/Logs.ts"
import { Patterns } from "#projections/Patterns.ts"
import { Retrievals } from "#projections/Retrievals.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { Workspaces } from "#projections/Workspaces.ts"
import { Readiness } from "#src/http/ready.ts"
import { EraseTenants } from "#src/keys/reactions/EraseTenants.ts"
import { KeepSlugs } from "#src/keys/reactions/KeepSlugs.ts"
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
import * as Retention from "./audit/retention.ts"
import * as Codec from "./codec.ts"
import type { Config } from "./config.ts"
import { type Disk, watched as watchedDisks } from "./disks.ts"
import {
  bounded,
  embeddingModel,
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
import { isCounted, type Watched } from "./telemetry.ts"
import { Storage } from "./usage/Storage.ts"

/** What follows from events: all of it runs in every service. */
export const reactions = [
  MoveRefs,
  RemoveRepositories,
  EraseTenants,
  KeepSlugs,
  StoreBundles,
  EraseBundles,
  EraseSearches,
  EraseEmbeddings,
  withdrawSnippets(SecretRules.rulesVersion())
] as const

/** Every read model. */
export const projections = [
  Keys,
  KeyUsage,
  Erasures,
  Snippets,
  Logs,
  Workspaces,
  ChatRuns,
  Bundles,
  Gradings,
  Executions,
  Patterns,
  Functions,
  Retrievals,
  Learned,
  Consumption
] as const

/**
 * The service's database: the one that is named, else the data folder's own, started and stopped with the service. The
 * table of embeddings is read while it starts.
 */
export const serviceDatabase = (config: StorageConfig) =>
  Layer.merge(
    Layer.unwrap(
      Effect.gen(function* () {
        const { databaseUrl } = config
        return databaseUrl === undefined ? Postgres.layer((yield* launch(config)).url) : named(databaseUrl, config)
      })
    ),
    EmbeddingTable.layer
  )

/**
 * The command line's: a running Postgres of the data folder, which is left running, or one that is started and stopped
 * here. `alone` says that no service keeps the read models up, because the folder's lock could be had; on a database that is named, claims
 * say that of each.
 */
export const toolDatabase = ({ dataDir, databaseUrl }: StorageConfig) =>
  Effect.gen(function* () {
    if (databaseUrl !== undefined) return { url: databaseUrl, alone: true }
    const running = yield* connect({ dataDir })
    if (Option.isNone(running)) return { url: (yield* launch({ dataDir })).url, alone: true }
    return { url: running.value.url, alone: Option.isSome(yield* Effect.option(lockFolder(dataDir))) }
  }).pipe(
    // another one holds the folder, and its Postgres is still starting or already stopping
    Effect.retry({ while: ({ reason }) => reason === "in-use", times: 100, schedule: Schedule.spaced("100 millis") })
  )

/** For a process beside a running service, whose projector it is that moves the read models. */
const someoneElsesProjector = Layer.effect(
  Projector,
  Effect.map(PubSub.sliding<string>(1), (moved) => Projector.of({ moved, failures: Effect.succeed(new Map()) }))
)

/** What the command line stands on: the log and the read models. No reactions, no server. */
export const tool = (config: StorageConfig) =>
  Layer.unwrap(
    Effect.map(toolDatabase(config), ({ url, alone }) =>
      Layer.mergeAll(
        Dispatcher.layer,
        Storage.unbounded,
        Asker.layer(projections).pipe(Layer.provideMerge(alone ? Projector.layer(projections) : someoneElsesProjector))
      ).pipe(
        Layer.provideMerge(
          Layer.mergeAll(
            Codec.layer,
            Layer.provideMerge(logAudit(config), eventStore(config)),
            PostgresReadModels.layer,
            PostgresInstallation.layer
          )
        ),
        // beside a service, whose read models are moved on by it, no vector is made
        Layer.provideMerge(EmbeddingTable.whenNeeded),
        Layer.provideMerge(
          config.databaseUrl === undefined
            ? Postgres.layer(url)
            : Layer.provideMerge(PostgresHold.beside, named(url, config))
        )
      )
    )
  )

/** Reads source files, and looks for secrets in those that are to be public. */
export const analysis = Layer.provideMerge(Layer.mergeAll(TreeSitterAnalysis.layer, SecretRules.layer), Workers.layer)

export { parentGone } from "#infra/parent.ts"
export { findText } from "#infra/postgres/findText.ts"

/** With what watches it, where somebody looks. */
const watched = <A, E, R, A2, E2, R2>(
  config: Watched,
  watching: Layer.Layer<A, E2, R2 | A>,
  layer: Layer.Layer<A | A2, E, R>
) => (isCounted(config) ? Layer.provideMerge(watching, layer) : layer)

/** The log's lines, and what goes to an OTLP receiver. */
export const telemetry = (config: Pick<Config, "logLevel" | "telemetry">) =>
  Layer.provideMerge(Telemetry.layer(config.telemetry), Lines.layer(config.logLevel))

/** The log and the read models, on a database. */
export const log = (config: LogConfig & Watched) =>
  bounded(
    config,
    Layer.mergeAll(Tail.layer, Notes.layer, Storage.layer).pipe(
      Layer.provideMerge(
        Layer.merge(Dispatcher.layer, Asker.layer(projections).pipe(Layer.provideMerge(Projector.layer(projections))))
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
          Layer.provideMerge(TreeSitterAnalysis.layer, Workers.layer)
        )
      ),
      Layer.provideMerge(EmbeddingTable.layer)
    )
  )

/** The folder of repositories. */
export const repositories = ({ dataDir }: Pick<Config, "dataDir">) => join(resolve(dataDir), "workspaces")

/** Refuses a data folder whose repositories are not this database's; a service begins what neither belongs to yet. */
export const belonging = (config: Pick<Config, "dataDir">, { begin }: { readonly begin: boolean }) =>
  Layer.effectDiscard(Belonging.check(repositories(config), begin))

/** Makes the data folder's repositories those of this database. */
export const adopt = (config: Pick<Config, "dataDir">) => Belonging.adopt(repositories(config))

/** That no service is on the database. */
export const alone = PostgresHold.alone

/**
 * One of the services on its database, which is whole, with the folder that belongs to it; what only one of them is to do is this
 * one's when it has claimed it. With a Postgres of its own it is the only one, and has all of it.
 */
export const joined = (config: Pick<Config, "dataDir" | "databaseUrl">) => {
  const held = PostgresHold.shared(Belonging.admit(repositories(config))).pipe(
    Layer.provide(Layer.effectDiscard(finished))
  )
  return config.databaseUrl === undefined ? Layer.provideMerge(Layer.succeed(Claims, unshared), held) : held
}

/** Repositories of the workspaces, in the data folder. */
export const workspaces = (config: Pick<Config, "dataDir">) =>
  Layer.unwrap(Effect.sync(() => GitWorkspaceStore.layer({ directory: repositories(config), git: findGit() }))).pipe(
    Layer.provide(Workers.layer)
  )

/** Clones and fetches of them, by native git where it is installed. */
const gitTransport = (config: Pick<Config, "dataDir">) =>
  Layer.unwrap(Effect.sync(() => GitTransport.layer({ directory: repositories(config), git: findGit() })))

/** Pushes to them. */
const pushIntake = (config: Pick<Config, "dataDir">) =>
  Layer.unwrap(Effect.sync(() => PushIntake.layer({ directory: repositories(config), git: findGit() })))

/** What the command line looks at from below: the log's tables, repositories, and git itself. */
export const audit = (config: Pick<Config, "dataDir"> & LogConfig) =>
  Layer.mergeAll(
    logAudit(config),
    workspaces(config),
    GitCheck.layer({ directory: repositories(config), git: findGit(anyVersion) })
  )

/** What a running service backs up for who asks it to. */
const backups = (config: Pick<Config, "dataDir"> & LogConfig) =>
  Layer.mergeAll(
    logSource(config),
    GitCopy.layer({ directory: repositories(config) }),
    Layer.unwrap(Effect.map(PgClient.PgClient, BesideRows.layer)),
    BackupArchives.layer(resolve(config.dataDir))
  )

/** Watches the disks of what is ours to keep. A Postgres that is named is somebody else's to watch. */
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

/** Everything the service stands on, but the database. `space`: who is asked how much room disks have. */
export const service = (config: Config, space: Layer.Layer<DiskSpace> = SystemDiskSpace.layer) =>
  Layer.mergeAll(
    Runs.layer,
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
        watched(config, ObservedModels.layer, LanguageModels.layer(config.models))
      )
    ),
    Layer.provideMerge(Spoken.layer),
    Layer.provideMerge(
      watched(config, ObservedSandbox.layer, config.sandbox === "bubblewrap" ? Bubblewrap.layer : JustBash.layer)
    ),
    Layer.provideMerge(Layer.succeed(ReadPatience, config.readPatience)),
    Layer.provideMerge(disks(config)),
    Layer.provideMerge(space)
  )
