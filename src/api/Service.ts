import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication, Problems, Rate, Scoping, WellFormed } from "./middleware.ts"

const Status = Schema.Struct({
  version: Schema.String,
  /** ISO 8601. */
  started_at: Schema.String,
  runtime: Schema.String,
  memory_bytes: Schema.Int,
  head: Schema.String,
  missing: Schema.Array(Schema.Literals(["database", "log", "search"])),
  read_models: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      version: Schema.Int,
      position: Schema.NullOr(Schema.String),
      lag: Schema.NullOr(Schema.Int),
      rows: Schema.NullOr(Schema.Int),
      bytes: Schema.NullOr(Schema.Int),
      fault: Schema.NullOr(Schema.String)
    }).annotate({ identifier: "ReadModelStatus" })
  ),
  reactions: Schema.Array(
    Schema.Struct({ name: Schema.String, lag: Schema.Int, fault: Schema.NullOr(Schema.String) }).annotate({
      identifier: "ReactionStatus"
    })
  ),
  search: Schema.Struct({
    position: Schema.String,
    lag: Schema.Int,
    snippets: Schema.NullOr(Schema.Int),
    left_out: Schema.Int,
    fault: Schema.NullOr(Schema.String)
  }).annotate({ identifier: "SearchStatus" }),
  models: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      model: Schema.String,
      /** ISO 8601, as `failed_at`. */
      answered_at: Schema.NullOr(Schema.String),
      failed_at: Schema.NullOr(Schema.String),
      fault: Schema.NullOr(Schema.String)
    }).annotate({ identifier: "ModelStatus" })
  ),
  chats: Schema.Struct({ running: Schema.Int, waiting: Schema.Int }).annotate({ identifier: "ChatStatus" }),
  disks: Schema.Array(
    Schema.Struct({
      disk: Schema.Literals(["data", "database", "workspaces"]),
      free_bytes: Schema.Int,
      nearly_full: Schema.Boolean
    }).annotate({ identifier: "DiskStatus" })
  )
}).annotate({ identifier: "ServiceStatus" })

const Minute = Schema.Struct({
  /** ISO 8601. */
  at: Schema.String,
  answered: Schema.Int,
  refused: Schema.Int,
  failed: Schema.Int,
  left: Schema.Int
}).annotate({ identifier: "RequestMinute" })

const Requests = Schema.Struct({
  process: Schema.String,
  /** ISO 8601, as `until`. */
  since: Schema.String,
  until: Schema.String,
  minutes: Schema.Array(Minute)
}).annotate({ identifier: "RequestHistory" })

/** Routes that tell the operator how the service is: `/api/admin/status`, `/api/admin/requests`. */
export class ServiceApi extends HttpApiGroup.make("service")
  .add(
    HttpApiEndpoint.get("status", "/api/admin/status", { success: Status }).annotateMerge(
      OpenApi.annotations({
        summary: "The state of the service: its read models, reactions, search, chats and disks",
        description:
          "For owners of the organization that the service made for its operator at its first start. With several processes, the one that answers tells its own view. `lag` counts positions of the log: 0 is up to date."
      })
    ),
    HttpApiEndpoint.get("requests", "/api/admin/requests", { success: Requests }).annotateMerge(
      OpenApi.annotations({
        summary: "How many requests of the last day were answered, and how, minute by minute",
        description:
          "For owners of the organization that the service made for its operator. With several processes, each counts what it answers itself, from its start on, and tells only that. All requests count except those for `/health` and `/ready`; minutes without requests are left out. Nothing else is kept of a request."
      })
    )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Service", description: "The state of the service." })) {}
