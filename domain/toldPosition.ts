/**
 * How a log's positions are told; four letters stand before those of one that was moved to an engine which counts
 * otherwise.
 */
export const toldPosition = /^(?:[a-z]{4}-)?[0-9]{1,15}$/u
