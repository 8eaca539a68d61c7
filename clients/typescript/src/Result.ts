/** What every result carries beside its own fields. */
export interface Result {
  /** The service's id of the request, for its operator. Not enumerable: neither JSON nor a comparison sees it. */
  readonly _requestId?: string | null
}

/** Notes the request's id on a result that is an object. */
export const withRequestId = <T>(data: T, requestId: string | null): T =>
  typeof data === "object" && data !== null
    ? Object.defineProperty(data, "_requestId", { value: requestId, enumerable: false })
    : data
