import { type HttpServerRequest, HttpServerResponse } from "effect/http"

/** Of what is no page: nothing in it may run, load or be shown within another page. */
const closed = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

const always = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin"
}

/**
 * What every answer says to browsers and caches, whoever made it: a route's own word counts where it is stricter. What
 * was asked for with a key is nobody else's, so no cache may keep it.
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
