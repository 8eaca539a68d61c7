import { Effect, Layer } from "effect"
import { HttpEffect, HttpMiddleware, HttpRouter, HttpServerResponse } from "effect/http"
import { Origin } from "#ports/Origin.ts"
import type { Config } from "#src/config/config.ts"
import { isPublicLibraryOpen } from "#src/snippets/publicLibrary.ts"
import { Answers } from "../answers.ts"
import { compressed } from "./compressed.ts"
import { guarded } from "./headers.ts"
import { admitting, namesOf } from "./hosts.ts"

export type Guarded = Pick<Config, "host" | "allowedHosts" | "trustedProxies" | "publicLibrary">

/** The last to see an answer, whichever route or middleware made it. */
const finishing = ({ sent }: Answers["Service"]) =>
  Effect.andThen(
    HttpEffect.appendPreResponseHandler((request, response) =>
      Effect.map(Origin, (origin) =>
        sent(
          request,
          guarded(
            request,
            origin?.requestId == null
              ? response
              : HttpServerResponse.setHeader(response, "x-request-id", origin.requestId)
          )
        )
      )
    ),
    compressed
  )

/**
 * Wraps all routes: it checks the host, takes the client's address from a trusted proxy, sets the headers for browsers
 * and caches, and compresses answers.
 */
export const layer = ({ host, allowedHosts, trustedProxies, publicLibrary }: Guarded) => {
  const admitted = admitting(namesOf(host, allowedHosts))
  const forwarded = HttpMiddleware.xForwardedHeaders({ trustedProxies })
  return Layer.effectDiscard(
    Effect.gen(function* () {
      const router = yield* HttpRouter.HttpRouter
      const finish = finishing(yield* Answers)
      yield* router.addGlobalMiddleware((app) =>
        Effect.onExit(Effect.provideService(admitted(forwarded(app)), isPublicLibraryOpen, publicLibrary), () => finish)
      )
    })
  )
}
