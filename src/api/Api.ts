import { HttpApi, OpenApi } from "effect/http-api"
import { ChatApi } from "./Chat.ts"
import { EventsApi } from "./Events.ts"
import { KeysApi } from "./Keys.ts"
import { SnippetsApi } from "./Snippets.ts"
import { SystemApi } from "./System.ts"
import { WorkspacesApi } from "./Workspaces.ts"

/** The whole REST contract. A bad request is told everything that is wrong with it at once. */
export class Api extends HttpApi.make("cairn")
  .add(ChatApi)
  .add(SnippetsApi)
  .add(KeysApi)
  .add(WorkspacesApi)
  .add(EventsApi)
  .add(SystemApi)
  .annotate(HttpApi.PayloadParseOptions, { errors: "all" })
  .annotate(HttpApi.QueryParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Cairn",
      version: "0.1.0",
      description: "Agent workspaces and a store of proven code snippets, self-hosted and event-sourced."
    })
  ) {}
