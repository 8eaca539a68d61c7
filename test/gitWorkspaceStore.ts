import { Layer } from "effect"
import { type Options, layer as onWorkers } from "#infra/git/layer.ts"
import { Workers } from "#ports/Workers.ts"
import { workersHere } from "./workers.ts"

/** Workspaces in git repositories, whose diffs are made in this process. */
export const layer = (options: Options) => Layer.provide(onWorkers(options), Layer.succeed(Workers, workersHere))
