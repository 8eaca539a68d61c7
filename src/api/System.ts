import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Problems, WellFormed } from "./middleware.ts"

const Readiness = Schema.Struct({
  status: Schema.Literals(["ready", "starting", "failing"]),
  read_models: Schema.Record(Schema.String, Schema.String),
  reactions: Schema.Record(Schema.String, Schema.String).annotate({
    description:
      "What follows from events, of what this process runs: `ok`, `behind`, or why it stands still. No reason not to serve."
  }),
  missing: Schema.Array(Schema.Literals(["database", "log", "search"])).annotate({
    description:
      "What can't be had at the moment, and is taken up again by itself. Without `search`, searches answer 503; without the `log`, writes do, and reads may be old; all else goes on, so neither is a reason not to serve. Without the `database` nothing goes on."
  }),
  embeddings: Schema.optionalKey(
    Schema.Struct({
      model: Schema.String.annotate({ description: "As the operator has named it." }),
      state: Schema.String.annotate({
        description:
          "`ok`; `filling`, not all that is stored is embedded yet; or what is wrong with it. Searches go by the service's own table then."
      })
    }).annotate({ description: "The embedding model, where one is named. No reason not to serve." })
  ),
  nearly_full: Schema.Array(Schema.Literals(["data", "database", "workspaces"])).annotate({
    description:
      "Disks of the service that have so little room left that writes to them answer 507 until there is more: of the `data` folder, the embedded `database`, the `workspaces`. No reason not to serve: reads go on."
  }),
  left_out: Schema.Struct({
    count: Schema.Int.annotate({ description: "How many snippets they are." }),
    snippets: Schema.Array(Schema.String).annotate({ description: "The ids of some of them, 20 at most." }),
    streams: Schema.Array(Schema.String).annotate({
      description:
        "Streams of the log, 20 at most, for which something that follows from their events could not be done so far, such as a ref that moves in a repository that can't be read. It is tried again every ten seconds."
    })
  }).annotate({
    description:
      "Snippets that are stored and not found by all that they say, because no terms could be made of it or it is longer than what is searched. No reason not to serve."
  })
})

/** What needs no key. */
export class SystemApi extends HttpApiGroup.make("system")
  .add(
    HttpApiEndpoint.get("health", "/health", {
      success: Schema.Struct({ status: Schema.Literal("healthy") })
    }).annotateMerge(OpenApi.annotations({ summary: "Whether the process answers" })),
    HttpApiEndpoint.get("ready", "/ready", {
      success: [Readiness, Readiness.annotate({ identifier: "NotReady" }).pipe(HttpApiSchema.status(503))]
    }).annotateMerge(OpenApi.annotations({ summary: "Whether every read model has passed the log's head at start" })),
    HttpApiEndpoint.get("skill", "/skill.md", {
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/markdown; charset=utf-8" }))
    }).annotateMerge(OpenApi.annotations({ summary: "This service, described for agents" }))
  )
  .middleware(WellFormed)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "System", description: "Health, readiness, documents." })) {}
