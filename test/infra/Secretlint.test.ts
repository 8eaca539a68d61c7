import { fileURLToPath } from "node:url"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { layer, make } from "#infra/Secretlint/layer.ts"
import { contract } from "./SecretScan.contract.ts"

contract("secretlint", layer)

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))

it.live.each(["./spinning.ts", "./nowhere.ts"])("gives up a process that does not answer, each time: %s", (program) =>
  Effect.gen(function* () {
    const secrets = yield* make(here(program), 500)
    for (const text of ["one", "two"]) {
      assert.strictEqual((yield* Effect.flip(secrets.scan("a.py", text)))._tag, "ScanFailed")
    }
  }).pipe(Effect.scoped)
)
