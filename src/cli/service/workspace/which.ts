import { Effect, Option } from "effect"
import { plain } from "../../output.ts"
import { fewestDigits, given, noCommit, noWorkspace, onlyOne, type Which } from "../../workspace/naming.ts"
import type { ListedWorkspace } from "../../workspace/shown.ts"
import type { Ask } from "../asking.ts"

/** All workspaces that the key sees. */
export const all = Effect.fnUntraced(function* (ask: Ask) {
  const workspaces: Array<ListedWorkspace> = []
  let cursor: string | undefined
  do {
    const { data, wire } = yield* ask((cairn, options) => cairn.workspaces.list({ cursor }, options))
    workspaces.push(...(wire as { readonly workspaces: ReadonlyArray<ListedWorkspace> }).workspaces)
    cursor = data.nextCursor ?? undefined
  } while (cursor !== undefined)
  return workspaces
})

/** What has the name, or a name that begins so. Fails if several do. */
const theOne = <A>(kind: string, digits: string, names: ReadonlyArray<readonly [string, A]>) => {
  const whole = names.filter(([name]) => name === digits)
  const begun = digits.length < fewestDigits ? [] : names.filter(([name]) => name.startsWith(digits))
  return onlyOne(kind, digits, whole.length > 0 ? whole : begun)
}

/** The workspace that is named, among those that the key sees. */
export const find = Effect.fnUntraced(function* (ask: Ask, which: Which) {
  const named = yield* given(which)
  const workspaces = yield* all(ask)
  if (typeof named === "string") {
    const names = workspaces.map((one) => [one.workspace_id, one] as const)
    return (yield* theOne("workspaces", named, names)) ?? (yield* noWorkspace(plain(named)))
  }
  const found = workspaces.find((one) => one.org_id === named.org && one.user_id === named.user)
  return found ?? (yield* noWorkspace(`of ${plain(named.org)} and ${plain(named.user)}`))
})

/** A workspace's commit by its name or the beginning of that; the head if none is given. */
export const commitIn = Effect.fnUntraced(function* (ask: Ask, workspace: ListedWorkspace, sha: Option.Option<string>) {
  const wanted = Option.getOrElse(sha, () => workspace.head).toLowerCase()
  if (wanted.length === workspace.head.length) return wanted
  const names: Array<[string, string]> = []
  let before: string | undefined
  do {
    const page = { limit: 1000, before }
    const { data } = yield* ask((cairn, options) => cairn.workspaces.commits(workspace.workspace_id, page, options))
    names.push(...data.commits.map(({ sha }): [string, string] => [sha, sha]))
    // a page may end before its limit, except those of an older service, which does not give `nextBefore`
    before = data.nextBefore ?? (data.commits.length === page.limit ? data.commits.at(-1)!.sha : undefined)
  } while (before !== undefined)
  return (yield* theOne("commits", wanted, names)) ?? (yield* noCommit(wanted))
})
