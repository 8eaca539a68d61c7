import { corpus, type EvaluationDocument, type EvaluationQuery, queries } from "#test/evaluation.ts"
import { nonsense, offTopic } from "#test/offTopic.ts"
import { random, sample } from "#test/random.ts"
import { offTopicToFit } from "./offTopic.ts"

/** Documents that lie in one home. */
export interface Shelf {
  readonly home: string
  readonly documents: ReadonlyArray<EvaluationDocument>
}

/** Queries that are asked of some homes. */
export interface QuerySet {
  readonly name: string
  /** Where its queries are from: what is fitted on one source is tried on the others. */
  readonly source: string
  readonly homes: ReadonlyArray<string>
  readonly queries: ReadonlyArray<EvaluationQuery>
}

/** Docstrings that are asked for. */
const docstrings = 400
/** Distractors of a middling store: with agent30 it has 2,127 documents. */
const middling = 1_969
const small = { stores: 300, most: 30 } as const

/** The first sentence of a docstring, where it says enough to be a task. */
const sentenceOf = ({ description }: EvaluationDocument): string | undefined => {
  const sentence = description.split(/(?<=[.!?])\s|\n/)[0]!.trim()
  return sentence.split(/\s+/).length >= 4 && sentence.length <= 200 ? sentence : undefined
}

/** Docstring → code: each asks for the document that it was taken from, which is stored without it. */
const askedByDocstring = (documents: ReadonlyArray<EvaluationDocument>, seed: number) => {
  const sentences = documents.map(sentenceOf)
  const counts = new Map<string | undefined, number>()
  for (const sentence of sentences) counts.set(sentence, (counts.get(sentence) ?? 0) + 1)
  const asking = documents.flatMap(({ id }, at): Array<EvaluationQuery> => {
    const text = sentences[at]
    return text === undefined || counts.get(text)! > 1 ? [] : [{ id: `q-${id}`, text, relevant: [id] }]
  })
  return sample(asking, docstrings, random(seed))
}

const asQueries = (tasks: ReadonlyArray<string>, name: string): ReadonlyArray<EvaluationQuery> =>
  tasks.map((text, at) => ({ id: `${name}-${at}`, text, relevant: [] }))

/** All that is fitted on, and measured: development data alone. */
export const makeSets = (): { readonly shelves: ReadonlyArray<Shelf>; readonly sets: ReadonlyArray<QuerySet> } => {
  const [mbpp, agent30, distractors] = [corpus("mbpp"), corpus("agent30"), corpus("distractors")]
  const bare = distractors.map((document) => ({ ...document, description: "" }))
  const isStandard = ({ id }: EvaluationDocument) => id.startsWith("std-")
  const shelves: Array<Shelf> = [
    { home: "mbpp", documents: mbpp },
    { home: "agent30", documents: agent30 },
    { home: "distractors", documents: distractors },
    { home: "some", documents: sample(distractors, middling, random(1)) },
    { home: "standard", documents: bare.filter(isStandard) },
    { home: "others", documents: bare.filter((document) => !isStandard(document)) }
  ]
  const sets: Array<QuerySet> = [
    { name: "mbpp", source: "mbpp", homes: ["mbpp"], queries: queries("mbpp") },
    { name: "mbpp among 12,898", source: "mbpp", homes: ["mbpp", "distractors"], queries: queries("mbpp") },
    { name: "agent30", source: "agent30", homes: ["agent30"], queries: queries("agent30") },
    { name: "agent30 among 2,127", source: "agent30", homes: ["agent30", "some"], queries: queries("agent30") },
    { name: "agent30 among 11,918", source: "agent30", homes: ["agent30", "distractors"], queries: queries("agent30") },
    {
      name: "docstrings, standard library",
      source: "standard",
      homes: ["standard"],
      queries: askedByDocstring(distractors.filter(isStandard), 2)
    },
    {
      name: "docstrings, others",
      source: "others",
      homes: ["others"],
      queries: askedByDocstring(
        distractors.filter((document) => !isStandard(document)),
        3
      )
    }
  ]
  // documents that are right have no description in most of these sets, and those among them do: said by nothing else,
  // that would tell against describing
  const told = askedByDocstring(distractors, 5).slice(0, 200)
  sets.push({ name: "descriptions", source: "told", homes: ["distractors"], queries: told })
  // a store is small when it is new: whether the right one is in it must be told there, too
  const next = random(4)
  const asking = [...queries("mbpp"), ...queries("agent30")]
  const known = new Map([...mbpp, ...agent30].map((document) => [document.id, document]))
  const all = [...known.values()]
  for (let at = 0; at < small.stores; at++) {
    const query = asking[Math.floor(next() * asking.length)]!
    const others = sample(
      all.filter(({ id }) => !query.relevant.includes(id)),
      1 + Math.floor(next() ** 2 * small.most),
      next
    )
    const own = next() < 0.5 ? [known.get(query.relevant[0]!)!] : []
    const home = `small-${at}`
    const documents = [...own, ...others]
    shelves.push({ home, documents })
    const relevant = query.relevant.filter((id) => documents.some((document) => document.id === id))
    sets.push({ name: "small stores", source: "small", homes: [home], queries: [{ ...query, relevant }] })
  }
  const stores = [["mbpp"], ["mbpp", "distractors"], ["agent30"], ["agent30", "distractors"]]
  for (const homes of stores) {
    sets.push({ name: "off-topic, to fit", source: "off", homes, queries: asQueries(offTopicToFit, "fit") })
    sets.push({ name: "off-topic, held back", source: "held", homes, queries: asQueries(offTopic, "off") })
    sets.push({ name: "nonsense", source: "held", homes, queries: asQueries(nonsense, "nonsense") })
  }
  return { shelves, sets }
}
