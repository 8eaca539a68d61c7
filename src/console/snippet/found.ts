import type { RecordedEvent } from "../../../clients/typescript/src/index.ts"

/** Where a snippet stood in what a search answered. */
export interface Retrieval {
  readonly event: RecordedEvent
  /** From 1. */
  readonly place: number
  readonly score: number | undefined
}

/** The searches among events that found a snippet, the newest first. */
export const retrievalsOf = (id: string, events: ReadonlyArray<RecordedEvent>): ReadonlyArray<Retrieval> =>
  events.toReversed().flatMap((event) => {
    const { snippets, scores } = event.data as { snippets?: ReadonlyArray<string>; scores?: ReadonlyArray<number> }
    const at = snippets?.indexOf(id) ?? -1
    return at === -1 ? [] : [{ event, place: at + 1, score: scores?.[at] }]
  })
