import { Effect, Layer, Option } from "effect"
import { derivedId } from "#engine/derivedId.ts"
import { commitOf, commitsBeginning } from "#projections/Workspaces/commits.ts"
import {
  tenantOfWorkspace,
  type WorkspaceRecord,
  workspaceOf,
  workspacesBeginning
} from "#projections/Workspaces/standing.ts"
import { Workspaces } from "#projections/Workspaces/tables.ts"
import { belonging, workspaces } from "#src/repositories.ts"
import { config, onLog, upToDate } from "../log.ts"
import { organizationOf, orgFlag } from "../organization.ts"
import { plain } from "../output.ts"
import * as naming from "./naming.ts"

/** The flags that name a workspace; a pair belongs to one organization. */
export const which = { ...naming.which, org: orgFlag }
export const pair = { ...naming.pair, org: orgFlag }

export interface WhichInOrg extends naming.Which {
  readonly org: Option.Option<string>
}

/** What is named by its first digits; `undefined`: nothing begins so, or there are too few digits. */
const theOne = <E, R>(
  kind: string,
  digits: string,
  beginning: (digits: string, limit: number) => Effect.Effect<ReadonlyArray<string>, E, R>
) =>
  Effect.gen(function* () {
    if (digits.length < naming.fewestDigits || !/^[0-9a-f-]+$/.test(digits)) return undefined
    const found = yield* beginning(digits, 3)
    return yield* naming.onlyOne(
      kind,
      digits,
      found.map((id) => [id, id])
    )
  })

/** The id that is named, and its tenant; `undefined` for the tenant if there is no such workspace. */
export const named = Effect.fnUntraced(function* ({ org, ...which }: WhichInOrg) {
  yield* upToDate(Workspaces)
  const given = yield* naming.given(which)
  if (typeof given !== "string") {
    const tenant = (yield* organizationOf(org)).id
    return { tenant, id: derivedId("workspace", tenant, given.org, given.user) }
  }
  const wanted = (yield* theOne("workspaces", given, workspacesBeginning)) ?? given
  const tenant: string | undefined = yield* tenantOfWorkspace(wanted)
  if (tenant !== undefined && Option.isSome(org)) {
    const { id, name } = yield* organizationOf(org)
    if (id !== tenant) return yield* naming.noWorkspace(`${plain(wanted)} in ${plain(name)}`)
  }
  return { tenant, id: wanted }
})

/** The failure that there is no such workspace. */
export const noWorkspace = (id: string) => naming.noWorkspace(plain(id))

/** The workspace that is named. */
export const find = Effect.fnUntraced(function* (given: WhichInOrg) {
  const { tenant, id } = yield* named(given)
  const found = tenant === undefined ? undefined : yield* workspaceOf(tenant, id)
  return found ?? (yield* noWorkspace(id))
})

/**
 * A workspace's commit by its name or the beginning of that; the head if none is given. Fails with a line for the
 * operator if there is none, or several begin so.
 */
export const commitIn = Effect.fnUntraced(function* ({ id, head }: WorkspaceRecord, sha: Option.Option<string>) {
  const given = Option.getOrElse(sha, () => head).toLowerCase()
  const wanted = (yield* theOne("commits", given, (digits, limit) => commitsBeginning(id, digits, limit))) ?? given
  return (yield* commitOf(id, wanted)) ?? (yield* naming.noCommit(wanted))
})

/** Runs a verb on the log, the read models and the repositories; refuses repositories of another database. */
export const onGit = <A, E, R>(verb: Effect.Effect<A, E, R>) =>
  Effect.flatMap(config, (config) =>
    onLog(Effect.provide(verb, Layer.provide(workspaces(config), belonging(config, { begin: false }))))
  )
