import { type HttpServerRequest, HttpServerResponse } from "effect/http"

/** The policy of what is no page: nothing in it may run or load, and no page may show it in a frame. */
const closed = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

const always = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin"
}

/**
 * Sets the headers for browsers and caches on every answer. A route may bring a content policy of its own and, for
 * requests without a key, its own cache-control. No cache may keep an answer to a request with a key.
 */
export const guarded = (
  { headers: asked }: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  const { headers } = response
  const policy = headers["content-security-policy"]
  const kept = headers["cache-control"]
  const isPublic = asked["authorization"] === undefined && kept !== undefined
  return HttpServerResponse.setHeaders(response, {
    ...always,
    "content-security-policy": policy === undefined ? closed : withFrames(policy),
    "cache-control": isPublic ? kept : "no-store"
  })
}

const withFrames = (policy: string): string =>
  policy.includes("frame-ancestors") ? policy : `${policy}; frame-ancestors 'none'`
