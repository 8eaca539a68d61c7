import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

const repository = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/**
 * What users of the existing TypeScript client have. From the repository's root: `npm ci --ignore-scripts --prefix
 * clients/existing`, then `npm test -- --config clients/existing/vitest.config.ts`.
 */
export default defineConfig({
  root: repository("clients/existing"),
  test: {
    pool: "forks",
    include: ["typescript/**/*.test.ts"],
    globalSetup: [repository("test/globalSetup.ts")],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 1,
    reporters: ["default", repository("test/secondTries.ts")],
    retry: process.env["CI"] === undefined ? 0 : 1
  }
})
