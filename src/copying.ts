import { randomBytes } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import * as GitCopy from "#infra/git/copy/layer.ts"
import * as Postgres from "#infra/postgres/client.ts"
import * as PostgresBeside from "#infra/postgres/copy/beside.ts"
import * as BesideRows from "#infra/postgres/copy/rows.ts"
import * as CopyTarget from "#infra/postgres/copy/target.ts"
import * as PostgresHold from "#infra/postgres/hold.ts"
import * as PostgresInstallation from "#infra/postgres/installation.ts"
import { launch } from "#infra/postgres/launcher/launcher.ts"
import type { Installation } from "#ports/Installation.ts"
import type { BesideLog, LogEngine } from "#ports/LogCopy.ts"
import { toolDatabase } from "./commandLine.ts"
import {
  engineOf,
  eventStore,
  logAudit,
  logIntake,
  logSource,
  lookAtIntake,
  named,
  type StorageConfig
} from "./engines.ts"
import { belonging, repositories } from "./repositories.ts"

/** What is copied: a log and its database, without a projector. */
export const copySource = (config: StorageConfig) =>
  Layer.unwrap(
    Effect.map(toolDatabase(config, { begin: false }), ({ url }) =>
      Layer.merge(Layer.provideMerge(logSource(config), eventStore(config)), PostgresInstallation.layer).pipe(
        Layer.provideMerge(config.databaseUrl === undefined ? Postgres.layer(url) : named(url, config))
      )
    )
  )

/** Where a log is copied to, after a look at it: an empty database, or the unfinished copy of this very log. */
export const copyTarget = (
  to: StorageConfig,
  { secret, positions }: Installation["Service"],
  from: LogEngine,
  besideOn: (copy: PgClient.PgClient) => Layer.Layer<BesideLog>
) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const engine = engineOf(to)
      const url = to.databaseUrl ?? (yield* launch(to)).url
      const alike = from === "postgres" && engine === "postgres"
      const origin = { secret, positions: alike ? (positions ?? null) : markOf(randomBytes(4)) }
      const look = Effect.andThen(CopyTarget.look(origin, engine), lookAtIntake(to))
      // looked at once more, now that nobody else can begin anything there
      const begin = Effect.andThen(Effect.andThen(look, Postgres.migrate), CopyTarget.begin(origin, engine))
      const beside = Layer.unwrap(Effect.map(PgClient.PgClient, besideOn))
      return Layer.mergeAll(Layer.provideMerge(logAudit(to), logIntake(to, from)), beside).pipe(
        Layer.provideMerge(Layer.effectDiscard(begin)),
        Layer.provideMerge(PostgresHold.alone),
        Layer.provideMerge(Layer.effectDiscard(look)),
        Layer.provideMerge(Postgres.unmigratedOn(url, { ca: to.databaseCa, connections: to.databaseConnections }))
      )
    })
  )

/** Brings what lies beside a database's log into the copy. */
export const besideFrom = (database: PgClient.PgClient) => (copy: PgClient.PgClient) =>
  PostgresBeside.layer(database, copy)

/** The same from a backup. */
export const besideFromBackup = PostgresBeside.restoredLayer

/** Repositories in the data folder. */
export const repositoryCopy = (config: Pick<StorageConfig, "dataDir">) =>
  GitCopy.layer({ directory: repositories(config) })

/** All that is backed up, of a data folder that belongs to its database. */
export const backupSource = (config: StorageConfig) =>
  Layer.mergeAll(
    repositoryCopy(config),
    belonging(config, { begin: false }),
    Layer.unwrap(Effect.map(PgClient.PgClient, BesideRows.layer))
  ).pipe(Layer.provideMerge(copySource(config)))

/** Where backups are written to, and read from. */
export { layer as backupFolder, target as backupTarget } from "#infra/backup/folder.ts"
/** The same as one file. */
export { archiveLayer as archiveAsFolder, unpack as unpackArchive } from "#infra/backup/unpack.ts"
/** The data folder's Postgres, if one runs. */
export { connect as connectEmbedded } from "#infra/postgres/launcher/launcher.ts"
export { lockFolder } from "#infra/postgres/launcher/lock.ts"

/** Letters to stand before a log's positions: almost certainly, no other log has the same. */
const markOf = (random: Uint8Array): string => String.fromCharCode(...random.map((byte) => 97 + (byte % 26)))
