/**
 * Milliseconds between two looks at what happens: on a busy service something does all the time, and a key has so many
 * requests a minute for all of its tabs.
 */
export const rest = 15_000
/** Milliseconds between two looks where nothing happens: the day goes on. */
export const slowly = 300_000
