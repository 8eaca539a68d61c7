import { Effect } from "effect"
import type { DomainEvent } from "#domain/events.ts"
import { repositoryOf } from "#domain/Workspace/generations.ts"
import { beginning, isAfter, type Position } from "#engine/Position.ts"
import { EventStore, type StoredEvent } from "#engine/ports/EventStore.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import { RepositoryCheck } from "#ports/RepositoryCheck.ts"
import { WorkspaceStore } from "#ports/WorkspaceStore.ts"
import * as Codec from "#src/codec.ts"
import { streamOf } from "#src/workspaces/restore.ts"
import type { Check, Findings } from "./findings.ts"

const page = 500
/** How often to look at a workspace that has changed meanwhile, or whose ref is behind. */
const looksAtChange = 50
const looksAtRef = 10
const pause = "200 millis"

/** How often to look at damage: git may be packing. */
const looksAtDamage = 3

/** The reactions that move refs and that remove erased repositories: what they have not come to is no damage. */
const follower = "move_refs"
const remover = "remove_repositories"

interface Commit {
  readonly position: Position
  readonly commit: string
  readonly parent: string | null
  readonly tree: string
  /** How many commits a push brought, from its parent on; `undefined`: it is no push. */
  readonly pushed: number | undefined
}

/** What the log says of a workspace since it was last erased. */
interface Said {
  readonly revision: number
  readonly generation: number
  readonly commits: ReadonlyArray<Commit>
  /** Where each earlier generation was erased. */
  readonly erased: ReadonlyArray<Position>
}

type Told = ReadonlyArray<readonly [number | null, Check, string]>

/** An event, decoded; `undefined` if it can't be read, which `verifyLog` has told already. */
const readable = (stored: StoredEvent): DomainEvent | undefined => {
  try {
    return Codec.decode(stored).event
  } catch {
    return undefined
  }
}

const read = Effect.fnUntraced(function* (workspace: string) {
  const store = yield* EventStore
  let generation = 0
  let revision = -1
  let commits: Array<Commit> = []
  const erased: Array<Position> = []
  for (let after = beginning; ; ) {
    const { events: stored, more } = yield* store.readAll(after, { stream: streamOf(workspace), limit: page })
    for (const one of stored) {
      revision = one.revision
      const event = readable(one)
      const { position } = one
      if (event === undefined) continue
      if (event._tag === "WorkspaceErased") {
        generation = event.generation + 1
        commits = []
        erased[event.generation] = position
      } else if ("commit" in event) {
        const { commit, parent, tree } = event
        const pushed = event._tag === "CommitsPushed" ? event.commits : undefined
        commits.push({ position, commit, parent, tree, pushed })
      }
    }
    if (!more) return { revision, generation, commits, erased } satisfies Said
    after = stored.at(-1)!.position
  }
})

/** Whether a commit comes after another one, by way of at most `most` commits. */
const comesAfter = Effect.fnUntraced(function* (repository: string, commit: string, before: string, most: number) {
  const git = yield* WorkspaceStore
  const seen = new Set<string>()
  const left = [commit]
  for (let next = left.pop(); next !== undefined && seen.size <= most; next = left.pop()) {
    if (next === before) return true
    if (seen.has(next)) continue
    seen.add(next)
    const stored = yield* Effect.exit(git.readCommit(repository, next))
    if (stored._tag === "Success") left.push(...(stored.value?.parents ?? []))
  }
  return false
})

/**
 * What is wrong with commits and their trees. Each tree is compared with the one before, so each object is looked up
 * once.
 */
const checkCommits = Effect.fnUntraced(function* (repository: string, { commits }: Said) {
  const git = yield* WorkspaceStore
  const told: Array<Told[number]> = []
  const trees = new Map<string, string>()
  for (const { position, commit, parent, tree, pushed } of commits) {
    const say = (message: string) => told.push([position, "commit", `${repository}: ${message}`])
    const stored = yield* Effect.exit(git.readCommit(repository, commit))
    if (stored._tag === "Failure" || stored.value === undefined) say(`commit ${commit} is missing or damaged`)
    else {
      const { parents, tree: has } = stored.value
      if (has !== tree) say(`commit ${commit} has the tree ${has}, and the log says ${tree}`)
      const follows =
        pushed === undefined
          ? parents.join() === (parent ?? "")
          : parent !== null && (yield* comesAfter(repository, commit, parent, pushed))
      if (!follows) say(`commit ${commit} has other parents than the log says`)
    }
    const before = parent === null ? undefined : trees.get(parent)
    const compared = yield* Effect.exit(git.compare(repository, before, tree))
    if (compared._tag === "Failure") say(`the tree ${tree} of commit ${commit} is not whole`)
    else trees.set(commit, tree)
  }
  return told
})

