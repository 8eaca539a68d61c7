import { Effect } from "effect"
import { SnippetEvent } from "#domain/Snippet/events.ts"
import { derivedId } from "#engine/derivedId.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import * as Codec from "#src/codec.ts"
import type { EvaluationDocument } from "#test/evaluation.ts"
import { nothingMore } from "#test/snippetText.ts"
import { nobodys } from "./nobodys.ts"

/** The id under which the log has a document. */
export const snippetIdOf = ({ id }: EvaluationDocument): string => derivedId("bench", id)

/** `count` documents: these, and again under other ids and names where they are fewer. */
export const repeated = (documents: ReadonlyArray<EvaluationDocument>, count: number) =>
  Array.from({ length: count }, (_, at): EvaluationDocument => {
    const document = documents[at % documents.length]!
    const copy = Math.floor(at / documents.length)
    return copy === 0
      ? document
      : { ...document, id: `${document.id} ${copy}`, name: `${document.name}_variant${copy}` }
  })

const uploaded = (document: EvaluationDocument) => {
  const snippet = snippetIdOf(document)
  return SnippetEvent.cases.SnippetUploaded.make({
    snippet,
    home: "home",
    generation: 0,
    sourceDigest: "d",
    origin: "import",
    author: null,
    language: document.language,
    completeness: 0.5,
    succeeded: true,
    published: false,
    subject: `snippet/${snippet}`,
    text: {
      ...nothingMore,
      name: document.name,
      path: `${document.name}.py`,
      source: document.source,
      entrypoint: document.name,
      description: document.description,
      tags: document.tags ?? []
    }
  })
}

/** Writes an upload of each document into the log, under the home `home`. */
export const upload = (documents: ReadonlyArray<EvaluationDocument>) =>
  Effect.flatMap(EventStore, (store) =>
    Effect.forEach(
      documents,
      (document) => {
        const commandId = derivedId("bench upload", document.id)
        return store.append({
          tenant: "home",
          stream: `snippet-${snippetIdOf(document)}`,
          expected: "none",
          commands: [nobodys(commandId, [Codec.encode(uploaded(document))])]
        })
      },
      { concurrency: 128, discard: true }
    )
  )
