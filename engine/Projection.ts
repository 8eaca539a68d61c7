import { Context } from "effect"
import type { AnyEvent, Envelope, Recorded } from "./Event.ts"
import type { Steps } from "./steps.ts"

/** A row is plain JSON: times are ISO 8601 text, what is absent is `null`. */
export type Row = { readonly id: string; readonly [column: string]: unknown }

/**
 * What changes may use besides the event: pure functions over data that is read at start. The code on top of the engine
 * says which.
 */
export class Given extends Context.Service<Given, unknown>()("engine/Given") {}

/** What one type of event does to the rows that it touches. Pure and total: the event's text may be erased. */
export interface Change<R, E, G> {
  /** The ids of the rows that the event may change, whether they exist or not. */
  readonly rows: (event: E, envelope: Envelope) => ReadonlyArray<string>
  /** The row with this id after the event, made in steps if that takes long. `undefined`, before or after: no row. */
  readonly to: (
    row: R | undefined,
    event: E,
    envelope: Envelope,
    id: string,
    given: G
  ) => R | undefined | Steps<R | undefined>
}

type Of<E extends AnyEvent, T extends E["_tag"]> = Extract<E, { readonly _tag: T }>

/** A read model's table: its SQL columns, and how the events in `on` and `drops`, its subscription, change it. */
export interface TableOf<R extends { readonly id: string }, E extends AnyEvent, G> {
  /** Column name → SQL type. `id` is the primary key. */
  readonly columns: { readonly [C in keyof R]-?: string }
  /** Column lists, one per index. */
  readonly indexes?: ReadonlyArray<string>
  readonly on: { readonly [T in E["_tag"]]?: Change<R, Of<E, T>, G> }
  /** Events that remove every row with a certain value in one column, whatever its id. Give the column an index. */
  readonly drops?: { readonly [T in E["_tag"]]?: Drop<keyof R & string, Of<E, T>> }
}

/** How an event removes rows by the value of one column. */
export interface Drop<C extends string, E> {
  /** Of type `text`. */
  readonly column: C
  /** The value that the removed rows have in that column. */
  readonly value: (event: E, envelope: Envelope) => string
}

/** A read model. A new `version` is built anew beside the old one: raise it when you change the tables or the rules. */
export interface Projection {
  readonly name: string
  readonly version: number
  readonly tables: { readonly [name: string]: Table }
}

/** A table of any rows and events. */
export interface Table {
  readonly columns: { readonly [column: string]: string }
  readonly indexes?: ReadonlyArray<string>
  readonly on: { readonly [type: string]: Change<Row, never, never> }
  readonly drops?: { readonly [type: string]: Drop<string, never> }
}

/** Declares a table, checked against a log's events: `tableOf<AnyEvent, Given>()<Row>({ columns, on })`. */
export const tableOf =
  <E extends AnyEvent, G>() =>
  <R extends { readonly id: string }>(definition: TableOf<R, E, G>): Table =>
    definition as never

/** The name of the schema whose views show the live build of a projection, e.g. `keys_v2`. */
export const schemaOf = ({ name, version }: Projection): string => `${name}_v${version}`

/** The types of events that a projection subscribes to. */
export const typesOf = ({ tables }: Projection): ReadonlyArray<string> => [
  ...new Set(Object.values(tables).flatMap(({ on, drops }) => Object.keys({ ...on, ...drops })))
]

/** A row is plain data, which has no iterator. */
const isSteps = <A extends object>(made: A | undefined | Steps<A | undefined>): made is Steps<A | undefined> =>
  made !== undefined && Symbol.iterator in made

type AnyChange = Change<Row, AnyEvent, unknown>

type AnyDrop = Drop<string, AnyEvent>

const dropOf = (table: Table, event: AnyEvent) => table.drops?.[event._tag] as AnyDrop | undefined

/** The values by which events remove a table's rows, each with the column that holds it. */
export const dropped = (
  table: Table,
  events: ReadonlyArray<Recorded<AnyEvent>>
): ReadonlyArray<{ readonly column: string; readonly value: string }> =>
  table.drops === undefined
    ? []
    : events.flatMap((recorded) => {
        const drop = dropOf(table, recorded.event)
        return drop === undefined ? [] : [{ column: drop.column, value: drop.value(recorded.event, recorded) }]
      })

const changeOf = (table: Table, event: AnyEvent) => table.on[event._tag] as AnyChange | undefined

/** The ids of the rows of a table that events may change. */
export const touched = (table: Table, events: ReadonlyArray<Recorded<AnyEvent>>): ReadonlyArray<string> => {
  const ids = new Set<string>()
  for (const recorded of events) {
    const { event } = recorded
    for (const id of changeOf(table, event)?.rows(event, recorded) ?? []) ids.add(id)
  }
  return [...ids]
}

/**
 * Applies events in place to the rows in the map; `undefined` is a row that does not exist. Yields after each change,
 * and within a change that takes long, so that other work can have its turn.
 */
export function* folding(
  table: Table,
  rows: Map<string, Row | undefined>,
  events: ReadonlyArray<Recorded<AnyEvent>>,
  given: unknown
): Generator<void> {
  // a recorded event is its own envelope: copying each would cost as much as folding it
  for (const recorded of events) {
    const { event } = recorded
    const drop = dropOf(table, event)
    if (drop !== undefined) {
      const value = drop.value(event, recorded)
      for (const [id, row] of rows) if (row?.[drop.column] === value) rows.set(id, undefined)
    }
    const change = changeOf(table, event)
    if (change === undefined) continue
    for (const id of change.rows(event, recorded)) {
      if (!rows.has(id)) continue
      const made = change.to(rows.get(id), event, recorded, id, given)
      rows.set(id, isSteps(made) ? yield* made : made)
    }
    yield
  }
}
