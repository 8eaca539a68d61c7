import { atOnce, type Steps } from "#engine/steps.ts"
import { isDerivedCapability } from "../capabilities.ts"
import { beginningOf } from "../text/beginningOf.ts"
import { looked, tokenizing } from "./tokenize.ts"

/** The fields of a snippet that are searched, in the order of every table by field. */
export const fields = ["name", "description", "exampleQueries", "source"] as const
export type Field = (typeof fields)[number]

/**
 * The text of one snippet cut into terms: plain JSON, made by `indexText`. Each field lists its distinct terms,
 * separated by spaces, in order of first occurrence. A term that occurs more than once is `term=count`:
 * `"sort list=3 key"`. Half the size of arrays in JSON, and loads several times as fast.
 */
export type IndexedText = { readonly [field in Field]: string }

/** The parts of a snippet that are searched. A part that isn't given is empty. */
export interface SearchedText {
  readonly name?: string
  readonly path?: string
  readonly entrypoint?: string
  readonly description?: string
  readonly tags?: ReadonlyArray<string>
  readonly capabilities?: ReadonlyArray<string>
  readonly exampleQueries?: ReadonlyArray<string>
  readonly source?: string
}

/** The most distinct terms kept of one field: a field with more is data, and would cost everybody memory. */
const mostTerms = 2_000

/** Terms that are counted in one step. */
const stretch = 10_000

function* encode(text: string): Steps<string> {
  const counts = new Map<string, number>()
  let left = stretch
  for (const term of yield* tokenizing(text)) {
    if (--left === 0) {
      left = stretch
      yield
    }
    const count = counts.get(term)
    if (count !== undefined) counts.set(term, count + 1)
    else if (counts.size < mostTerms) counts.set(term, 1)
  }
  return Array.from(counts, ([term, count]) => (count === 1 ? term : `${term}=${count}`)).join(" ")
}

/** Calls back with each distinct term of a field and its count. */
export const eachTerm = (field: string, visit: (term: string, count: number) => void): void => {
  if (field === "") return
  for (const entry of field.split(" ")) {
    const end = entry.indexOf("=")
    if (end < 0) visit(entry, 1)
    else visit(entry.slice(0, end), Number(entry.slice(end + 1)))
  }
}

const stemOfPath = (path: string): string => {
  const base = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1)
  const dot = base.lastIndexOf(".")
  return dot > 0 ? base.slice(0, dot) : base
}

/** The names of a snippet, each once: the entrypoint is often the name, and the file is often called after it. */
export const namesOf = ({
  name = "",
  entrypoint = "",
  path = ""
}: Pick<SearchedText, "name" | "entrypoint" | "path">): string =>
  [...new Set([name, entrypoint, stemOfPath(path)])].join(" ")

/** Leaves out capabilities that only repeat the description or the imports, which would count twice. */
const described = ({ description = "", tags = [], capabilities = [] }: SearchedText): string => {
  const said = capabilities.filter((phrase) => !isDerivedCapability(phrase) && !description.includes(phrase))
  return [description, ...tags, ...said].join(" ")
}

/** All tasks, each cut to an equal share of the room. */
const asked = (tasks: ReadonlyArray<string>): string => {
  const share = Math.floor(looked / Math.max(1, tasks.length)) - 1
  return tasks.map((task) => beginningOf(task, share)).join("\n")
}

/**
 * Cuts a snippet's text into terms. With `before`, only what is given is cut again: new tasks don't cost the source
 * once more.
 */
export function* indexing(text: SearchedText, before?: IndexedText): Steps<IndexedText> {
  const all = before === undefined
  const has = (...keys: ReadonlyArray<keyof SearchedText>) => all || keys.some((key) => text[key] !== undefined)
  return {
    name: has("name", "entrypoint", "path") ? yield* encode(namesOf(text)) : before!.name,
    description: has("description", "tags", "capabilities") ? yield* encode(described(text)) : before!.description,
    exampleQueries: has("exampleQueries") ? yield* encode(asked(text.exampleQueries ?? [])) : before!.exampleQueries,
    source: has("source") ? yield* encode(text.source ?? "") : before!.source
  }
}

/** `indexing` in one go. */
export const indexText = (text: SearchedText, before?: IndexedText): IndexedText => atOnce(indexing(text, before))
