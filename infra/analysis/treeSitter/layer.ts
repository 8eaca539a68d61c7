import { Effect, Layer } from "effect"
import { beginningOf } from "#domain/text/beginningOf.ts"
import { type Analysis, SourceAnalysis } from "#ports/SourceAnalysis.ts"
import { Workers } from "#ports/Workers.ts"
import { languageOfPath, stemOf } from "./languages.ts"

/** Milliseconds for one source; most take a few. */
const patience = 10_000
const patienceWithText = 5_000

/** The analysis of a source that can't even be read as text in time: what its path says. */
const unread = (path: string): Analysis => ({
  language: languageOfPath(path) ?? "text",
  languageVersion: null,
  name: beginningOf(stemOf(path), 300) || "snippet",
  entrypoint: "",
  description: "",
  inputSchema: {},
  outputSchema: {},
  tags: [],
  capabilities: [],
  functions: [],
  completeness: 0
})

/**
 * Source analysis by tree-sitter grammars, always in a worker: 16 KB of `a<b>::` take a grammar 28 seconds, and a
 * source of any length may be hostile.
 */
export const layer = Layer.effect(
  SourceAnalysis,
  Effect.gen(function* () {
    const workers = yield* Workers
    return SourceAnalysis.of({
      analyse: (path, source) =>
        workers.run("analyse", [path, source], { within: patience }).pipe(
          Effect.catchTag("TookTooLong", () =>
            workers.run("analyseAsText", [path, source], { within: patienceWithText })
          ),
          Effect.catchTag("TookTooLong", () => Effect.succeed(unread(path)))
        ),
      analyseRepository: (files, given) =>
        workers.run("analyseRepository", [files, given], { within: patience }).pipe(
          Effect.catchTag("TookTooLong", () => {
            // by their paths alone
            const named = files.map(({ path }) => ({ path, content: "" }))
            return workers.run("analyseRepository", [named, given], { within: patience })
          }),
          Effect.catchTag("TookTooLong", Effect.die)
        )
    })
  })
)
