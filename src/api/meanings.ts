/** What an answer of each status means, for readers of the document. */
export const meanings: { readonly [status: string]: string } = {
  "200": "Done.",
  "202": "The request is stored and goes on by itself; `Location` says where to look.",
  "400": "The request is malformed or out of range; `errors` names every field.",
  "401": "The API key is missing, or not valid (any more).",
  "403": "The key may not do this.",
  "404": "There is no such thing in the caller's scope.",
  "405": "The route has no such method.",
  "409": "The request contradicts what is stored.",
  "408": "The body came too slowly.",
  "412": "The condition in `If-Match` or `If-None-Match` does not hold.",
  "413": "The body is larger than the route takes.",
  "415": "The body is not `application/json`.",
  "421": "The service is not known by the name in the header `Host`.",
  "429": "Too many requests in the last minute; `Retry-After` says when to go on.",
  "431": "The head of the request is larger than 16 KiB.",
  "500": "A defect of the service; its log has the request id.",
  "503": "Not possible at the moment: send the same request again after `Retry-After` seconds.",
  "507": "A disk of the service is nearly full: nothing more is stored until there is room."
}
