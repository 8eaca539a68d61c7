import { Effect, Layer, Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { derivedId } from "#domain/Id.ts"
import {
  commitOf,
  tenantOfWorkspace,
  type WorkspaceRecord,
  Workspaces as WorkspacesModel,
  workspaceOf
} from "#projections/Workspaces.ts"
import { belonging, workspaces } from "#src/layers.ts"
import { Failed } from "../failure.ts"
import { config, onLog, upToDate } from "../log.ts"
import { organizationOf, orgFlag } from "../organization.ts"
import { plain } from "../output.ts"

/** A workspace is named by its id, or by the pair that a chat names it with. */
export const which = {
  id: Argument.String("workspace").pipe(Argument.withDescription("The workspace's id"), Argument.optional),
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
  Flag.withDescription("At this commit; the latest unless given"),
  Flag.optional
)

/** The id that is meant, and whose it is: `undefined` when there is none such. */
export const named = Effect.fnUntraced(function* ({ id, orgId, userId, org }: Which) {
  yield* upToDate(WorkspacesModel)
  const pair = Option.isSome(orgId) && Option.isSome(userId)
  if (!pair && Option.isNone(id)) {
    return yield* new Failed({ message: "Name the workspace: its id, or --org-id and --user-id." })
  }
  const tenant = pair ? (yield* organizationOf(org)).id : yield* tenantOfWorkspace(Option.getOrThrow(id))
  const wanted = pair
    ? derivedId("workspace", tenant!, Option.getOrThrow(orgId), Option.getOrThrow(userId))
    : Option.getOrThrow(id)
  return { tenant, id: wanted }
})

export const noWorkspace = (id: string) =>
  new Failed({ message: `There is no workspace ${plain(id)}: see \`cairn workspace list\`.` })

/** The workspace that is meant. */
export const find = Effect.fnUntraced(function* (given: Which) {
  const { tenant, id } = yield* named(given)
  const found = tenant === undefined ? undefined : yield* workspaceOf(tenant, id)
  return found ?? (yield* noWorkspace(id))
})

export const commitIn = Effect.fnUntraced(function* ({ id, head }: WorkspaceRecord, sha: Option.Option<string>) {
  const wanted = Option.getOrElse(sha, () => head)
  const found = yield* commitOf(id, wanted)
  return found ?? (yield* new Failed({ message: `The workspace has no commit ${plain(wanted)}.` }))
})

/** Runs a verb on the log, the read models and the repositories; refuses repositories of another database. */
export const onGit = <A, E, R>(verb: Effect.Effect<A, E, R>) =>
  Effect.flatMap(config, (config) =>
    onLog(Effect.provide(verb, Layer.provide(workspaces(config), belonging(config, { begin: false }))))
  )
