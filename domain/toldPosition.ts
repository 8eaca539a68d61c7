/**
 * How callers are told a log's positions. Four letters come first if the log was moved to an engine that counts
 * differently.
 */
export const toldPosition = /^(?:[a-z]{4}-)?[0-9]{1,15}$/u
