import { Effect, Layer } from "effect"
import { layer } from "#infra/search/elastic/layer.ts"
import { Installation } from "#ports/Installation.ts"
import { embeddings } from "#test/embeddings.ts"

let count = 0

/** A name that no index of this run has yet. */
export const newName = () => `cairn-test-${process.pid}-${count++}`

/** The adapter on an index; another installation is another Cairn. */
export const indexAt = (url: string, index: string, installation = "one") =>
  layer({ url, auth: undefined, caFile: undefined, index }).pipe(
    Layer.provideMerge(Layer.merge(embeddings, Layer.succeed(Installation, { secret: installation })))
  )

/** The adapter on an index that nobody has used: another one each time it is built. */
export const newIndex = (url: string) => Layer.unwrap(Effect.sync(() => indexAt(url, newName())))
