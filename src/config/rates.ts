/** Requests a minute by class of path; `Infinity` is off. */
export type Rates = { readonly [C in RateClass]: number }
export type RateClass = "keys_create" | "keys_list" | "keys_revoke" | "search" | "store" | "chat" | "other"

export const defaultRates: Rates = {
  keys_create: 20,
  keys_list: 30,
  keys_revoke: 10,
  search: 200,
  store: 300,
  chat: 120,
  other: 100
}
