import "../effectAlone.ts"

import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { cairn } from "./cairn.ts"

// a reader that has gone is told by write's answer; without a listener it would end the process with a stack trace
process.stdout.on("error", () => {})
// the exit code says the rest
NodeRuntime.runMain(cairn(process.argv.slice(2)), { disableErrorReporting: true })
