/**
 * Two ports of loopback at which nobody listens: the system gives none below 1,024 to who asks for any, so that no
 * other test's server is there by chance, as may be at one that was free a moment ago. And `fetch` asks at them, which
 * refuses 1, 7, 9 and others by itself, before anything is connected.
 */
export const nobodysPorts = [2, 3] as const
