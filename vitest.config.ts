import { createRequire } from "node:module"
import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { isLong } from "./test/long.ts"
import { Spread } from "./test/spread.ts"

/**
 * Files that want a process to themselves: they measure it, load its modules anew, or change what every other file
 * would see. All others share one after another, and with it the modules that it has loaded, which takes a third of the
 * time.
 */
const alone = [
  ...["test/hostile/**/*.test.ts", "test/regularExpressions.test.ts", "test/infra/analysis/treeSitter.test.ts"],
  ...["test/infra/sandbox/**/*.test.ts", "test/workspaces/tools/Glob.test.ts"]
]

/** What is looked at in a browser, which few have at hand: `npm run test:console`. */
const inBrowser = ["test/**/*.browser.test.ts"]

const isCi = process.env["CI"] !== undefined

const runtimes: { readonly onKurrent: () => Array<string> } = createRequire(import.meta.url)("./test/runtimes.cjs")
const onKurrent = runtimes.onKurrent()

/**
 * Milliseconds for what hangs: on a machine with much else to do anything may take five minutes, and what looks for the
 * seldom (test/long.ts) an hour.
 */
const patience = isLong ? 3_600_000 : 300_000

const cores = availableParallelism()
/**
 * How many files run at once. Each waits for a part of its time, so there is one more than there are cores: on two
 * cores, all of them took 551 s by two, 506 by three and 518 by four. There are three more of those that are alone,
 * which wait longer. In CI, other lanes use the processor while these wait.
 */
const [together, apart] = isCi ? [cores, cores] : [cores + 1, cores + 3]

export default defineConfig({
  test: {
    // Deno has no worker_threads pool that vitest can use; forks run on both runtimes.
    pool: "forks",
    // Modules as their runtime loads them, without a form of Vite's between: no module is mocked.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    globalSetup: ["test/globalSetup.ts"],
    setupFiles: ["test/flags.ts"],
    testTimeout: patience,
    hookTimeout: patience,
    maxWorkers: together,
    sequence: { sequencer: Spread, groupOrder: 1 },
    // a failure says what differs: of a value that was made at random there is no other trace
    chaiConfig: { truncateThreshold: 2_000 },
    reporters: ["default", "test/skips.ts", "test/secondTries.ts"],
    // test/secondTries.ts says which
    retry: isCi ? 1 : 0,
    // what one file put in the place of something ends with the test that did
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    projects: [
      // before all others: a process that is shared would end with each of them
      {
        extends: true,
        test: { name: "alone", include: alone, isolate: true, maxWorkers: apart, sequence: { groupOrder: 0 } }
      },
      {
        extends: true,
        test: {
          name: "together",
          include: ["test/**/*.test.ts"],
          exclude: [...alone, ...onKurrent, ...inBrowser],
          isolate: false
        }
      },
      { extends: true, test: { name: "kurrent", include: onKurrent, isolate: false } },
      { extends: true, test: { name: "browser", include: inBrowser, isolate: false } }
    ]
  }
})
