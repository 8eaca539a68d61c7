import { defineConfig } from "vitest/config"

/**
 * Files that want a process to themselves: they measure it, load its modules anew, or change what every other file would see. All others
 * share one after another, and with it the modules that it has loaded, which takes a third of the time.
 */
const alone = [
  ...["test/hostile/**/*.test.ts", "test/regularExpressions.test.ts", "test/infra/analysis/treeSitter.test.ts"],
  ...["test/infra/sandbox/**/*.test.ts", "test/workspaces/tools/Glob.test.ts"],
  // Laws of the deciders: late in a shared process two of them failed once, on events that hold in a process of their own. Not understood.
  "test/domain/*.test.ts"
]

export default defineConfig({
  test: {
    // Deno has no worker_threads pool that vitest can use; forks run on both runtimes.
    pool: "forks",
    globalSetup: ["test/globalSetup.ts"],
    // of what hangs: on a machine with much else to do, anything may take this long
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
    reporters: ["default", "test/skips.ts"],
    // what one file put in the place of something ends with the test that did
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    projects: [
      { extends: true, test: { name: "alone", include: alone, isolate: true } },
      { extends: true, test: { name: "together", include: ["test/**/*.test.ts"], exclude: alone, isolate: false } }
    ]
  }
})
