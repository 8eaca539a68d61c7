import type { Scope } from "#domain/Scope.ts"
import type { Encoder } from "#domain/search/embeddings/Encoder.ts"
import { type TaskRead, type TaskVote, taskRead } from "#domain/search/learned.ts"
import {
  amongStrangers,
  atHome,
  type GivenVote,
  type Owned,
  tenantOf,
  voterOf,
  weightOf
} from "#domain/search/votesForTasks.ts"
import type { Said, WhoseSnippet } from "#projections/Learned.ts"
import type { RecalledVote } from "#projections/Retrievals.ts"

/** Most votes for tasks that count for a snippet in a home: those that weigh most and, of equal ones, the latest. */
const mostOfSnippet = 16
/** The voters of this many, in the same order, are remembered: they count when others leave. */
const mostRemembered = 4 * mostOfSnippet
/** Most votes for tasks that count in all, each of which takes some kilobytes; and most that are remembered. */
const mostHeld = 100_000

/** A vote on what a search had shown, with the search's task. */
export interface RecalledTask extends RecalledVote {
  readonly task: string
}

/** One vote for a task, ready to be counted. */
interface Lesson {
  readonly given: GivenVote
  readonly own: TaskVote
  readonly strange: TaskVote | undefined
}

/** The votes for tasks on all snippets, in memory, by the home where they were given, as searches need them. */
export class Lessons {
  readonly #encoder: Pick<Encoder, "query" | "reading">
  /** By snippet. */
  readonly #said = new Map<string, Map<string, Said>>()
  readonly #owned = new Map<string, Owned>()
  readonly #lessons = new Map<string, ReadonlyArray<Lesson>>()
  /** The recalled votes by voter, and the voters by snippet. */
  readonly #recalled = new Map<string, ReadonlyArray<RecalledTask>>()
  readonly #recalling = new Map<string, Set<string>>()
  /** The snippets that were voted on in a home, by home; and those with votes that count among strangers. */
  readonly #homes = new Map<string, Set<string>>()
  readonly #strange = new Set<string>()
  readonly #changed = new Set<string>()
  #size = 0
  #remembered = 0
  readonly #most: number
  /** Goes up with every change of what is learned. */
  revision = 0

  /** `most`: how many votes may count in all, and how many be remembered. */
  constructor(encoder: Pick<Encoder, "query" | "reading">, most = mostHeld) {
    this.#encoder = encoder
    this.#most = most
  }

  /** How many votes for tasks count. */
  get size(): number {
    return this.#size
  }

  /** How many are remembered, for they count or may come to. */
  get remembered(): number {
    return this.#remembered
  }

