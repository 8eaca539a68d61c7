import { Effect, Layer, Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { derivedId } from "#engine/derivedId.ts"
import {
  commitOf,
  commitsBeginning,
  tenantOfWorkspace,
  type WorkspaceRecord,
  Workspaces,
  workspaceOf,
  workspacesBeginning
} from "#projections/Workspaces.ts"
import { belonging, workspaces } from "#src/layers.ts"
import { Failed } from "../failure.ts"
import { config, onLog, upToDate } from "../log.ts"
import { organizationOf, orgFlag } from "../organization.ts"
import { plain } from "../output.ts"

/** A workspace is named by its id, or by the pair that a chat names it with. */
export const which = {
  id: Argument.String("workspace").pipe(
    Argument.withDescription("The workspace's id, or its first digits"),
    Argument.optional
  ),
  orgId: Flag.String("org-id").pipe(Flag.withDescription("Or: the org_id of its chats"), Flag.optional),
  userId: Flag.String("user-id").pipe(Flag.withDescription("And the user_id of its chats"), Flag.optional),
  org: orgFlag
}
export type Which = {
  readonly id: Option.Option<string>
  readonly orgId: Option.Option<string>
  readonly userId: Option.Option<string>
  readonly org: Option.Option<string>
}

export const at = Flag.String("at").pipe(
  Flag.withMetavar("SHA"),
  Flag.withDescription("At this commit, or one that begins so; the latest unless given"),
  Flag.optional
)

/** Digits that are taken for the beginning of an id. */
const fewestDigits = 4

/** What is named by its first digits; `undefined`: nothing begins so, or they are too few to mean one. */
const theOne = <E, R>(
  kind: string,
  digits: string,
  fewest: number,
  beginning: (digits: string, limit: number) => Effect.Effect<ReadonlyArray<string>, E, R>
) =>
  Effect.gen(function* () {
    if (digits.length < fewest || !/^[0-9a-f-]+$/.test(digits)) return undefined
    const found = yield* beginning(digits, 3)
    if (found.length <= 1) return found[0]
    const listed = `${found.slice(0, 2).join(", ")}${found.length > 2 ? " and others" : ""}`
    return yield* new Failed({ message: `Several ${kind} begin with ${plain(digits)}: ${listed}. Give more digits.` })
  })

/** The id that is meant, and whose it is: `undefined` when there is none such. */
export const named = Effect.fnUntraced(function* ({ id, orgId, userId, org }: Which) {
  yield* upToDate(Workspaces)
  const pair = Option.isSome(orgId) && Option.isSome(userId)
  if (!pair && Option.isNone(id)) {
    return yield* new Failed({ message: "Name the workspace: its id, or --org-id and --user-id." })
  }
  if (pair) {
    const tenant = (yield* organizationOf(org)).id
    return { tenant, id: derivedId("workspace", tenant, Option.getOrThrow(orgId), Option.getOrThrow(userId)) }
  }
  const given = Option.getOrThrow(id).toLowerCase()
  const wanted = (yield* theOne("workspaces", given, fewestDigits, workspacesBeginning)) ?? given
  const tenant: string | undefined = yield* tenantOfWorkspace(wanted)
  return { tenant, id: wanted }
})

/** Why a command on a workspace fails that is not there. */
export const noWorkspace = (id: string) =>
  new Failed({ message: `There is no workspace ${plain(id)}: see \`cairn workspace list\`.` })

/** The workspace that is meant. */
export const find = Effect.fnUntraced(function* (given: Which) {
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
  const wanted =
    (yield* theOne("commits", given, fewestDigits, (digits, limit) => commitsBeginning(id, digits, limit))) ?? given
  const found = yield* commitOf(id, wanted)
  return found ?? (yield* new Failed({ message: `The workspace has no commit ${plain(wanted)}.` }))
})

/** Runs a verb on the log, the read models and the repositories; refuses repositories of another database. */
export const onGit = <A, E, R>(verb: Effect.Effect<A, E, R>) =>
  Effect.flatMap(config, (config) =>
    onLog(Effect.provide(verb, Layer.provide(workspaces(config), belonging(config, { begin: false }))))
  )
