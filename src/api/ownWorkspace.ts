import { Context } from "effect"
import type { Problem } from "./Problem.ts"

/** Whether a route's body may name a workspace, in place of the headers': annotated on its endpoint. */
export const OwnWorkspace = Context.Reference<boolean>("cairn/OwnWorkspace", { defaultValue: () => false })

/** Why the headers alone open nothing, on such a route: for want of a workspace, which the body may have. */
export const WithoutWorkspace = Context.Reference<Problem | undefined>("cairn/WithoutWorkspace", {
  defaultValue: () => undefined
})
