import { Effect, Layer } from "effect"
import { Texts } from "#engine/ports/Texts.ts"
import { beginning } from "../Position.ts"

/** Texts in memory: for tests and the example only. */
export const layer = Layer.sync(Texts, () => {
  const kept = new Map<string, { readonly subject: string; readonly bytes: Uint8Array }>()
  const erased = new Set<string>()
  const nameOf = (tenant: string, subject: string) => JSON.stringify([tenant, subject])
  return Texts.of({
    put: (texts) =>
      Effect.sync(() => {
        for (const { id, tenant, subject: of, bytes } of texts) {
          const subject = nameOf(tenant, of)
          if (!erased.has(subject) && !kept.has(id)) kept.set(id, { subject, bytes })
        }
      }),
    get: (ids) => Effect.sync(() => new Map(ids.flatMap((id) => (kept.has(id) ? [[id, kept.get(id)!.bytes]] : [])))),
    erase: (tenant, subjects) =>
      Effect.sync(() => {
        const gone = new Set(subjects.map((subject) => nameOf(tenant, subject)))
        for (const subject of gone) erased.add(subject)
        for (const [id, { subject }] of kept) if (gone.has(subject)) kept.delete(id)
      }),
    finished: Effect.succeed(beginning)
  })
})
