import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Layer, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

/** The peer of the service's routes: an HttpApi that answers with what it was sent, and does nothing else. */
class Echo extends HttpApi.make("echo").add(
  HttpApiGroup.make("echo").add(
    HttpApiEndpoint.post("echo", "/echo", {
      payload: Schema.Struct({ task: Schema.String }),
      success: Schema.Struct({ task: Schema.String })
    })
  )
) {}

const handlers = HttpApiBuilder.group(Echo, "echo", (group) =>
  group.handle("echo", ({ payload }) => Effect.succeed(payload))
)

HttpRouter.serve(HttpApiBuilder.layer(Echo).pipe(Layer.provide(handlers)), { disableLogger: true }).pipe(
  Layer.provide(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: Number(process.env["PORT"]) })),
  Layer.launch,
  NodeRuntime.runMain
)
