import { Effect, Schema } from "effect"
import { fraction, Text, whole } from "#src/api/fields.ts"
import { CallerScope } from "#src/api/middleware.ts"
import type { SearchMatch } from "#src/api/Snippets/search.ts"
import type { Operations } from "./Operations.ts"
import { tool } from "./tool.ts"

/** Characters of a source that stand in the text; the structure has all of them. */
const shownOfSource = 20_000

/** A fence that no line of the source ends. */
const fenced = (source: string, language: string): string => {
  const longest = Math.max(2, ...[...source.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}${/^[\w+#-]*$/.test(language) ? language : ""}\n${source}\n${fence}`
}

const shown = ({ code_block, filename, score, thumbs_up, thumbs_down, type }: SearchMatch, index: number): string => {
  const { id, name, description, language, source } = code_block
  const head = `## ${index + 1}. ${name} (${type === "repo" ? "repository" : language}), score ${score.toFixed(2)}, votes +${thumbs_up} −${thumbs_down}`
  const cut =
    source.length > shownOfSource ? `\nCut after ${shownOfSource} characters; GET /raw/${id}.md has it whole.` : ""
  const code = fenced(source.slice(0, shownOfSource), type === "repo" ? "markdown" : language)
  return `${head}\ncode_block_id: ${id}\nfilename: ${filename}\n${description}\n\n${code}${cut}`
}

export const search = (operations: Operations) =>
  tool({
    name: "search",
    title: "Find snippets for a task",
    description:
      "Finds code that has worked before, best first, by what it should do. Call it before you write code. Each match has a code_block_id to vote on.",
    input: Schema.Struct({
      task: Text.annotate({ description: "What the code should do, in plain words. One short sentence finds best." }),
      top_k: Schema.optionalKey(whole(1, 100).annotate({ description: "Most matches to give.", default: 5 })),
      min_score: Schema.optionalKey(
        fraction.annotate({ description: "Lowest verdict score, 0 to 1, by votes.", default: 0.3 })
      ),
      content_type: Schema.optionalKey(
        Schema.Literals(["file", "repo", "route", "script"]).annotate({
          description: "Only this kind; any unless given."
        })
      ),
      public_snips: Schema.optionalKey(
        Schema.Boolean.annotate({ description: "Also find public snippets of others.", default: false })
      )
    }),
    hints: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
    route: "/api/retrieve/search",
    run: ({ task, top_k, min_score, content_type, public_snips }) =>
      Effect.gen(function* () {
        const scope = yield* CallerScope
        const answer = yield* operations.search({ task, top_k, min_verdict_score: min_score, content_type }).pipe(
          Effect.provideService(CallerScope, {
            ...scope,
            includePublic: scope.includePublic || public_snips === true
          })
        )
        const { matches, total_found } = answer
        const text =
          matches.length === 0
            ? "Nothing was found. Write the code, and upload it when it works."
            : `${matches.length} of ${total_found} matches. Vote on each that you use.\n\n${matches.map(shown).join("\n\n")}`
        return { text, structure: answer }
      })
  })
