import { ServiceError } from "../../clients/typescript/src/index.ts"

/** Refusals of whoever asks, or for now: the same request, sent before, may have been carried out. */
const undecided = [401, 403, 408, 429]

/** Whether the service has said of a request, by refusing it, that it will never be carried out. */
export const isDecided = (error: unknown): boolean =>
  error instanceof ServiceError &&
  error.statusCode !== null &&
  error.statusCode >= 400 &&
  error.statusCode < 500 &&
  !undecided.includes(error.statusCode)
