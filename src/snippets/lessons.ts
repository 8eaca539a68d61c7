import type { Scope } from "#domain/Scope.ts"
import type { Encoder } from "#domain/search/embeddings/Encoder.ts"
import { type TaskRead, type TaskVote, taskRead } from "#domain/search/learned.ts"
import { amongStrangers, atHome, type GivenVote, type Owned, weightOf } from "#domain/search/votesForTasks.ts"
import type { WhoseSnippet } from "#projections/Learned.ts"
import { HeldVotes } from "./HeldVotes.ts"

/** Most votes for tasks that count for a snippet in a home: those that weigh most and, of equal ones, the latest. */
const mostOfSnippet = 16
/** The voters of this many, in the same order, are remembered: they count when others leave. */
const mostRemembered = 4 * mostOfSnippet
/** Most votes for tasks that count in all, each of which takes some kilobytes; and most that are remembered. */
const mostHeld = 100_000

/** One vote for a task, ready to be counted. */
interface Lesson {
  readonly given: GivenVote
  readonly own: TaskVote
  readonly strange: TaskVote | undefined
}

/** The votes for tasks on all snippets, in memory, by the home where they were given, as searches need them. */
export class Lessons {
  readonly #encoder: Pick<Encoder, "query" | "reading">
  readonly #owned = new Map<string, Owned>()
  readonly #lessons = new Map<string, ReadonlyArray<Lesson>>()
  /** The snippets that were voted on in a home, by home; and those with votes that count among strangers. */
  readonly #homes = new Map<string, Set<string>>()
  readonly #strange = new Set<string>()
  #size = 0
  readonly #most: number
  /** What voters have said, in their words: its `changed` are the snippets whose lessons are to be made anew. */
  readonly votes: HeldVotes
  /** Goes up with every change of what is learned. */
  revision = 0

  /** `most`: how many votes may count in all, and how many be remembered. */
  constructor(encoder: Pick<Encoder, "query" | "reading">, most = mostHeld) {
    this.#encoder = encoder
    this.#most = most
    this.votes = new HeldVotes(most)
  }

  /** How many votes for tasks count. */
  get size(): number {
    return this.#size
  }

  /** Of these snippets, those whose owner is not known. */
  unowned(snippets: ReadonlyArray<string>): ReadonlyArray<string> {
    return [...new Set(snippets)].filter((id) => !this.#owned.has(id))
  }

  forgetAll(): void {
    this.votes.clear()
    for (const map of [this.#owned, this.#lessons, this.#homes]) map.clear()
    this.#strange.clear()
    this.#size = 0
    this.revision++
  }

  /** Takes in whose snippets these are; keeps it only of snippets with votes. */
  own(uploads: ReadonlyArray<WhoseSnippet>): void {
    for (const { id, tenant, authors, published, gone } of uploads) {
      if (gone) {
        this.votes.forgetSnippet(id)
        this.#owned.delete(id)
      } else if (this.votes.areOn(id)) {
        this.#owned.set(id, { tenant, authors, published })
        this.votes.changed.add(id)
      }
    }
  }

  /** Makes the lessons of all snippets that have changed, in steps. */
  *settle(): Generator<void> {
    const { changed } = this.votes
    if (changed.size === 0) return
    for (const snippet of changed) {
      yield* this.#relearn(snippet)
      yield
    }
    changed.clear()
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
    const all = owned === undefined ? [] : this.votes.givenOn(snippet)
    if (owned === undefined || all.length === 0) {
      if (!this.votes.areOn(snippet)) this.#owned.delete(snippet)
      return
    }
    const read = new Map<string, TaskRead>(before.map(({ given, own }) => [given.said.task, own]))
    const lessons: Array<Lesson> = []
    for (const [home, some] of Map.groupBy(all, ({ home }) => home)) {
      const weighed = some.map((given) => ({ given, weight: weightOf(given, owned) }))
      weighed.sort((one, other) => other.weight - one.weight || other.given.said.position - one.given.said.position)
      if (weighed.length > mostRemembered) {
        const voters = weighed.slice(0, mostRemembered).map(({ given }) => given.voter)
        this.votes.forgetOthers(snippet, home, new Set(voters))
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
