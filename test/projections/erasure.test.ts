import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { currentVersion, type DomainEvent, type EventType } from "#domain/events.ts"
import type { Recorded } from "#engine/Event.ts"
import { type Projection, typesOf } from "#engine/Projection.ts"
import { Executions } from "#projections/Executions.ts"
import { Functions } from "#projections/Functions/tables.ts"
import { Learned } from "#projections/Learned.ts"
import { Logs } from "#projections/Logs.ts"
import { Patterns } from "#projections/Patterns.ts"
import { Retrievals } from "#projections/Retrievals.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { decode } from "#src/codec.ts"
import { encoder } from "#test/embeddings.ts"
import { stored } from "#test/laws.ts"
import { folded } from "./folded.ts"

type Facts = { readonly [field: string]: unknown }

/** An event as the golden files have it, with a text. */
const golden = (type: EventType): Facts => {
  const file = new URL(`../domain/golden/${type}.${currentVersion(type)}.json`, import.meta.url)
  const { data, text } = JSON.parse(readFileSync(file, "utf8"))
  return { _tag: type, ...data, ...(text === undefined ? {} : { text }) }
}

/** Something that happens to one of two snippets, to one of two runs of it, or to a run of code that is not stored. */
const stepOf = (projection: Projection) =>
  Schema.Struct({
    type: Schema.Literals(typesOf(projection) as ReadonlyArray<EventType>),
    of: Schema.Literals(["s1", "s2"]),
    run: Schema.Literals([1, 2]),
    unstored: Schema.Boolean,
    up: Schema.Boolean
  })

/** What voters of another tenant typed. */
const votesOf = (of: string) => `snippet/${of}/votes/theirs`

/** Of what has a subject of its own. */
const subjectOf = (type: EventType, of: string, comment: string): string | undefined => {
  if (type === "SearchAnswered") return `day/${of}`
  if (type === "VotesErased") return votesOf(of)
  return type.startsWith("Comment") ? `snippet/${of}/comment/${comment}` : undefined
}

/** Who searches and votes, and is erased. */
const user = golden("MemberErased")["user"] as string

/** The event, under the subject that its stream gives it. */
const eventOf = ({ type, of, run, unstored, up }: ReturnType<typeof stepOf>["Type"]): DomainEvent => {
  const facts = golden(type)
  const snippet = unstored && "execution" in facts ? null : of
  // a run is one snippet's, or nobody's, from its beginning
  const execution = `${snippet ?? "none"}-e${run}`
  const comment = `${of}-c${run}`
  // every other vote is a stranger's
  const voted = type === "VoteCast" && run === 2 ? votesOf(of) : undefined
  const own: Facts = {
    snippet,
    execution,
    comment,
    comments: [`${of}-c1`, `${of}-c2`],
    snippets: [of],
    voter: user,
    value: up ? 1 : -1,
    subjects: [type === "SearchesErased" ? `day/${of}` : `execution/none-e${run}`],
    subject:
      voted ?? subjectOf(type, of, comment) ?? (snippet === null ? `execution/${execution}` : `snippet/${snippet}`)
  }
  const home = voted === undefined ? {} : { home: "other" }
  return { ...facts, ...home, ...Object.fromEntries(Object.entries(own).filter(([field]) => field in facts)) } as never
}

const erasedBy = (event: DomainEvent): ReadonlyArray<string> => {
  if (event._tag === "CommentDeleted" || event._tag === "VotesErased") return [event.subject]
  if (event._tag === "SnippetDeleted") {
    const comments = event.comments.map((comment) => `${event.subject}/comment/${comment}`)
    // of what voters typed an event right before it tells
    return [event.subject, votesOf(event.snippet), ...comments]
  }
  return event._tag === "TextErased" || event._tag === "SearchesErased" ? event.subjects : []
}

/** The log of a history, read as it came about and as it is read afterwards. */
const readings = (history: ReadonlyArray<DomainEvent>) => {
  const gone = new Set<string>()
  const log = history.map((event, place) => {
    const subject = "subject" in event ? event.subject : ""
    const entry = { ...stored(event, place), actor: { key: null, user, organization: null } }
    // what comes after an erasure stores no text any more
    const kept = gone.has(subject) ? { ...entry, payload: null } : entry
    for (const erased of erasedBy(event)) gone.add(erased)
    return { subject, kept }
  })
  return {
    asItCame: log.map(({ kept }) => decode(kept)),
    afterwards: log.map(({ subject, kept }) => decode(gone.has(subject) ? { ...kept, payload: null } : kept))
  }
}

/** What a projection makes of a history: its rows by table, those that are gone left out. */
const rowsOf = ({ tables }: Projection, history: ReadonlyArray<Recorded<DomainEvent>>) =>
  Object.entries(tables).map(([name, table]) => {
    const rows = folded(table, history, { encoder })
    const left = [...rows].filter(([, row]) => row !== undefined).sort(([a], [b]) => (a < b ? -1 : 1))
    return [name, left] as const
  })

describe.each([Executions, Functions, Logs, Patterns, Snippets, Retrievals, Learned])(
  "$name",
  (projection: Projection) => {
    it.prop(
      "applying a history and its erasure is applying the same history as it is read after the erasure",
      [Arbitrary.array(Arbitrary.schema(stepOf(projection)), { maxLength: 16 })],
      ([steps]) => {
        const { asItCame, afterwards } = readings(steps.map(eventOf))
        assert.deepStrictEqual(rowsOf(projection, asItCame), rowsOf(projection, afterwards))
      },
      { arbitrary: { runs: 500 } }
    )
  }
)