/** Repositories that are still there although the log says that they were erased. */
const checkErased = Effect.fnUntraced(function* (workspace: string, { erased }: Said) {
  const git = yield* WorkspaceStore
  const models = yield* ReadModels
  const told: Array<Told[number]> = []
  for (const [generation, position] of erased.entries()) {
    const repository = repositoryOf(workspace, generation)
    if (position === undefined || (yield* Effect.catchCause(git.ref(repository), () => Effect.undefined)) === undefined)
      continue
    if (isAfter(position, yield* models.reaction(remover))) continue
    told.push([position, "git", `${repository}: it was erased, and is still there`])
  }
  return told
})

/**
 * Whether git has what the log names. Looks again at a workspace that changes meanwhile, and at one whose ref is not
 * where the log has it, since refs follow the log.
 */
const checkOne = Effect.fnUntraced(function* (workspace: string) {
  const git = yield* WorkspaceStore
  const models = yield* ReadModels
  for (let look = 1; ; look++) {
    const said = yield* read(workspace)
    const repository = repositoryOf(workspace, said.generation)
    const damage = [...(yield* checkCommits(repository, said)), ...(yield* checkErased(workspace, said))]
    const head = said.commits.at(-1)
    const ref = yield* Effect.catchCause(git.ref(repository), () => Effect.undefined)
    const astray = ref !== head?.commit
    const now = yield* read(workspace)
    const changed = now.revision !== said.revision
    const most = changed ? looksAtChange : astray ? looksAtRef : damage.length > 0 ? looksAtDamage : 0
    if (look < most) {
      yield* Effect.sleep(changed ? "10 millis" : pause)
      continue
    }
    // no service has moved the ref yet: the reaction has not come to the head's event, and the next service moves it
    const behind = astray && head !== undefined && isAfter(head.position, yield* models.reaction(follower))
    const wrong: Told =
      astray && !behind
        ? [
            [
              head?.position ?? null,
              "ref",
              `${repository}: main is at ${ref ?? "nothing"}, and the log's head is ${head?.commit ?? "nothing"}`
            ]
          ]
        : []
    return { repository, commits: said.commits.length, behind, told: [...damage, ...wrong] satisfies Told }
  }
})

/** What git itself says; it is asked again if it finds something. */
const checkNatively = Effect.fnUntraced(function* (repository: string) {
  const native = yield* RepositoryCheck
  const lines = yield* native.check(repository)
  return lines === undefined || lines.length === 0 ? lines : yield* native.check(repository)
})

/**
 * Looks at the repositories of workspaces: whether git has all commits and trees that the log names, and whether `main`
 * is where the log says. Adds what is wrong to `findings`. Gives how many workspaces and commits were looked at, how
 * many refs were only behind, and whether git itself (`fsck`) was asked about all of them.
 */
export const verifyWorkspaces = Effect.fnUntraced(function* (
  ids: ReadonlySet<string>,
  findings: Findings,
  progress: (done: number, of: number, what: string) => void
) {
  let done = 0
  let commits = 0
  let refsBehind = 0
  let fsck = true
  for (const workspace of ids) {
    const looked = yield* checkOne(workspace)
    for (const [position, check, message] of looked.told) findings.add(position, check, message)
    commits += looked.commits
    if (looked.behind) refsBehind += 1
    const lines = yield* checkNatively(looked.repository)
    if (lines === undefined) fsck = false
    for (const line of lines ?? []) findings.add(null, "git", `${looked.repository}: ${line}`)
    done += 1
    progress(done, ids.size, "workspaces")
  }
  return { workspaces: ids.size, commits, refsBehind, fsck: fsck && ids.size > 0 }
})
