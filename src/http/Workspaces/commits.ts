import { Clock, Effect, Stream } from "effect"
import { type StoredChange, WorkspaceStore } from "#ports/WorkspaceStore.ts"
import type { CommitRecord } from "#projections/Workspaces/commits.ts"
import { inPieces, values } from "../pieces.ts"

/** Changes of files, and characters of their paths, after which a page of commits ends. */
const mostChanges = 20_000
const mostCharacters = 4 * 1024 * 1024
/** The same in milliseconds of reading: one changed file of a folder's 50,000 is found in a tenth of a second. */
const longest = 10_000

/** A commit's facts, and its changes, read as they are asked for. */
export const shown = Effect.fnUntraced(function* (
  repository: string,
  { id, sha, parent, tree, run, recorded_at }: CommitRecord
) {
  const git = yield* WorkspaceStore
  const commit = yield* git.readCommit(repository, sha)
  const before = parent === null ? undefined : yield* git.readCommit(repository, parent)
  return {
    facts: {
      sha,
      parents: commit?.parents ?? [],
      message: commit?.message ?? "",
      author: commit?.author ?? { name: "", email: "" },
      committed_at: (commit === undefined ? recorded_at : new Date(commit.time)).toISOString(),
      session_id: run,
      event_id: id
    },
    changes: git.eachChange(repository, before?.tree, tree)
  }
})

/** A commit as fields of the route's schema. */
export const fieldsOf = ({ facts, changes }: Effect.Success<ReturnType<typeof shown>>) => ({
  ...values(facts),
  changes: { rows: changes }
})

/**
 * A page of commits. It ends with the commit that brings it to one of the limits above. `next` is where the page after
 * all of the `records` begins.
 */
export const commitsPage = (repository: string, records: ReadonlyArray<CommitRecord>, next: string | null) => {
  let [told, characters, shownCommits, spent] = [0, 0, 0, 0]
  // without the time that the reader takes
  const timed = <A, E, R>(reading: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Clock.currentTimeMillis, (since) =>
      Effect.onExit(reading, () => Effect.map(Clock.currentTimeMillis, (now) => (spent += now - since)))
    )
  const count = (changes: ReadonlyArray<StoredChange>) =>
    Effect.sync(() => {
      told += changes.length
      for (const { path } of changes) characters += path.length
    })
  const commits = Stream.fromArray(records).pipe(
    Stream.rechunk(1),
    // the next page has the rest: those before the last of these
    Stream.takeWhile(() => told <= mostChanges && characters <= mostCharacters && spent < longest),
    Stream.tap(() => Effect.sync(() => shownCommits++)),
    Stream.mapEffect((record) => timed(shown(repository, record))),
    Stream.map(({ facts, changes }) => {
      const read = Stream.transformPull(changes, (pull) => Effect.succeed(timed(pull)))
      return fieldsOf({ facts, changes: Stream.tap(read, count) })
    })
  )
  const nextBefore = () => (shownCommits < records.length ? records[shownCommits - 1]!.sha : next)
  return inPieces({ commits: { objects: commits }, next_before: { later: nextBefore } })
}
