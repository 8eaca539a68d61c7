import { Effect } from "effect"
import { erasures } from "#domain/erasures.ts"
import type { EventType } from "#domain/events.ts"
import { AsOfs } from "#src/audit/AsOfs.ts"
import { reaction } from "#src/reaction.ts"

/** Erases what was sent, which is in the snippets then: nothing is gone that somebody has wanted gone. */
const movesOnly: ReadonlyArray<EventType> = ["UploadStored"]

const erasing = (Object.keys(erasures) as ReadonlyArray<EventType>).filter((type) => !movesOnly.includes(type))

/** An erasure reaches into read models as of a position by removing them: they can be made again, without the text. */
export const DropErased = reaction({
  name: "drop_erased_as_of",
  on: erasing,
  handle: ({ position }) => Effect.flatMap(AsOfs, ({ dropErased }) => dropErased(position))
})
