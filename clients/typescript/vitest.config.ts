import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

const repository = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/**
 * The tests that need this folder's own node_modules. From the repository's root: `npm ci --ignore-scripts --prefix
 * clients/typescript`, then `npm test -- --config clients/typescript/vitest.config.ts`.
 */
export default defineConfig({
  root: repository("clients/typescript"),
  test: {
    pool: "forks",
    include: ["test/**/*.test.ts"],
    globalSetup: [repository("test/globalSetup.ts")],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 1,
    reporters: ["default", repository("test/secondTries.ts")],
    retry: process.env["CI"] === undefined ? 0 : 1
  }
})
