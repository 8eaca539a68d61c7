import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Problems, WellFormed } from "./middleware.ts"

const Readiness = Schema.Struct({
  status: Schema.Literals(["ready", "starting", "failing"]),
  read_models: Schema.Record(Schema.String, Schema.String),
  reactions: Schema.Record(Schema.String, Schema.String).annotate({
    description:
      "Each reaction that this process runs (what follows from events): `ok`, `behind`, or why it stands still. Does not affect readiness."
  }),
  missing: Schema.Array(Schema.Literals(["database", "log", "search"])).annotate({
    description:
      "What is unavailable at the moment; the service reconnects by itself. Without `search`, searches answer 503; without the `log`, writes answer 503 and reads may be old. Everything else goes on, so neither affects readiness. Without the `database` nothing goes on."
  }),
  embeddings: Schema.optionalKey(
    Schema.Struct({
      model: Schema.String.annotate({ description: "The name that the operator configured." }),
      state: Schema.String.annotate({
        description:
          "`ok`; `filling`: not everything stored is embedded yet; or what is wrong. Searches then use the service's own table."
      })
    }).annotate({ description: "The embedding model, if one is configured. Does not affect readiness." })
  ),
  nearly_full: Schema.Array(Schema.Literals(["data", "database", "workspaces"])).annotate({
    description:
      "Disks of the service with so little room left that writes to them answer 507 until there is more: the disk of the `data` folder, of the embedded `database`, of the `workspaces`. Does not affect readiness: reads go on."
  }),
  left_out: Schema.Struct({
    count: Schema.Int.annotate({ description: "How many snippets there are." }),
    snippets: Schema.Array(Schema.String).annotate({ description: "The ids of some of them, at most 20." }),
    streams: Schema.Array(Schema.String).annotate({
      description:
        "Streams of the log, at most 20, for which a reaction to their events has not succeeded yet, such as moving a ref in a repository that can't be read. The service tries again every ten seconds."
    })
  }).annotate({
    description:
      "Stored snippets that searches can't find by all of their text, because no terms could be made of it or it is longer than what is searched. Does not affect readiness."
  })
})

/** Routes for health, readiness and the skill document. They need no key. */
export class SystemApi extends HttpApiGroup.make("system")
  .add(
    HttpApiEndpoint.get("health", "/health", {
      success: Schema.Struct({ status: Schema.Literal("healthy") })
    }).annotateMerge(OpenApi.annotations({ summary: "Whether the process answers" })),
    HttpApiEndpoint.get("ready", "/ready", {
      success: [Readiness, Readiness.annotate({ identifier: "NotReady" }).pipe(HttpApiSchema.status(503))]
    }).annotateMerge(
      OpenApi.annotations({ summary: "Whether every read model has caught up with the log's head at start" })
    ),
    HttpApiEndpoint.get("skill", "/skill.md", {
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/markdown; charset=utf-8" }))
    }).annotateMerge(OpenApi.annotations({ summary: "This service, described for agents" }))
  )
  .middleware(WellFormed)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "System", description: "Health, readiness, documents." })) {}
