import type { Role } from "../../../clients/typescript/src/index.ts"

/** The roles from the most authority to the least. */
const order: ReadonlyArray<Role> = ["owner", "admin", "member", "reader"]

/** Whether one has more authority than another. */
export const isAbove = (one: Role, other: Role): boolean => order.indexOf(one) < order.indexOf(other)

/** The roles that somebody of a role may give to others. */
export const givenBy = (role: Role): ReadonlyArray<"admin" | "member" | "reader"> =>
  role === "owner" ? ["admin", "member", "reader"] : ["member", "reader"]
