import { Effect, Layer, PubSub } from "effect"
import type { DomainEvent } from "#domain/events.ts"
import { SnippetEvent } from "#domain/Snippet/events.ts"
import { positionOf } from "#engine/Position.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import { Projector } from "#engine/project.ts"
import * as PostgresReadModels from "#infra/postgres/readModels/layer.ts"
import * as EmbeddingTable from "#infra/search/embeddings/layer.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { freshStore } from "#test/infra/stores.ts"
import { recorded } from "#test/recorded.ts"
import { nothingMore } from "#test/snippetText.ts"

export const uploaded = (snippet: string, source: string) =>
  SnippetEvent.cases.SnippetUploaded.make({
    snippet,
    home: "home",
    generation: 0,
    sourceDigest: "d",
    origin: "upload",
    author: null,
    language: "python",
    completeness: 1,
    succeeded: true,
    published: false,
    subject: `snippet/${snippet}`,
    text: {
      ...nothingMore,
      name: snippet,
      path: `${snippet}.py`,
      source,
      entrypoint: "",
      task: "sort a list"
    }
  })

/** Takes events in behind a position. */
export const taken = Effect.fnUntraced(function* (events: ReadonlyArray<DomainEvent>, after = 0) {
  const models = yield* ReadModels
  const build = yield* models.live(Snippets)
  yield* models.apply(
    [build],
    events.map((event, at) => recorded(after + at + 1, event)),
    positionOf(after + events.length)
  )
})

/** A projector that says nothing. */
export const projector = Layer.effect(
  Projector,
  Effect.map(PubSub.sliding<string>(1), (moved) => Projector.of({ moved, failures: Effect.succeed(new Map()) }))
)

/** A catalogue of nothing. */
export const catalogue = PostgresReadModels.layer.pipe(
  Layer.provideMerge(freshStore),
  Layer.provideMerge(EmbeddingTable.layer)
)
