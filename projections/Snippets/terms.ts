import { searchedTextOf } from "#domain/Repository/files.ts"
import { vectorToText } from "#domain/search/embeddings/vector.ts"
import { indexText, namesOf } from "#domain/search/IndexedText.ts"
import { table } from "#ports/Projection.ts"
import type { TermsRow } from "./rows.ts"

/** Tasks of one snippet that are kept for finding it; the latest count. */
const tasksKept = 50

export const withTask = (tasks: ReadonlyArray<string>, task: string | null): ReadonlyArray<string> =>
  task === null || task === "" ? tasks : [...tasks.filter((known) => known !== task), task].slice(-tasksKept)

const one = ({ snippet }: { readonly snippet: string }) => [snippet]

/** What a snippet is found by: made of its text here, once, so that an index needs neither the text nor time to make it anew. */
export const terms = table<TermsRow>({
  columns: {
    ...{ id: "text", home: "text", agent: "text", published: "boolean", completeness: "double precision" },
    ...{ tasks: "text[]", text: "json", vector: "text", task_vector: "text", changed: "bigint" }
  },
  indexes: ["(changed)"],
  on: {
    SnippetUploaded: {
      rows: one,
      to: (_, { snippet, home, published, completeness, text }, { position }, _id, { encoder }) => {
        if (text === null) return undefined
        const tasks = withTask(text.exampleQueries, text.task)
        const source = text.files === undefined ? text.source : searchedTextOf(text.files)
        const { description } = text
        return {
          ...{ id: snippet, home, agent: text.agent, published, completeness, tasks, changed: position },
          text: indexText({ ...text, source, exampleQueries: tasks }),
          vector: vectorToText(encoder.snippet({ name: namesOf(text), description, source })),
          task_vector: vectorToText(encoder.tasks(tasks))
        }
      }
    },
    TaskAdded: {
      rows: one,
      to: (row, { text }, { position }, _, { encoder }) => {
        if (row === undefined) return undefined
        const tasks = withTask(row.tasks, text?.task ?? null)
        return {
          ...{ ...row, tasks, text: indexText({ exampleQueries: tasks }, row.text), changed: position },
          task_vector: vectorToText(encoder.tasks(tasks))
        }
      }
    },
    SnippetPublished: {
      rows: one,
      to: (row, _, { position }) => row && { ...row, published: true, changed: position }
    },
    SnippetDeleted: { rows: one, to: () => undefined }
  }
})
