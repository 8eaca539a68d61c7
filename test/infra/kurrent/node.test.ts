import { describe } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Mark } from "#infra/kurrent/Log.ts"
import { fresh } from "../../engine/appends.ts"
import { contract } from "../../engine/EventStore.contract.ts"
import { storeAt } from "../../kurrent/stores.ts"
import { freshClient } from "../stores.ts"

const url = process.env["KURRENTDB_TEST_URL"]

/** A log and a database of its own, beside those of other runs on the node. */
const store = Layer.unwrap(
  Effect.sync(() => Layer.provide(storeAt(url!), Layer.succeed(Mark, fresh("cairn-log"))))
).pipe(Layer.provideMerge(freshClient))

describe.skipIf(!url)("a KurrentDB node", () => contract("KurrentDB", store))
