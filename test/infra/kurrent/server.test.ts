import { Effect, Layer, Logger, Redacted } from "effect"
import { Kurrent } from "#infra/kurrent/client.ts"
import { server } from "../../kurrent/Server.contract.ts"
import { doubleOf } from "../../kurrent/stores.ts"

for (const version of ["23.10.6", "26.1.0"]) {
  const kurrent = Layer.unwrap(Effect.map(doubleOf(version), ({ url }) => Kurrent.layer(Redacted.make(url))))
  server(`the double of ${version}`, Layer.merge(kurrent, Logger.layer([])))
}
