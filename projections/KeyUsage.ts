import type { Projection } from "#engine/Projection.ts"
import { ofErased, table } from "./table.ts"

/**
 * Read model `key_usage`: when each key was last seen, to the hour. A read model of its own, because it changes all the
 * time.
 */
export const KeyUsage = {
  name: "key_usage",
  version: 2,
  tables: {
    keys: table<{ readonly id: string; readonly tenant: string; readonly last_used_at: string }>({
      columns: { id: "text", tenant: "text", last_used_at: "timestamptz" },
      indexes: ["(tenant)"],
      on: {
        KeyUsed: {
          rows: ({ key }) => [key],
          to: (_, { key }, { tenant, recordedAt }) => ({
            id: key,
            tenant,
            last_used_at: new Date(recordedAt).toISOString()
          })
        },
        KeyRevoked: { rows: ({ key }) => [key], to: () => undefined }
      },
      drops: ofErased
    })
  }
} satisfies Projection
