import { errors } from "@elastic/elasticsearch"
import { isOfCertificate } from "#ports/certificate.ts"

const typeOf = (body: unknown): string => {
  const error = (body as { readonly error?: { readonly type?: unknown } | string } | undefined)?.error
  return typeof error === "object" && typeof error.type === "string" ? error.type : ""
}

/**
 * What went wrong, in a few words for the log, without what was sent. What Elasticsearch says about a document repeats
 * parts of it, so only the type of its error is given.
 */
export const faultOf = (error: unknown): string => {
  if (error instanceof errors.ProductNotSupportedError) return "what answers there is not Elasticsearch"
  if (error instanceof errors.TimeoutError) return "it did not answer in time"
  if (error instanceof errors.ResponseError) {
    const { statusCode = 0 } = error
    if (statusCode === 401) return "it refuses who asks (401): ELASTICSEARCH_API_KEY, or _USERNAME and _PASSWORD"
    if (statusCode === 403) return `who asks may not do it (403 ${typeOf(error.body)})`
    return `it answered ${statusCode} ${typeOf(error.body)}`.trimEnd()
  }
  const [said = ""] = (error instanceof Error ? error.message : String(error)).split(/[;\n]/)
  if (/wrong version number|InvalidContentType/i.test(said)) return "it does not speak TLS"
  if (isOfCertificate(said)) return `its certificate is not vouched for (${said}): name the CA in ELASTICSEARCH_CA_FILE`
  return said
}

/** Whether the same request may go through in a moment. */
export const passesByItself = (error: unknown): boolean => {
  if (error instanceof errors.ProductNotSupportedError) return false
  if (error instanceof errors.ResponseError) return [408, 429, 502, 503, 504].includes(error.statusCode ?? 0)
  if (error instanceof errors.TimeoutError) return true
  return error instanceof errors.ConnectionError && !isOfCertificate(error.message) && !/SSL|TLS/i.test(error.message)
}
