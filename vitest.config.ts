import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    // Deno has no worker_threads pool that vitest can use; forks run on both runtimes.
    pool: "forks",
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/globalSetup.ts"],
    // of what hangs: on a machine with much else to do, anything may take this long
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2
  }
})