  /** Subjects of searches whose tasks are held. */
  get subjects(): ReadonlyArray<string> {
    return [...new Set([...this.#recalled.values()].flat().map(({ search }) => search.subject))]
  }

  /** Of these snippets, those whose owner is not known. */
  unowned(snippets: ReadonlyArray<string>): ReadonlyArray<string> {
    return [...new Set(snippets)].filter((id) => !this.#owned.has(id))
  }

  forgetAll(): void {
    for (const map of [this.#said, this.#owned, this.#lessons, this.#recalled, this.#recalling, this.#homes])
      map.clear()
    this.#strange.clear()
    this.#changed.clear()
    this.#size = 0
    this.#remembered = 0
    this.revision++
  }

  /** Takes in what voters say. Where there is no room, what others have said before stays. */
  say(said: ReadonlyArray<Said>): void {
    for (const row of said) {
      const rows = this.#said.get(row.snippet) ?? new Map<string, Said>()
      const before = rows.get(row.id)
      if (before === undefined && this.#remembered >= this.#most) continue
      rows.set(row.id, row)
      this.#remembered += row.tasks.length - (before?.tasks.length ?? 0)
      this.#said.set(row.snippet, rows)
      this.#changed.add(row.snippet)
    }
  }

  /** Takes in whose snippets these are; keeps it only of snippets with votes. */
  own(uploads: ReadonlyArray<WhoseSnippet>): void {
    for (const { id, tenant, authors, published, gone } of uploads) {
      if (gone) {
        for (const row of this.#said.get(id)?.keys() ?? []) this.#unsay(id, row)
        this.#owned.delete(id)
        this.#changed.add(id)
      } else if (this.#said.has(id) || this.#recalling.has(id)) {
        this.#owned.set(id, { tenant, authors, published })
        this.#changed.add(id)
      }
    }
  }

  /** Takes in the recalled votes of these voters, in place of all that they had. */
  recall(voters: ReadonlyArray<string>, votes: ReadonlyArray<RecalledTask>): void {
    const byVoter = Map.groupBy(votes, ({ voter }) => voter)
    for (const voter of voters) this.#put(voter, byVoter.get(voter) ?? [])
  }

  /** The task of the search before a vote, if it is held. */
  taskOf({ voter, search: { stream, revision } }: RecalledVote): string | undefined {
    return this.#recalled.get(voter)?.find((one) => one.search.stream === stream && one.search.revision === revision)
      ?.task
  }

  /** Forgets the tasks of searches whose text is gone. */
  forget(subjects: ReadonlySet<string>): void {
    for (const [voter, votes] of this.#recalled) {
      const left = votes.filter(({ search }) => !subjects.has(search.subject))
      if (left.length < votes.length) this.#put(voter, left)
    }
  }

  /** Forgets the votes of voters, of all voters of a tenant (`tenant/`), and of subjects whose text is gone. */
  leave(left: ReadonlyArray<string>): void {
    if (left.length === 0) return
    const all = new Set(left)
    const gone = { has: (voter: string) => all.has(voter) || all.has(voterOf(tenantOf(voter), "")) }
    this.recall(
      [...this.#recalled.keys()].filter((voter) => gone.has(voter)),
      []
    )
    for (const [snippet, rows] of this.#said) {
      for (const [id, { voter, subject }] of rows) {
        if (!gone.has(voter) && !all.has(subject)) continue
        this.#unsay(snippet, id)
        this.#changed.add(snippet)
      }
    }
  }

  /** Makes the lessons of all snippets that have changed, in steps. */
  *settle(): Generator<void> {
    if (this.#changed.size === 0) return
    for (const snippet of this.#changed) {
      yield* this.#relearn(snippet)
      yield
    }
    this.#changed.clear()
    this.revision++
  }

  /** The votes that count for a scope. */
  *votesFor({ homes, includePublic }: Pick<Scope, "homes" | "includePublic">): Generator<TaskVote> {
    for (const home of new Set(homes)) {
      for (const snippet of this.#homes.get(home) ?? [])
        for (const { given, own } of this.#lessons.get(snippet) ?? []) if (given.home === home) yield own
    }
    if (!includePublic) return
    for (const snippet of this.#strange)
      for (const { given, strange } of this.#lessons.get(snippet) ?? [])
        if (strange !== undefined && !homes.includes(given.home)) yield strange
  }

  /** Reads a task. Whatever is wrong with its text must not keep others from being learned. */
  #read(task: string): TaskRead {
    try {
      return taskRead(task, this.#encoder)
    } catch {
      return { meaning: new Float32Array(0), pieces: [], terms: new Set() }
    }
  }

  #unsay(snippet: string, row: string): void {
    const rows = this.#said.get(snippet)
    this.#remembered -= rows?.get(row)?.tasks.length ?? 0
    rows?.delete(row)
    if (rows?.size === 0) this.#said.delete(snippet)
  }

  #put(voter: string, votes: ReadonlyArray<RecalledTask>): void {
    const before = this.#recalled.get(voter) ?? []
    const some = before.length === 0 && this.#remembered >= this.#most ? [] : votes
    this.#keep(voter, some)
    for (const { snippet } of [...before, ...some]) this.#changed.add(snippet)
  }

  /** Puts these recalled votes of a voter in place of those that were there. */
  #keep(voter: string, votes: ReadonlyArray<RecalledTask>): void {
    const before = this.#recalled.get(voter) ?? []
    this.#remembered += votes.length - before.length
    for (const { snippet } of before) {
      const some = this.#recalling.get(snippet)
      some?.delete(voter)
      if (some?.size === 0) this.#recalling.delete(snippet)
    }
    this.#recalled.delete(voter)
    if (votes.length > 0) this.#recalled.set(voter, votes)
    for (const { snippet } of votes) {
      const some = this.#recalling.get(snippet) ?? new Set<string>()
      some.add(voter)
      this.#recalling.set(snippet, some)
    }
  }

  /** Forgets what voters with nothing among the first votes of a snippet and home have said there. */
  #forgetSpare(snippet: string, home: string, votes: ReadonlyArray<GivenVote>): void {
    const first = new Set(votes.slice(0, mostRemembered).map(({ voter }) => voter))
    const isSpare = (one: Said | RecalledTask) => one.snippet === snippet && one.home === home && !first.has(one.voter)
    for (const [id, row] of this.#said.get(snippet) ?? []) if (isSpare(row)) this.#unsay(snippet, id)
    for (const voter of [...(this.#recalling.get(snippet) ?? [])]) {
      const before = this.#recalled.get(voter) ?? []
      const left = before.filter((one) => !isSpare(one))
      if (left.length < before.length) this.#keep(voter, left)
    }
  }

  /** All votes for tasks on a snippet. A vote that named its own task is not recalled. */
  #givenOf(snippet: string): ReadonlyArray<GivenVote> {
    const named = new Set<number>()
    const given: Array<GivenVote> = []
    for (const { home, voter, tasks } of this.#said.get(snippet)?.values() ?? []) {
      for (const said of tasks) {
        named.add(said.position)
        given.push({ snippet, home, voter, said, recalled: false })
      }
    }
    for (const by of this.#recalling.get(snippet) ?? []) {
      for (const { snippet: of, home, voter, task, value, source, position } of this.#recalled.get(by) ?? []) {
        if (of !== snippet || named.has(position)) continue
        given.push({ snippet, home, voter, said: { task, value, source, position }, recalled: true })
      }
    }
    return given
  }

  *#relearn(snippet: string): Generator<void> {
    const before = this.#lessons.get(snippet) ?? []
    for (const { given } of before) {
      const some = this.#homes.get(given.home)
      some?.delete(snippet)
      if (some?.size === 0) this.#homes.delete(given.home)
    }
    this.#strange.delete(snippet)
    this.#lessons.delete(snippet)
    this.#size -= before.length
    const owned = this.#owned.get(snippet)
    const all = owned === undefined ? [] : this.#givenOf(snippet)
    if (owned === undefined || all.length === 0) {
      if (!this.#said.has(snippet) && !this.#recalling.has(snippet)) this.#owned.delete(snippet)
      return
    }
    const read = new Map<string, TaskRead>(before.map(({ given, own }) => [given.said.task, own]))
    const lessons: Array<Lesson> = []
    for (const [home, some] of Map.groupBy(all, ({ home }) => home)) {
      const weighed = some.map((given) => ({ given, weight: weightOf(given, owned) }))
      weighed.sort((one, other) => other.weight - one.weight || other.given.said.position - one.given.said.position)
      if (weighed.length > mostRemembered) {
        const given = weighed.map(({ given }) => given)
        this.#forgetSpare(snippet, home, given)
      }
      for (const { given } of weighed.slice(0, Math.min(mostOfSnippet, this.#most - this.#size - lessons.length))) {
        const known = read.get(given.said.task) ?? this.#read(given.said.task)
        read.set(given.said.task, known)
        lessons.push({ given, own: atHome(given, owned, known), strange: amongStrangers(given, owned, known) })
        yield
      }
    }
    this.#size += lessons.length
    this.#lessons.set(snippet, lessons)
    for (const { given, strange } of lessons) {
      const home = this.#homes.get(given.home) ?? new Set<string>()
      home.add(snippet)
      this.#homes.set(given.home, home)
      if (strange !== undefined) this.#strange.add(snippet)
    }
  }
}
