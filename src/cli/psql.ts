import { Effect, Option, Redacted } from "effect"
import { Command } from "effect/cli"
import { connectEmbedded } from "#src/copying.ts"
import { Failed } from "./failure.ts"
import { config } from "./log.ts"
import { answer } from "./output.ts"

export const command = Command.make("psql", {}, () =>
  Effect.gen(function* () {
    const { dataDir, databaseUrl } = yield* config
    if (databaseUrl !== undefined) {
      return yield* new Failed({
        message: 'The database is the one that DATABASE_URL names: psql "$DATABASE_URL".'
      })
    }
    const running = yield* connectEmbedded({ dataDir })
    if (Option.isNone(running)) {
      return yield* new Failed({
        message: `No Postgres runs for ${dataDir}: start the service. This command starts none.`
      })
    }
    const { host, port, username, password, database } = running.value
    const told = { host, port, username, password: Redacted.value(password), database }
    const at = `postgres://${username}@${host}:${port}/${database}`
    yield* answer(told, () => [
      `PGPASSWORD=${told.password} psql '${at}'`,
      "It is Postgres 18: pg_dump has to be of version 18 or newer (docs/backup.md)."
    ])
  })
).pipe(Command.withDescription("Print how to reach the data folder's own Postgres, with its password; starts nothing"))
