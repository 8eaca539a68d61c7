/** From this score on a match is offered to agents; bench/search.ts prints what it is worth. */
export const leastOffered = 0.6
