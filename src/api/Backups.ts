import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authentication, Problems, Rate, Scoping, WellFormed } from "./middleware.ts"

const Recipient = Schema.String.check(
  Schema.isPattern(/^age1[0-9a-z]{1,3000}(,age1[0-9a-z]{1,3000}){0,19}$/, {
    message: "is no recipient of age; expected one that begins with age1, or up to 20 with commas between"
  })
)

/** The route that sends a backup. */
export class BackupsApi extends HttpApiGroup.make("backups")
  .add(
    HttpApiEndpoint.get("backup", "/api/admin/backup", {
      query: Schema.Struct({ recipient: Schema.optional(Recipient) }),
      success: HttpApiSchema.StreamUint8Array({ contentType: "application/x-tar" })
    }).annotateMerge(
      OpenApi.annotations({
        summary: "A backup of the whole service, with the data of every organization, as a tar for `cairn restore`",
        description:
          "For owners of the organization that the service made for its operator at its first start. The backup is made while it is sent, one at a time; a second one is refused. Its last file is the manifest: an archive without it was cut off, and `cairn restore` refuses it. Without `recipient`, the backup is not encrypted."
      })
    )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Backups", description: "Everything that the service has." })) {}
