import { resolve } from "node:path"
import { Effect, Layer, Option, PubSub, Schedule } from "effect"
import { Asker } from "#engine/ask.ts"
import { Dispatcher } from "#engine/dispatch.ts"
import { Projector } from "#engine/project.ts"
import * as Postgres from "#infra/postgres/client.ts"
import * as PostgresHold from "#infra/postgres/hold.ts"
import * as PostgresInstallation from "#infra/postgres/installation.ts"
import { guard } from "#infra/postgres/launcher/guard.ts"
import { connect, hasCluster, launch } from "#infra/postgres/launcher/launcher.ts"
import { lockFolder } from "#infra/postgres/launcher/lock.ts"
import * as PostgresReadModels from "#infra/postgres/readModels/layer.ts"
import * as EmbeddingTable from "#infra/search/embeddings/layer.ts"
import * as Codec from "./codec.ts"
import { BadConfig } from "./config/BadConfig.ts"
import { erasedAtOnce, eventStore, logAudit, named, type StorageConfig } from "./engines.ts"
import { projections } from "./readModels.ts"
import { Storage } from "./usage/Storage.ts"

/** Whether a command makes an installation where there is none. */
export interface Beginning {
  readonly begin: boolean
}

/**
 * The command line's database: the one that is named, or the data folder's Postgres, which is left running if it runs,
 * and otherwise started and stopped here. Fails with `BadConfig` where the folder has none and nothing is to begin.
 * `alone`: no service moves the read models, since the folder's lock was free; on a named database, claims say that of
 * each read model.
 */
export const toolDatabase = ({ dataDir, databaseUrl }: StorageConfig, { begin }: Beginning) =>
  Effect.gen(function* () {
    if (databaseUrl !== undefined) return { url: databaseUrl, alone: true }
    const running = yield* connect({ dataDir })
    if (Option.isNone(running)) {
      // of a mistyped folder, a new and empty installation would say that all is well
      if (!begin && !(yield* hasCluster({ dataDir }))) {
        return yield* new BadConfig({
          message: `There is no Cairn in ${resolve(dataDir)}: name its data folder by CAIRN_DATA_DIR, or its database by DATABASE_URL. \`npm start\` makes a new one.`
        })
      }
      return { url: (yield* launch({ dataDir })).url, alone: true }
    }
    const alone = Option.isSome(yield* Effect.option(lockFolder(dataDir)))
    // a service that was killed left it, and its guard leaves it to this process
    if (alone) yield* guard(dataDir)
    return { url: running.value.url, alone }
  }).pipe(
    // another process holds the folder, and its Postgres is still starting or already stopping
    Effect.retry({
      while: (error) => error._tag === "LaunchFailed" && error.reason === "in-use",
      times: 100,
      schedule: Schedule.spaced("100 millis")
    })
  )

/** For a process beside a running service: the service's own projector moves the read models. */
const someoneElsesProjector = Layer.effect(
  Projector,
  Effect.map(PubSub.sliding<string>(1), (moved) => Projector.of({ moved, failures: Effect.succeed(new Map()) }))
)

/** What the command line stands on: the log and the read models. No reactions, no server. */
export const tool = (config: StorageConfig, beginning: Beginning = { begin: false }) =>
  Layer.unwrap(
    Effect.map(toolDatabase(config, beginning), ({ url, alone }) =>
      Layer.mergeAll(
        Dispatcher.layer,
        Storage.unbounded,
        erasedAtOnce(config),
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
        // beside a service, which moves the read models itself, no vector is made
        Layer.provideMerge(EmbeddingTable.whenNeeded),
        Layer.provideMerge(
          config.databaseUrl === undefined
            ? Postgres.layer(url)
            : Layer.provideMerge(PostgresHold.beside, named(url, config))
        )
      )
    )
  )

export { parentGone } from "#infra/parent.ts"
export { findText } from "#infra/postgres/findText.ts"
