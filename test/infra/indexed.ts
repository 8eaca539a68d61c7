import { indexText, type SearchedText } from "#domain/search/IndexedText.ts"
import { type TaskVote, taskRead } from "#domain/search/learned.ts"
import type { IndexedSnippet } from "#ports/SnippetIndex.ts"
import type { Sought } from "#src/snippets/find.ts"
import { encoder, profiled, vectorOf } from "#test/embeddings.ts"

/** A snippet of a home; each test has homes of its own, since the index lives as long as the suite. */
export const snippet = (
  home: string,
  id: string,
  text: SearchedText,
  rest: Partial<IndexedSnippet> = {}
): IndexedSnippet => ({
  id: `${home}-${id}`,
  home,
  isPublic: false,
  agent: null,
  text: indexText(text),
  vector: vectorOf(text),
  profile: profiled(text),
  completeness: 0.5,
  kind: "file",
  language: "python",
  up: 0,
  down: 0,
  humanUp: 0,
  ...rest
})

export const query = (task: string, homes: ReadonlyArray<string>, rest: Partial<Sought> = {}): Sought => ({
  task,
  homes,
  includePublic: false,
  agent: null,
  preferComplete: false,
  minVerdict: 0.3,
  limit: 10,
  ...rest
})

/** A person's vote for it that names a task. */
export const voteFor = (snippet: string, task: string, rest: Partial<TaskVote> = {}): TaskVote => ({
  ...taskRead(task, encoder),
  snippet,
  task,
  value: 1,
  weight: 1,
  bloc: "t/ada",
  ...rest
})

export const median = {
  name: "median",
  description: "The median of numbers",
  source: "def median(xs): return sorted(xs)[len(xs) // 2]"
}
export const csv = { name: "read_csv_file", description: "Reads rows from a CSV file", source: "import csv" }
