import { Effect } from "effect"
import { Upload, UploadCommand, uploadStream } from "#domain/Upload.ts"
import { fresh } from "#engine/ask.ts"
import { derivedId } from "#engine/derivedId.ts"
import { dispatch } from "#engine/dispatch.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { deserted, Uploads } from "#projections/Uploads.ts"
import { reaction } from "#src/reaction.ts"

/** The prompts and logs of a bulk upload go with the last of its snippets. */
export const EraseUploads = reaction({
  name: "erase_uploads",
  // a snippet may be deleted before its upload is through
  on: ["SnippetDeleted", "UploadStored"],
  handle: ({ event, eventId, correlationId, actor }) =>
    Effect.gen(function* () {
      yield* Effect.all([fresh(Uploads), fresh(Snippets)])
      const [uploads, snippets] = event._tag === "UploadStored" ? [[event.upload], []] : [[], [event.snippet]]
      for (const { id, tenant } of yield* deserted(uploads, snippets)) {
        yield* dispatch(Upload, {
          tenant,
          stream: uploadStream(id),
          command: UploadCommand.EraseUpload({ upload: id }),
          commandId: derivedId("erase_upload", id),
          correlationId,
          causationId: eventId,
          actor
        })
      }
    })
})
