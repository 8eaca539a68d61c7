import { Effect } from "effect"
import { erasures } from "#domain/erasures.ts"
import type { EventType } from "#domain/events.ts"
import { AsOfs } from "#src/audit/AsOfs.ts"
import { reaction } from "#src/reaction.ts"

/** Erases a bundle as it was sent, when its snippets have it: nothing is gone that somebody wanted gone. */
const movesOnly: ReadonlyArray<EventType> = ["UploadStored"]

const erasing = (Object.keys(erasures) as ReadonlyArray<EventType>).filter((type) => !movesOnly.includes(type))

/** Removes read models as of a position when a text is erased: they can be made again without it. */
export const DropErased = reaction({
  name: "drop_erased_as_of",
  on: erasing,
  handle: ({ position }) => Effect.flatMap(AsOfs, ({ dropErased }) => dropErased(position))
})
