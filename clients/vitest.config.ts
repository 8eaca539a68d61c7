import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

const repository = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

const alone = ["typescript/test/agent/calls.test.ts"]

/**
 * The tests of TypeScript clients that need node_modules of their own: ours beside the real libraries, and what users
 * of the existing one have. From the repository's root: `npm ci --ignore-scripts --prefix clients/typescript`, the same
 * with `clients/existing`, then `npm test -- --config clients/vitest.config.ts`, with paths behind it those files.
 */
export default defineConfig({
  root: repository("clients"),
  test: {
    pool: "forks",
    // as in vitest.config.ts
    experimental: { viteModuleRunner: false, nodeLoader: false },
    globalSetup: [repository("test/globalSetup.ts")],
    setupFiles: [repository("test/flags.ts")],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 1,
    reporters: ["default", repository("test/secondTries.ts")],
    retry: process.env["CI"] === undefined ? 0 : 1,
    // files share a process one after another, and with it the service's modules, which take longer than most tests;
    // but for one that leaves calls behind that nobody ever answers
    projects: [
      { extends: true, test: { name: "alone", include: alone, isolate: true } },
      {
        extends: true,
        test: {
          name: "together",
          include: ["{typescript/test,existing/typescript}/**/*.test.ts"],
          exclude: alone,
          isolate: false
        }
      }
    ]
  }
})
