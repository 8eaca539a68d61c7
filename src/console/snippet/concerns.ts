import type { RecordedEvent } from "../../../clients/typescript/src/index.ts"

/** Whether an event is of a snippet and, if a type is given, of that type. */
export const concerns =
  (id: string, type?: string) =>
  (event: RecordedEvent): boolean =>
    event.stream === `snippet-${id}` && (type === undefined || event.type === type)
