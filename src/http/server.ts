import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "#src/api/Api.ts"
import { Closing } from "#src/closing.ts"
import type { Config } from "#src/config/config.ts"
import type { Rates } from "#src/config/rates.ts"
import { isCounted } from "#src/config/telemetry.ts"
import * as Access from "./Access.ts"
import * as Activity from "./Activity.ts"
import * as AsOf from "./AsOf.ts"
import { Answers } from "./answers.ts"
import * as Backups from "./Backups.ts"
import * as Bundles from "./Bundles.ts"
import * as Chat from "./Chat.ts"
import * as Comments from "./Comments.ts"
import * as Community from "./community.ts"
import * as Console from "./console.ts"
import * as Documents from "./documents.ts"
import * as Events from "./Events.ts"
import * as Executions from "./Executions.ts"
import * as Functions from "./Functions.ts"
import * as Fallback from "./fallback.ts"
import * as Git from "./git.ts"
import * as Guard from "./guard/guard.ts"
import * as Keys from "./Keys.ts"
import { defaults, makeServer } from "./listener.ts"
import * as Mcp from "./mcp.ts"
import * as AddressRate from "./middleware/addressRate.ts"
import * as Authentication from "./middleware/authentication.ts"
import * as Body from "./middleware/body.ts"
import * as Idempotency from "./middleware/idempotency.ts"
import * as Problems from "./middleware/problems.ts"
import * as Rate from "./middleware/rate.ts"
import * as Scope from "./middleware/scope.ts"
import * as Organizations from "./Organizations.ts"
import { RequestHistory } from "./observed/history.ts"
import * as Observed from "./observed/listener.ts"
import { observed } from "./observed/requests.ts"
import * as Patterns from "./Patterns.ts"
import * as Public from "./Public.ts"
import * as Raw from "./Raw.ts"
import * as Replays from "./Replays.ts"
import * as Repos from "./Repos.ts"
import * as Runs from "./Runs.ts"
import * as Service from "./Service.ts"
import * as SignIn from "./SignIn.ts"
import * as Snippets from "./Snippets.ts"
import * as System from "./System.ts"
import * as Usage from "./Usage.ts"
import * as Users from "./Users.ts"
import * as Workspaces from "./Workspaces.ts"

export interface Options extends Guard.Guarded, Pick<Config, "metricsPort" | "telemetry" | "memoryLimit" | "dataDir"> {
  readonly port: number
  readonly rates: Rates
}

const handlers = Layer.mergeAll(
  Chat.layer,
  Snippets.layer,
  Repos.layer,
  Public.layer,
  Raw.layer,
  Executions.layer,
  Comments.layer,
  Patterns.layer,
  Functions.layer,
  Bundles.layer,
  Keys.layer,
  Runs.layer,
  Workspaces.layer,
  Events.layer,
  Backups.layer,
  Organizations.layer,
  Organizations.erasures,
  Users.layer,
  Usage.layer,
  Access.layer,
  Activity.layer,
  Service.layer,
  Replays.layer,
  AsOf.layer,
  SignIn.layer,
  System.layer
)

/** Routes, documents and middlewares, on the services they need. */
export const routes = ({ rates, ...options }: Options) =>
  Layer.mergeAll(
    HttpApiBuilder.layer(Api).pipe(Layer.provide(handlers)),
    Documents.layer,
    Console.layer,
    Community.layer,
    Git.layer,
    Mcp.layer,
    Fallback.layer,
    Guard.layer(options)
  ).pipe(
    Layer.provide([
      AddressRate.layer(rates),
      Authentication.layer,
      Layer.provideMerge(Body.layer, Body.Rooms.layer),
      Idempotency.layer,
      Problems.layer,
      Rate.layer(rates),
      Scope.layer
    ])
  )

/** Listens. When its scope closes, it takes no more requests and gives those under way 10 s to end. */
export const serve = (options: Options) =>
  Closing.announce.pipe(Layer.provideMerge(listen(options)), Layer.provideMerge(Closing.layer))

const watching = ({ metricsPort, telemetry, memoryLimit, dataDir }: Options) =>
  isCounted({ metricsPort, telemetry })
    ? Observed.layer(metricsPort, telemetry !== undefined, { memoryLimit, dataDir })
    : Layer.empty

const serving = (options: Options) =>
  Layer.unwrap(
    Effect.map(RequestHistory, (history) =>
      HttpRouter.serve(routes(options), {
        disableLogger: true,
        disableListenLog: true,
        middleware: observed(isCounted(options), history),
        // a file's path is one parameter; a request's head is limited to 16 KiB anyway
        routerConfig: { maxParamLength: 16_384 }
      })
    )
  ).pipe(Layer.provide(RequestHistory.layer))

const listen = (options: Options) =>
  serving(options).pipe(
    Layer.provideMerge(
      NodeHttpServer.layer(() => makeServer(defaults, options.trustedProxies), {
        host: options.host,
        port: options.port,
        gracefulShutdownTimeout: "10 seconds"
      })
    ),
    Layer.merge(watching(options)),
    Layer.provide([Answers.layer, Body.Rooms.layer])
  )
