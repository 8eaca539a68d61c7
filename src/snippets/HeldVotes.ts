import { type GivenVote, tenantOf, voterOf } from "#domain/search/votesForTasks.ts"
import type { Said } from "#projections/Learned.ts"
import type { RecalledVote } from "#projections/Retrievals.ts"

/** A vote on what a search had shown, with the search's task. */
export interface RecalledTask extends RecalledVote {
  readonly task: string
}

/** As many of a list's latest as there is room for. */
const latest = <A extends { readonly position: number }>(of: ReadonlyArray<A>, room: number): ReadonlyArray<A> =>
  of.length <= room ? of : [...of].sort((one, other) => other.position - one.position).slice(0, Math.max(0, room))

/**
 * What voters say, and what is recalled of them, by snippet, within a bound: where there is no room, what others have
 * said before stays, and of what is new the latest is taken.
 */
export class HeldVotes {
  /** Snippets whose votes have changed since somebody cleared this. */
  readonly changed = new Set<string>()
  /** By snippet. */
  readonly #said = new Map<string, Map<string, Said>>()
  /** The recalled votes by voter, and the voters by snippet. */
  readonly #recalled = new Map<string, ReadonlyArray<RecalledTask>>()
  readonly #recalling = new Map<string, Set<string>>()
  readonly #most: number
  #size = 0

  /** `most`: votes for tasks that are held. */
  constructor(most: number) {
    this.#most = most
  }

  /** How many votes for tasks are held. */
  get size(): number {
    return this.#size
  }

  /** Subjects of searches whose tasks are held. */
  get subjects(): ReadonlyArray<string> {
    return [...new Set([...this.#recalled.values()].flat().map(({ search }) => search.subject))]
  }

  /** Whether there is a vote on a snippet. */
  areOn(snippet: string): boolean {
    return this.#said.has(snippet) || this.#recalling.has(snippet)
  }

  clear(): void {
    for (const map of [this.#said, this.#recalled, this.#recalling]) map.clear()
    this.changed.clear()
    this.#size = 0
  }

  say(said: ReadonlyArray<Said>): void {
    for (const row of said) {
      const rows = this.#said.get(row.snippet) ?? new Map<string, Said>()
      const before = rows.get(row.id)?.tasks.length ?? 0
      const tasks = latest(row.tasks, this.#most - this.#size + before)
      if (tasks.length === 0 && before === 0) continue
      rows.set(row.id, { ...row, tasks })
      this.#size += tasks.length - before
      this.#said.set(row.snippet, rows)
      this.changed.add(row.snippet)
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

  /** Forgets all votes on a snippet that is gone. */
  forgetSnippet(snippet: string): void {
    this.#forgetOn(snippet, () => true)
    this.changed.add(snippet)
  }

  /** Forgets what other voters than these have said on a snippet in a home. */
  forgetOthers(snippet: string, home: string, voters: ReadonlySet<string>): void {
    this.#forgetOn(snippet, (one) => one.home === home && !voters.has(one.voter))
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
        this.changed.add(snippet)
      }
    }
  }

  /** All votes for tasks on a snippet. A vote that named its own task is not recalled. */
  givenOn(snippet: string): ReadonlyArray<GivenVote> {
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

  #forgetOn(snippet: string, isWanted: (one: Said | RecalledTask) => boolean): void {
    for (const [id, row] of this.#said.get(snippet) ?? []) if (isWanted(row)) this.#unsay(snippet, id)
    for (const voter of [...(this.#recalling.get(snippet) ?? [])]) {
      const before = this.#recalled.get(voter) ?? []
      const left = before.filter((one) => one.snippet !== snippet || !isWanted(one))
      if (left.length < before.length) this.#keep(voter, left)
    }
  }

  #unsay(snippet: string, row: string): void {
    const rows = this.#said.get(snippet)
    this.#size -= rows?.get(row)?.tasks.length ?? 0
    rows?.delete(row)
    if (rows?.size === 0) this.#said.delete(snippet)
  }

  #put(voter: string, votes: ReadonlyArray<RecalledTask>): void {
    const before = this.#recalled.get(voter) ?? []
    const some = latest(votes, this.#most - this.#size + before.length)
    this.#keep(voter, some)
    for (const { snippet } of [...before, ...some]) this.changed.add(snippet)
  }

  /** Puts these recalled votes of a voter in place of those that were there. */
  #keep(voter: string, votes: ReadonlyArray<RecalledTask>): void {
    const before = this.#recalled.get(voter) ?? []
    this.#size += votes.length - before.length
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
}
