import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Projection, schemaOf } from "#engine/Projection.ts"
import { Snippets } from "./Snippets/tables.ts"
import { table } from "./table.ts"

/** A bundle whose prompts and logs are still kept. */
interface BundleRow {
  readonly id: string
  readonly tenant: string
  readonly snippets: ReadonlyArray<string>
}

const one = ({ upload }: { readonly upload: string }) => [upload]

/** Read model `bundles`: which snippets came with which bundle. */
export const Bundles = {
  name: "bundles",
  version: 1,
  tables: {
    bundles: table<BundleRow>({
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

/** Of these bundles, and of those that these snippets came with, the bundles of which no snippet is left. */
export const deserted = (bundles: ReadonlyArray<string>, snippets: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<Pick<BundleRow, "id" | "tenant">>(
      `SELECT b.id, b.tenant FROM ${schemaOf(Bundles)}.bundles b
       WHERE (b.id = ANY ($1::text[]) OR b.snippets && $2::text[])
         AND NOT EXISTS (SELECT 1 FROM ${schemaOf(Snippets)}.snippets s WHERE s.id = ANY (b.snippets))`,
      [bundles, snippets]
    )
  )
