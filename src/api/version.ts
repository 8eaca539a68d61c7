/** Of the service and of its API. */
export const version = "0.1.0"
