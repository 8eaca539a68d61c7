import type { IncomingMessage } from "node:http"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { operatorsOrganization } from "#projections/Keys/holders.ts"
import { Keys } from "#projections/Keys/tables.ts"
import { Api } from "#src/api/Api.ts"
import { Problem } from "#src/api/Problem.ts"
import { SignInCodes } from "#src/keys/SignInCodes.ts"
import { makeSignInKey } from "#src/keys/signInKey.ts"
import { freshOrStale, written } from "./answer.ts"
import { isLoopback, nameIn } from "./guard/hosts.ts"
import { isLocal } from "./listener.ts"
import { orProblem } from "./refusals.ts"

/**
 * The sign-in link of a service that listens at `host` and `port`; `undefined`: its own machine does not reach it at a
 * loopback address. The code stands behind `#`, which no browser sends anywhere.
 */
export const signInLink = (host: string, port: number, code: string): string | undefined => {
  const isAny = host === "0.0.0.0" || host === "::"
  const name = isAny ? "127.0.0.1" : host === "::1" ? "[::1]" : host
  return isLoopback(name) ? `http://${name}:${port}/overview#sign-in=${code}` : undefined
}

const notThisMachine = new Problem({
  code: "permission/not_this_machine",
  message:
    "The sign-in link works on the machine that the service runs on, at 127.0.0.1 and without a proxy in between. Sign in with a key."
})

const wrong = new Problem({
  code: "permission/invalid_code",
  message:
    "The sign-in link is not valid any more: it works once, within a minute after the service has started. Start the service again for another one, or sign in with a key."
})

/** Headers in which proxies name their client. A request that has one comes from elsewhere, whoever it names. */
const passedOn = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via"]

/** Fails unless the connection comes from this machine, to a loopback name, and without a proxy in between. */
const fromThisMachine = Effect.gen(function* () {
  const { source } = yield* HttpServerRequest.HttpServerRequest
  // the request as it came: a trusted proxy's headers have changed the one that handlers see
  const { headers, socket } = source as IncomingMessage
  const peer = socket.remoteAddress ?? ""
  const host = nameIn(headers.host ?? "") ?? ""
  const isPassedOn = passedOn.some((name) => headers[name] !== undefined)
  // a foreign page in a browser on this machine, which could only use the code up
  const isForeign = headers.origin !== undefined && URL.parse(headers.origin)?.host !== headers.host
  if (!isLocal(peer) || !isLoopback(host) || isPassedOn || isForeign) return yield* notThisMachine
})

export const layer = HttpApiBuilder.group(Api, "signIn", (handlers) =>
  handlers.handle("exchange", ({ payload }) =>
    Effect.gen(function* () {
      yield* fromThisMachine
      if (!(yield* (yield* SignInCodes).take(payload.code))) return yield* wrong
      yield* freshOrStale(Keys)
      const organization = yield* Effect.orDie(operatorsOrganization)
      if (organization === undefined) return yield* wrong
      const { full, id, expiresAt, position } = yield* makeSignInKey(organization).pipe(
        Effect.catchTag("SqlError", Effect.die)
      )
      yield* written(position)
      return { key: full, key_id: id, expires_at: new Date(expiresAt).toISOString() }
    }).pipe(orProblem)
  )
)
