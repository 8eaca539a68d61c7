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
import type { Config } from "./config/config.ts"

/** The folder of repositories. */
export const repositories = ({ dataDir }: Pick<Config, "dataDir">) => join(resolve(dataDir), "workspaces")

/** Refuses a data folder whose repositories are not this database's; a service begins what neither belongs to yet. */
export const belonging = (config: Pick<Config, "dataDir">, { begin }: { readonly begin: boolean }) =>
  Layer.effectDiscard(Belonging.check(repositories(config), begin))

/** Makes the data folder's repositories those of this database. */
export const adopt = (config: Pick<Config, "dataDir">) => Belonging.adopt(repositories(config))

/** Makes the data folder's repositories those of a database that is being restored, before and after they are made. */
export const restored = (config: Pick<Config, "dataDir">) => ({
  prepare: Belonging.prepare(repositories(config)),
  finish: Belonging.finishRestored(repositories(config))
})

/** Holds the database alone: no service is on it. */
export const alone = PostgresHold.alone

/**
 * One of the services on its database, which is no unfinished copy, with the folder that belongs to it. What only one
 * service may do at a time needs a claim; one with a Postgres of its own is alone, and needs none.
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

/** Serves clones and fetches of repositories, by native git if it is installed. */
export const gitTransport = (config: Pick<Config, "dataDir">) =>
  Layer.unwrap(Effect.sync(() => GitTransport.layer({ directory: repositories(config), git: findGit() })))

/** Takes pushes to repositories. */
export const pushIntake = (config: Pick<Config, "dataDir">) =>
  Layer.unwrap(Effect.sync(() => PushIntake.layer({ directory: repositories(config), git: findGit() })))
