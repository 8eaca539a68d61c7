import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Projection, schemaOf } from "#engine/Projection.ts"
import { Snippets } from "./Snippets/tables.ts"
import { table } from "./table.ts"

/** A bulk upload whose prompts and logs are still kept. */
interface UploadRow {
  readonly id: string
  readonly tenant: string
  readonly snippets: ReadonlyArray<string>
}

const one = ({ upload }: { readonly upload: string }) => [upload]

/** Read model `uploads`: which snippets came with which bulk upload. */
export const Uploads = {
  name: "uploads",
  version: 1,
  tables: {
    uploads: table<UploadRow>({
      columns: { id: "text", tenant: "text", snippets: "text[]" },
      indexes: ["USING gin (snippets)"],
      on: {
        UploadStored: {
          rows: one,
          to: (_, { upload, snippets }, { tenant }) => ({ id: upload, tenant, snippets })
        },
        UploadErased: { rows: one, to: () => undefined }
      }
    })
  }
} satisfies Projection

/** Those of some uploads' and snippets' uploads of which no snippet is left. */
export const deserted = (uploads: ReadonlyArray<string>, snippets: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<Pick<UploadRow, "id" | "tenant">>(
      `SELECT u.id, u.tenant FROM ${schemaOf(Uploads)}.uploads u
       WHERE (u.id = ANY ($1::text[]) OR u.snippets && $2::text[])
         AND NOT EXISTS (SELECT 1 FROM ${schemaOf(Snippets)}.snippets s WHERE s.id = ANY (u.snippets))`,
      [uploads, snippets]
    )
  )
