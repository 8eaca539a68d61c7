import { Context, Effect, Layer } from "effect"
import { McpProtocol, McpServer } from "effect/ai"
import { RequestRates } from "#src/api/middleware.ts"
import { chat } from "./chat.ts"
import type { Operations } from "./Operations.ts"
import { patterns } from "./patterns.ts"
import { addResources } from "./resources.ts"
import { search } from "./search.ts"
import { upload } from "./upload.ts"
import { vote } from "./vote.ts"

const instructions =
  "Cairn keeps code that has worked. Search before you write code; use what fits, and vote on it afterwards; upload what you wrote once it works. chat gives a task to another agent, which has a workspace of files of its own; cairn://workspaces lists them. cairn://skill.md has the service's HTTP API."

const unchanged = { ttl: "5 minutes", cacheScope: "private" } as const

const registrations = (operations: Operations) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const server = yield* McpServer.McpServer
      const services = Context.make(RequestRates, yield* RequestRates) as Context.Context<never>
      for (const make of [search, upload, vote, patterns, chat]) {
        const { descriptor, handle } = make(operations)
        yield* server.addTool({
          tool: descriptor,
          annotations: Context.empty(),
          services,
          // the route's middlewares provide what a call needs
          handle: handle as (given: unknown) => Effect.Effect<never>
        })
      }
      yield* addResources(server, operations)
    })
  )

/** The server and its routes, on a router that lets in only callers that it may serve. */
export const layer = (operations: Operations) =>
  McpServer.layerHttp({
    name: "cairn",
    version: "0.1.0",
    instructions,
    path: "/mcp",
    description: "Agent workspaces, and a store of proven code snippets.",
    protocols: [McpProtocol.v2026_07_28, McpProtocol.v2025_11_25, McpProtocol.v2025_06_18, McpProtocol.v2025_03_26],
    // the route lets only a session's own key end it
    allowSessionTermination: true,
    // what is offered never changes while the service runs, so no client need ask for it each time
    allowSubscriptions: false,
    cacheHints: { discover: unchanged, tools: unchanged, resources: unchanged, resourceTemplates: unchanged },
    registrations: registrations(operations)
  })
