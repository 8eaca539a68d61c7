import { assert, describe, it } from "@effect/vitest"
import { Cause } from "effect"
import { LaunchFailed } from "#infra/postgres/launcher/LaunchFailed.ts"
import { SandboxUnusable } from "#infra/sandbox/bubblewrap/SandboxUnusable.ts"
import { EmbeddingTableUnusable } from "#infra/search/embeddings/EmbeddingTableUnusable.ts"
import { EngineUnusable } from "#ports/EngineUnusable.ts"
import { NotOurs } from "#ports/Hold.ts"
import { WorkspacesUnavailable } from "#ports/WorkspaceStore.ts"
import { BadConfig } from "#src/config/BadConfig.ts"
import { ForeignOwnerKey } from "#src/keys/ForeignOwnerKey.ts"
import { KeysBehind } from "#src/keys/KeysBehind.ts"
import { exitCodeOf } from "#src/process/exitCode.ts"
import { TooMuchMemory } from "#src/process/memory.ts"

const message = "why"

describe("a service that ends", () => {
  it.each([
    [new TooMuchMemory({ message }), 75],
    [new WorkspacesUnavailable({ code: "EIO", message }), 75],
    [new KeysBehind(), 75],
    [new EngineUnusable({ message, passes: true }), 75],
    [new EngineUnusable({ message, passes: false }), 78],
    [new BadConfig({ message }), 78],
    [new NotOurs({ message }), 78],
    [new ForeignOwnerKey(), 78],
    [new LaunchFailed({ reason: "in-use", message }), 78],
    [new LaunchFailed({ reason: "other-major", message }), 78],
    [new LaunchFailed({ reason: "no-binaries", message }), 78],
    [new LaunchFailed({ reason: "no-folder", message }), 78],
    [new SandboxUnusable({ message, passes: true }), 75],
    [new SandboxUnusable({ message, passes: false }), 78],
    [new EmbeddingTableUnusable({ message }), 78],
    [new LaunchFailed({ reason: "failed", message }), 1],
    [new Error(message), 1]
  ])("says by its exit code whether a further start helps: %s", (error, code) => {
    assert.strictEqual(exitCodeOf(Cause.fail(error)), code)
  })

  it("has not failed where it was told to, and has with a defect", () => {
    assert.strictEqual(exitCodeOf(Cause.interrupt()), 0)
    assert.strictEqual(exitCodeOf(Cause.die(new KeysBehind())), 1)
    assert.strictEqual(exitCodeOf(Cause.combine(Cause.interrupt(), Cause.die(new Error(message)))), 1)
  })
})
