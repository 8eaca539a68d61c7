import { searchedTextOf } from "#domain/Repository/files.ts"
import { noProfile, profileOf, profileToText } from "#domain/search/embeddings/Profile.ts"
import { meaningOf, vectorToText } from "#domain/search/embeddings/vector.ts"
import { indexing, indexText, namesOf } from "#domain/search/IndexedText.ts"
import { looked } from "#domain/search/tokenize.ts"
import { beginningOf } from "#domain/text/beginningOf.ts"
import type { Steps } from "#engine/steps.ts"
import { table } from "../table.ts"
import type { TermsRow } from "./rows.ts"

/** How many of a snippet's latest tasks are kept to find it by, and how many characters of each. */
const tasksKept = 50
const longestTask = 10_000

/** A snippet's tasks with one more: the latest 50, each once, the given one last and cut to 10,000 characters. */
export const withTask = (tasks: ReadonlyArray<string>, given: string | null): ReadonlyArray<string> => {
  if (given === null || given === "") return tasks
  const task = beginningOf(given, longestTask)
  return [...tasks.filter((known) => known !== task), task].slice(-tasksKept)
}

type Derived = Pick<TermsRow, "text" | "vector" | "task_vector" | "profile" | "left_out">

const nothing: Derived = {
  text: indexText({}),
  vector: "",
  task_vector: "",
  profile: profileToText(noProfile),
  left_out: "failed"
}

/**
 * What `make` derives from a text, or `otherwise` if it throws: facts are kept whatever the text says, and a text that
 * can't be searched must not stop the read model.
 */
function* derived(make: () => Steps<Derived>, otherwise: Derived): Steps<Derived> {
  try {
    return yield* make()
  } catch {
    return otherwise
  }
}

const leftAsItWas = ({ text, vector, task_vector, profile }: TermsRow): Derived => ({
  text,
  vector,
  task_vector,
  profile,
  left_out: "failed"
})

const one = ({ snippet }: { readonly snippet: string }) => [snippet]

/**
 * What a snippet is found by. It is derived from the text here, once, so that an index needs neither the text nor the
 * time to derive it again.
 */
export const terms = table<TermsRow>({
  columns: {
    id: "text",
    home: "text",
    agent: "text",
    published: "boolean",
    completeness: "double precision",
    tasks: "text[]",
    text: "json",
    vector: "text",
    task_vector: "text",
    profile: "text",
    left_out: "text",
    changed: "bigint"
  },
  indexes: ["(changed)"],
  on: {
    SnippetUploaded: {
      rows: one,
      to: function* (_, { snippet, home, published, completeness, text }, { position }, _id, { encoder }) {
        if (text === null) return undefined
        const tasks = withTask(text.exampleQueries, text.task)
        const { description, files } = text
        const make = function* (): Steps<Derived> {
          const source = files === undefined ? text.source : searchedTextOf(files)
          const encoded = { name: namesOf(text), description, source }
          const vector = vectorToText(encoder.snippet(encoded))
          const task_vector = vectorToText(encoder.tasks(tasks))
          return {
            text: yield* indexing({ ...text, source, exampleQueries: tasks }),
            vector,
            task_vector,
            profile: profileToText(encoder.profile(encoded, tasks, meaningOf(vector, task_vector))),
            // of a repository, the beginning of each file is searched
            left_out: files === undefined && source.length > looked ? "long" : null
          }
        }
        return {
          id: snippet,
          home,
          agent: text.agent,
          published,
          completeness,
          tasks,
          changed: position,
          ...(yield* derived(make, nothing))
        }
      }
    },
    TaskAdded: {
      rows: one,
      to: function* (row, { text }, { position }, _, { encoder }) {
        if (row === undefined) return undefined
        const tasks = withTask(row.tasks, text?.task ?? null)
        const make = function* (): Steps<Derived> {
          const { vector, left_out } = row
          const task_vector = vectorToText(encoder.tasks(tasks))
          const meaning = meaningOf(vector, task_vector)
          return {
            text: yield* indexing({ exampleQueries: tasks }, row.text),
            vector,
            left_out,
            task_vector,
            profile: profileToText(encoder.profileWith(profileOf(row.profile), tasks, meaning))
          }
        }
        return { ...row, tasks, changed: position, ...(yield* derived(make, leftAsItWas(row))) }
      }
    },
    SnippetPublished: {
      rows: one,
      to: (row, _, { position }) => row && { ...row, published: true, changed: position }
    },
    SnippetWithdrawn: {
      rows: one,
      to: (row, _, { position }) => row && { ...row, published: false, changed: position }
    },
    SnippetDeleted: { rows: one, to: () => undefined }
  }
})
