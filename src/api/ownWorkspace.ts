import { Context } from "effect"
import type { Problem } from "./Problem.ts"

/** Annotates an endpoint whose body may name a workspace, in place of the headers. */
export const OwnWorkspace = Context.Reference<boolean>("cairn/OwnWorkspace", { defaultValue: () => false })

/** For such an endpoint: why the headers alone open nothing. They name no workspace, but the body may. */
export const WithoutWorkspace = Context.Reference<Problem | undefined>("cairn/WithoutWorkspace", {
  defaultValue: () => undefined
})
