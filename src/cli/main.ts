import "../process/effectAlone.ts"

import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { cairn } from "./cairn.ts"

// `write` tells of a reader that has gone; without a listener the process would end with a stack trace
process.stdout.on("error", () => {})
// the exit code says the rest
NodeRuntime.runMain(cairn(process.argv.slice(2)), { disableErrorReporting: true })
