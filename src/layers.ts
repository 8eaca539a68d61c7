import { join, resolve } from "node:path"
import { Effect, Layer, Option, PubSub, Redacted, Schedule } from "effect"
import * as GitWorkspaces from "#infra/git/layer.ts"
import * as JustBash from "#infra/JustBash/layer.ts"
import * as LanguageModels from "#infra/languageModels.ts"
import * as MemorySnippetIndex from "#infra/MemorySnippetIndex/layer.ts"
import * as PostgresEventStore from "#infra/PostgresEventStore/layer.ts"
import * as PostgresInstallation from "#infra/PostgresInstallation.ts"
import * as PostgresReadModels from "#infra/PostgresReadModels/layer.ts"
import * as PostgresRequests from "#infra/PostgresRequests.ts"
import * as Postgres from "#infra/postgres/client.ts"
import { connect, launch } from "#infra/postgres/launcher/launcher.ts"
import { lockFolder } from "#infra/postgres/launcher/lock.ts"
import * as TreeSitterAnalysis from "#infra/TreeSitterAnalysis/layer.ts"
import { Keys } from "#projections/Keys.ts"
import { KeyUsage } from "#projections/KeyUsage.ts"
import { Snippets } from "#projections/Snippets.ts"
import { Workspaces } from "#projections/Workspaces.ts"
import { Runs } from "./agent/Queue.ts"
import { Asker } from "./ask.ts"
import type { Config } from "./config.ts"
import { Dispatcher } from "./dispatch.ts"
import { Indexing } from "./indexing.ts"
import { Places } from "./places.ts"
import { Projector } from "./project.ts"
import { MoveRefs } from "./reactions/MoveRefs.ts"
import { Readiness } from "./ready.ts"
import { Recorder } from "./record.ts"
import { Search } from "./search.ts"

/** What follows from events: all of it runs in every service. */
export const reactions = [MoveRefs] as const

/** Every read model. */
export const projections = [Keys, KeyUsage, Snippets, Workspaces] as const

type Place = Pick<Config, "dataDir" | "databaseUrl">

/** The service's database: the one that is named, else the data folder's own, started and stopped with the service. */
export const serviceDatabase = ({ dataDir, databaseUrl }: Place) =>
  Layer.unwrap(
    Effect.map(databaseUrl === undefined ? launch({ dataDir }) : Effect.succeed({ url: databaseUrl }), ({ url }) =>
      Postgres.layer(url)
    )
  )

/**
 * The command line's: a running Postgres of the data folder, which is left running, or one that is started and stopped
 * here. `alone` says that no service keeps the read models up, because the folder's lock could be had.
 */
const toolDatabase = ({ dataDir, databaseUrl }: Place) =>
  Effect.gen(function* () {
    // processes that project the same log beside each other do no harm
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
export const tool = (place: Place) =>
  Layer.unwrap(
    Effect.map(toolDatabase(place), ({ url, alone }) =>
      Layer.mergeAll(
        Dispatcher.layer,
        Asker.layer(projections).pipe(Layer.provideMerge(alone ? Projector.layer(projections) : someoneElsesProjector))
      ).pipe(
        Layer.provideMerge(
          Layer.mergeAll(PostgresEventStore.layer, PostgresReadModels.layer, PostgresInstallation.layer)
        ),
        Layer.provideMerge(Postgres.layer(url))
      )
    )
  )

/** Reads source files. */
export const analysis = TreeSitterAnalysis.layer

export { parentGone } from "#infra/parent.ts"
export { findText } from "#infra/postgres/findText.ts"

/** The log and the read models, on a database. */
export const log = Layer.mergeAll(
  Dispatcher.layer,
  Recorder.layer,
  Asker.layer(projections).pipe(Layer.provideMerge(Projector.layer(projections)))
).pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      PostgresEventStore.layer,
      PostgresReadModels.layer,
      PostgresRequests.layer,
      PostgresInstallation.layer,
      TreeSitterAnalysis.layer
    )
  )
)

/** Repositories of the workspaces, in the data folder. */
export const workspaces = ({ dataDir }: Pick<Config, "dataDir">) =>
  GitWorkspaces.layer({ directory: join(resolve(dataDir), "workspaces") })

const model = ({ anthropic }: Config) =>
  LanguageModels.layer(
    anthropic.apiKey === undefined
      ? undefined
      : {
          apiKey: Redacted.make(Redacted.value(anthropic.apiKey)),
          ...(anthropic.baseUrl === undefined ? {} : { baseURL: anthropic.baseUrl }),
          aliases: anthropic.models
        }
  )

/** Everything the service stands on, but the database. */
export const service = (config: Config) =>
  Layer.mergeAll(Runs.layer, Readiness.layer(projections)).pipe(
    Layer.provideMerge(Layer.mergeAll(Search.layer, Places.layer)),
    Layer.provideMerge(Indexing.layer),
    Layer.provideMerge(Layer.mergeAll(log, MemorySnippetIndex.layer, workspaces(config), model(config))),
    Layer.provideMerge(JustBash.layer)
  )
