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

/** The pair is one organization's. */
export const which = { ...naming.which, org: orgFlag }
export const pair = { ...naming.pair, org: orgFlag }

export interface WhichInOrg extends naming.Which {
  readonly org: Option.Option<string>
}

/** What is named by its first digits; `undefined`: nothing begins so, or they are too few to mean one. */
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

/** The id that is meant, and whose it is: `undefined` when there is none such. */
export const named = Effect.fnUntraced(function* ({ org, ...which }: WhichInOrg) {
  yield* upToDate(Workspaces)
  const given = yield* naming.given(which)
  if (typeof given !== "string") {
    const tenant = (yield* organizationOf(org)).id
    return { tenant, id: derivedId("workspace", tenant, given.org, given.user) }
  }
  const wanted = (yield* theOne("workspaces", given, workspacesBeginning)) ?? given
  const tenant: string | undefined = yield* tenantOfWorkspace(wanted)
  return { tenant, id: wanted }
})

/** Why a command on a workspace fails that is not there. */
export const noWorkspace = (id: string) => naming.noWorkspace(plain(id))

/** The workspace that is meant. */
export const find = Effect.fnUntraced(function* (given: WhichInOrg) {
  const { tenant, id } = yield* named(given)
  const found = tenant === undefined ? undefined : yield* workspaceOf(tenant, id)
  return found ?? (yield* noWorkspace(id))
})

/**
 * A commit of a workspace by its name or the beginning of it, the head unless told. Fails with a line for the
 * operator when none or several are meant.
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
