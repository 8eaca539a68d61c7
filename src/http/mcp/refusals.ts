import { Effect } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import { Problem, statusOf } from "#src/api/Problem.ts"
import { unsupported } from "../middleware/body.ts"
import { answering } from "../middleware/problems.ts"

/** Problems for the refusals that the server answers with an empty body. */
const refusals = [
  new Problem({
    code: "validation/invalid_body",
    message: "Only sessions of the protocol version 2025-03-26 take several messages at once. Send them one by one."
  }),
  new Problem({
    code: "not_found/session",
    message:
      "This key has no such MCP session: it may have ended after an hour without a request. Send initialize again."
  }),
  unsupported,
  new Problem({
    code: "header/not_acceptable",
    message: "An MCP client takes both kinds of answers. Send Accept: application/json, text/event-stream."
  })
]
export const noSession = refusals.find(({ code }) => code === "not_found/session")!

/** The store of sessions can't be asked at the moment. */
export const unavailable = new Problem({
  code: "unavailable/store",
  message: "The service can't reach its store at the moment. Send the same request again.",
  retryAfter: 1
})

export const tooManyMessages = new Problem({
  code: "validation/invalid_body",
  message: "More than 50 messages came at once. Send fewer."
})
/** A body that is no message of the protocol; `message` says why. */
export const malformed = (message: string) => new Problem({ code: "validation/invalid_body", message })
export const tooLarge = new Problem({
  code: "validation/invalid_body",
  message:
    "Only texts in a call's arguments may be long: all else in the messages has at most 65,536 characters. Send less at once."
})

const otherMethod = new Problem({
  code: "method/not_allowed",
  message: "/mcp takes the messages of MCP as POST, and DELETE for a session. It opens no stream for GET."
})
export const notAllowed = Effect.map(answering(otherMethod), HttpServerResponse.setHeader("allow", "POST, DELETE"))

/** Replaces an empty refusal of the server's with the one error body; the last to see the answer. */
export const spoken = HttpEffect.appendPreResponseHandler((_, response) => {
  const problem = refusals.find(({ code }) => statusOf[code] === response.status)
  return problem === undefined || response.body._tag !== "Empty" ? Effect.succeed(response) : answering(problem)
})
