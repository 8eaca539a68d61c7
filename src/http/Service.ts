import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Asker } from "#engine/ask.ts"
import { positionOf } from "#engine/Position.ts"
import { schemaOf } from "#engine/Projection.ts"
import { Projector } from "#engine/project.ts"
import { Reacting } from "#engine/reacting.ts"
import { DatabaseLook } from "#ports/DatabaseLook.ts"
import { LanguageModel } from "#ports/LanguageModel.ts"
import { ModelsSeen } from "#ports/ModelsSeen.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { Api } from "#src/api/Api.ts"
import { version } from "#src/api/version.ts"
import { Disks } from "#src/disks.ts"
import { lagOf, positionWriter } from "#src/positions.ts"
import { Indexing } from "#src/snippets/indexing.ts"
import { Runs } from "#src/workspaces/queue.ts"
import { RequestHistory } from "./observed/history.ts"
import { Readiness } from "./ready.ts"
import { problemOf } from "./refusals.ts"

const runtime = (): string => {
  const { deno } = process.versions as { readonly deno?: string }
  return deno === undefined ? `Node ${process.versions.node}` : `Deno ${deno}`
}

const written = (milliseconds: number): string => new Date(milliseconds).toISOString()
const timeOf = (milliseconds: number | null) => (milliseconds === null ? null : written(milliseconds))

export const layer = HttpApiBuilder.group(Api, "service", (handlers) =>
  handlers
    .handle("requests", () =>
      Effect.gen(function* () {
        const history = yield* RequestHistory
        const now = yield* Clock.currentTimeMillis
        const { since, minutes } = history.told(now)
        return {
          process: history.process,
          since: written(since),
          until: written(now),
          minutes: minutes.map(({ at, ...counts }) => ({ at: written(at), ...counts }))
        }
      })
    )
    .handle("status", () =>
      Effect.gen(function* () {
        const tell = yield* positionWriter
        const { projections, report } = yield* Readiness
        const looked = yield* Effect.mapError((yield* Asker).look, problemOf)
        const { head, models } = looked
        const { missing } = yield* report(looked)
        const failures = yield* (yield* Projector).failures
        const sizes = yield* Effect.orElseSucceed((yield* DatabaseLook).readModels, () => undefined)
        const seen = yield* (yield* ModelsSeen).seen
        const indexing = yield* Indexing
        const indexed = positionOf(yield* indexing.position)
        return {
          version,
          started_at: written(Date.now() - process.uptime() * 1_000),
          runtime: runtime(),
          memory_bytes: process.memoryUsage().rss,
          head: tell(head),
          missing,
          read_models: projections.map((projection) => {
            const name = schemaOf(projection)
            const standing = models.get(name)
            return {
              name: projection.name,
              version: projection.version,
              position: standing === undefined ? null : tell(standing.position),
              lag: standing === undefined ? null : lagOf(standing.position, standing.due),
              rows: sizes?.get(name)?.rows ?? null,
              bytes: sizes?.get(name)?.bytes ?? null,
              fault: failures.get(name) ?? null
            }
          }),
          reactions: [...((yield* Reacting) ?? [])].map(([name, progress]) => {
            const { lag, fault = null } = progress()
            return { name, lag, fault }
          }),
          search: {
            position: tell(indexed),
            lag: lagOf(indexed, models.get(schemaOf(Snippets))?.changed ?? indexed),
            snippets: (yield* indexing.size) ?? null,
            left_out: (yield* indexing.leftOut).size,
            fault: (yield* indexing.fault) ?? null
          },
          models: (yield* LanguageModel).choices.named.map(({ name, model }) => {
            const { answeredAt = null, failedAt = null, fault = null } = seen.get(name) ?? {}
            return { name, model, answered_at: timeOf(answeredAt), failed_at: timeOf(failedAt), fault }
          }),
          chats: yield* (yield* Runs).counts,
          disks: [...(yield* Disks)()].map(([disk, { free, nearlyFull }]) => ({
            disk,
            free_bytes: free,
            nearly_full: nearlyFull
          }))
        }
      })
    )
)
