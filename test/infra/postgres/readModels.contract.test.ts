import { Layer } from "effect"
import { Given } from "#engine/Projection.ts"
import * as PostgresReadModels from "#infra/postgres/readModels/layer.ts"
import { contract } from "../../engine/ReadModels.contract.ts"
import { freshClient } from "../stores.ts"

contract(
  "Postgres",
  PostgresReadModels.layer.pipe(Layer.provide(Layer.succeed(Given, undefined)), Layer.provide(freshClient))
)
