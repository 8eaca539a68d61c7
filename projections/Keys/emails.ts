import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { schemaOf } from "#engine/Projection.ts"
import { Keys } from "./tables.ts"

/** E-mail addresses of a tenant's users by their ids; those who were erased have none. */
export const emailsOf = (tenant: string, users: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    users.length === 0
      ? Effect.succeed<ReadonlyMap<string, string>>(new Map())
      : Effect.map(
          sql.unsafe<{ user_id: string; email: string }>(
            `SELECT user_id, email FROM "${schemaOf(Keys)}".members WHERE id = ANY ($1::text[])`,
            [users.map((user) => `${tenant}/${user}`)]
          ),
          (rows): ReadonlyMap<string, string> => new Map(rows.map(({ user_id, email }) => [user_id, email]))
        )
  )
