import { Effect } from "effect"
import { RetrievalEvent } from "#domain/Retrieval.ts"
import { Notes } from "#src/notes.ts"
import type { Service } from "#test/service.ts"

/** Notes a search of a tenant on a day (`2031-01-02`); gives the stream that it is on. */
export const noteSearch = async (service: Service, tenant: string, date: string, query = `asked on ${date}`) => {
  const stream = `retrieval-${tenant}-${date}`
  const event = RetrievalEvent.cases.SearchAnswered.make({
    home: tenant,
    snippets: [],
    scores: [],
    total: 0,
    cacheHit: false,
    subject: stream,
    text: { query }
  })
  const actor = { key: null, user: null, organization: tenant }
  await service.run(Effect.flatMap(Notes, ({ add }) => add({ tenant, stream, actor, event })))
  return stream
}
