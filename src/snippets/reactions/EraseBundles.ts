import { Effect } from "effect"
import { Bundle, BundleCommand, bundleStream } from "#domain/Bundle.ts"
import { fresh } from "#engine/ask.ts"
import { derivedId } from "#engine/derivedId.ts"
import { dispatch } from "#engine/dispatch.ts"
import { Bundles, deserted } from "#projections/Bundles.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { reaction } from "#src/reaction.ts"

/** Erases a bundle's prompts and logs when the last of its snippets is deleted. */
export const EraseBundles = reaction({
  // the name that its checkpoint has had since bundles were called uploads
  name: "erase_uploads",
  // a snippet may be deleted before all files of its bundle are stored
  on: ["SnippetDeleted", "UploadStored"],
  handle: ({ event, eventId, correlationId, actor }) =>
    Effect.gen(function* () {
      yield* Effect.all([fresh(Bundles), fresh(Snippets)])
      const [bundles, snippets] = event._tag === "UploadStored" ? [[event.upload], []] : [[], [event.snippet]]
      for (const { id, tenant } of yield* deserted(bundles, snippets)) {
        yield* dispatch(Bundle, {
          tenant,
          stream: bundleStream(id),
          command: BundleCommand.EraseBundle({ bundle: id }),
          commandId: derivedId("erase_upload", id),
          correlationId,
          causationId: eventId,
          actor
        })
      }
    })
})
