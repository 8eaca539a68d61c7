import type { Projection } from "#engine/Projection.ts"
import { table } from "./table.ts"

/**
 * Read model `key_usage`: when each key was last seen, to the hour. A model of its own, because it changes all the
 * time.
 */
export const KeyUsage = {
  name: "key_usage",
  version: 1,
  tables: {
    keys: table<{ readonly id: string; readonly last_used_at: string }>({
      columns: { id: "text", last_used_at: "timestamptz" },
      on: {
        KeyUsed: {
          rows: ({ key }) => [key],
          to: (_, { key }, { recordedAt }) => ({ id: key, last_used_at: new Date(recordedAt).toISOString() })
        },
        KeyRevoked: { rows: ({ key }) => [key], to: () => undefined }
      }
    })
  }
} satisfies Projection
