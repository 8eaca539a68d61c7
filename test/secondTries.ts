import type { Reporter, TestModule } from "vitest/node"

/**
 * Says in the last lines which tests passed only when they were tried again. CI tries once more, so that what a busy
 * machine does once in thousands of tests holds nobody up; but it is a fault, of the test or of the product, that
 * somebody has to look at.
 */
export default class SecondTries implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const lines = modules.flatMap((module) =>
      [...module.children.allTests("passed")]
        .filter((test) => test.diagnostic()?.flaky === true)
        .flatMap((test) => [
          ` only at a second try: ${module.relativeModuleId} > ${test.fullName}`,
          ...(test.result().errors ?? []).map(({ message }) => `   ${message.split("\n", 3).join("\n   ")}`)
        ])
    )
    if (lines.length > 0) console.log(`\n${lines.join("\n")}\n`)
  }
}
