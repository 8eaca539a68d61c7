import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { Problem } from "#src/api/Problem.ts"
import { BadConfig } from "#src/config/BadConfig.ts"
import { admitting, namesOf } from "../guard/hosts.ts"
import { answering } from "../middleware/problems.ts"
import { type LookedAt, makeLook, watchLoop } from "./gauges.ts"

const host = "127.0.0.1"

const elsewhere = answering(
  new Problem({ code: "not_found/route", message: "Only GET /metrics is here. The API has a port of its own." })
)

/** As Prometheus asks for it. */
const contentType = "text/plain; version=0.0.4; charset=utf-8"

const admitted = admitting(namesOf(host, []))

/** What the process counts, for Prometheus, at a port of this machine's own and under no other name. */
const listening = (port: number, look: Effect.Effect<void>) => {
  const answer = Effect.gen(function* () {
    const { method, url } = yield* HttpServerRequest.HttpServerRequest
    if (method !== "GET" || url.split("?")[0] !== "/metrics") return yield* elsewhere
    yield* look
    return HttpServerResponse.text(yield* PrometheusMetrics.format(), { contentType })
  })
  return HttpServer.serve(admitted(answer)).pipe(
    Layer.provide(NodeHttpServer.layer(() => createServer(), { host, port, gracefulShutdownTimeout: "1 second" })),
    Layer.catchTag("ServeError", ({ cause }) => {
      const message = `can't listen at ${host}:${port} (${(cause as NodeJS.ErrnoException).code}). Set CAIRN_METRICS_PORT to a free port.`
      return Layer.effectDiscard(new BadConfig({ message }))
    })
  )
}

/** How often states are looked at when metrics are sent, and nobody asks for them. */
const often = "5 seconds"

/** Watches over the process: at `port` for Prometheus, where one is given, and for OTLP where metrics are `sent`. */
export const layer = (port: number | undefined, sent: boolean, at: LookedAt) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const look = yield* makeLook(at)
      yield* watchLoop
      if (sent) yield* Effect.forkScoped(Effect.forever(Effect.andThen(look, Effect.sleep(often))))
      return port === undefined ? Layer.empty : listening(port, look)
    })
  )
