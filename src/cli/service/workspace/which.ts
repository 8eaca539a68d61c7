import { Effect, Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { Failed } from "../../failure.ts"
import { plain } from "../../output.ts"
import type { Ask } from "../asking.ts"

/** A workspace as the service lists it. */
interface Listed {
  readonly workspace_id: string
  readonly org_id: string
  readonly user_id: string
  readonly head: string
  readonly commits: number
  readonly files: number
  readonly updated_at: string
}

/** A workspace is named by its id, or by the pair that a chat names it with. */
export const which = {
  id: Argument.String("workspace").pipe(
    Argument.withDescription("The workspace's id, or its first digits"),
    Argument.optional
  ),
  orgId: Flag.String("org-id").pipe(Flag.withDescription("Or: the org_id of its chats"), Flag.optional),
  userId: Flag.String("user-id").pipe(Flag.withDescription("And the user_id of its chats"), Flag.optional)
}
/** Which workspace, by the pair alone. */
export const pair = { orgId: which.orgId, userId: which.userId }

/** What comes behind the workspace, which is not named where the pair is. */
export const behind = (name: string, what: string) =>
  Argument.String(`workspace-and-${name}`).pipe(
    Argument.withDescription(`The workspace's id and the ${what}; only the ${what} with --org-id and --user-id`),
    Argument.between(1, 2)
  )

/** The workspace's id, where it is named before the other. */
export const idIn = (names: ReadonlyArray<string>) =>
  names.length === 2 ? Option.some(names[0]!) : Option.none<string>()

type Which = {
  readonly id: Option.Option<string>
  readonly orgId: Option.Option<string>
  readonly userId: Option.Option<string>
}

export const at = Flag.String("at").pipe(
  Flag.withMetavar("SHA"),
  Flag.withDescription("At this commit, or one that begins so; the latest unless given"),
  Flag.optional
)

/** All that the key sees. */
export const all = Effect.fnUntraced(function* (ask: Ask) {
  const workspaces: Array<Listed> = []
  let cursor: string | undefined
  do {
    const { data, wire } = yield* ask((cairn, options) => cairn.workspaces.list({ cursor }, options))
    workspaces.push(...(wire as { readonly workspaces: ReadonlyArray<Listed> }).workspaces)
    cursor = data.nextCursor ?? undefined
  } while (cursor !== undefined)
  return workspaces
})

/** Digits that are taken for the beginning of an id. */
const fewestDigits = 4

/** What begins so. Fails when several do. */
const theOne = Effect.fnUntraced(function* <A>(kind: string, digits: string, names: ReadonlyArray<[string, A]>) {
  const whole = names.find(([name]) => name === digits)
  const found = whole ? [whole] : digits.length < fewestDigits ? [] : names.filter(([name]) => name.startsWith(digits))
  if (found.length <= 1) return found[0]?.[1]
  const listed = `${found[0]![0]}, ${found[1]![0]}${found.length > 2 ? " and others" : ""}`
  return yield* new Failed({ message: `Several ${kind} begin with ${plain(digits)}: ${listed}. Give more digits.` })
})

/** The workspace that is meant, among those that the key sees. */
export const find = Effect.fnUntraced(function* (ask: Ask, { id, orgId, userId }: Which) {
  const pair = Option.isSome(orgId) && Option.isSome(userId)
  if (!pair && Option.isNone(id)) {
    return yield* new Failed({ message: "Name the workspace: its id, or --org-id and --user-id." })
  }
  const workspaces = yield* all(ask)
  const wanted = Option.getOrElse(id, () => "").toLowerCase()
  const found = pair
    ? workspaces.find((one) => one.org_id === orgId.value && one.user_id === userId.value)
    : yield* theOne(
        "workspaces",
        wanted,
        workspaces.map((one) => [one.workspace_id, one])
      )
  const named = pair ? `of ${plain(orgId.value)} and ${plain(userId.value)}` : plain(wanted)
  return found ?? (yield* new Failed({ message: `There is no workspace ${named}: see \`cairn workspace list\`.` }))
})

/** A commit of a workspace by its name or the beginning of it, the head unless told. */
export const commitIn = Effect.fnUntraced(function* (ask: Ask, workspace: Listed, sha: Option.Option<string>) {
  const wanted = Option.getOrElse(sha, () => workspace.head).toLowerCase()
  if (wanted.length === workspace.head.length) return wanted
  const names: Array<[string, string]> = []
  let before: string | undefined
  do {
    const page = { limit: 1000, before }
    const { data } = yield* ask((cairn, options) => cairn.workspaces.commits(workspace.workspace_id, page, options))
    names.push(...data.commits.map(({ sha }): [string, string] => [sha, sha]))
    before = data.commits.length === page.limit ? data.commits.at(-1)!.sha : undefined
  } while (before !== undefined)
  const found = yield* theOne("commits", wanted, names)
  return found ?? (yield* new Failed({ message: `The workspace has no commit ${plain(wanted)}.` }))
})
