import { join, resolve } from "node:path"
import { Effect, Layer } from "effect"
import { Claims, unshared } from "#engine/ports/Claims.ts"
import * as Belonging from "#infra/belonging.ts"
import * as GitWorkspaceStore from "#infra/git/layer.ts"
import { findGit } from "#infra/git/native/git.ts"
import * as GitTransport from "#infra/git/native/transport.ts"
import * as PushIntake from "#infra/git/push/layer.ts"
import { finished } from "#infra/postgres/copy/finished.ts"
import * as PostgresHold from "#infra/postgres/hold.ts"
import * as Workers from "#infra/workers/layer.ts"
import type { Config } from "./config.ts"

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
 * One of the services on its database, which is whole, with the folder that belongs to it; what only one of them is to
 * do is this one's when it has claimed it. With a Postgres of its own it is the only one, and has all of it.
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
export const gitTransport = (config: Pick<Config, "dataDir">) =>
  Layer.unwrap(Effect.sync(() => GitTransport.layer({ directory: repositories(config), git: findGit() })))

/** Pushes to them. */
export const pushIntake = (config: Pick<Config, "dataDir">) =>
  Layer.unwrap(Effect.sync(() => PushIntake.layer({ directory: repositories(config), git: findGit() })))
