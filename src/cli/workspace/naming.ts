import { Effect, Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { Failed } from "../failure.ts"
import { plain } from "../output.ts"

/** How a workspace is named, by a verb beside the data and by one that asks a service: its id, or a chat's pair. */
export const which = {
  id: Argument.String("workspace").pipe(
    Argument.withDescription("The workspace's id, or its first digits"),
    Argument.optional
  ),
  orgId: Flag.String("org-id").pipe(Flag.withDescription("Instead of its id: the org_id of its chats"), Flag.optional),
  userId: Flag.String("user-id").pipe(Flag.withDescription("With --org-id, the user_id of the chats"), Flag.optional)
}

export interface Which {
  readonly id: Option.Option<string>
  readonly orgId: Option.Option<string>
  readonly userId: Option.Option<string>
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

export const at = Flag.String("at").pipe(
  Flag.withMetavar("SHA"),
  Flag.withDescription("A commit, or its first digits (default: the latest)"),
  Flag.optional
)

/** Which of a workspace's commits are listed. */
export const history = {
  limit: Flag.Int("limit").pipe(
    Flag.withDescription("How many at most (default: 50)"),
    Flag.filter(
      (limit) => limit >= 1,
      () => "expected a number from 1"
    ),
    Flag.withDefault(50)
  ),
  before: Flag.String("before").pipe(
    Flag.withMetavar("SHA"),
    Flag.withDescription("Only commits before this one, as the end of a longer list names it"),
    Flag.optional
  ),
  at,
  path: Flag.String("path").pipe(
    Flag.withDescription("Only commits that created, changed or deleted this file"),
    Flag.optional
  )
}

/** Fails where a list of commits is to begin at two places. */
export const onePlace = ({ before, at }: { readonly [place in "before" | "at"]: Option.Option<string> }) =>
  Option.isSome(before) && Option.isSome(at)
    ? Effect.fail(new Failed({ message: "--at goes with no --before: leave one of them out." }))
    : Effect.void

/** Digits that are taken for the beginning of an id. */
export const fewestDigits = 4

/** The pair, or the id in lower case. Fails when neither is given. */
export const given = ({ id, orgId, userId }: Which) =>
  Option.isSome(orgId) && Option.isSome(userId)
    ? Effect.succeed({ org: orgId.value, user: userId.value })
    : Option.isSome(id)
      ? Effect.succeed(id.value.toLowerCase())
      : Effect.fail(new Failed({ message: "Name the workspace: its id, or --org-id and --user-id." }))

/** The only one of what was found by its first digits; `undefined`: there is none. Fails when several are meant. */
export const onlyOne = <A>(kind: string, digits: string, found: ReadonlyArray<readonly [name: string, A]>) => {
  const [first, second] = found
  if (second === undefined) return Effect.succeed(first?.[1])
  const listed = `${first![0]}, ${second[0]}${found.length > 2 ? " and others" : ""}`
  return Effect.fail(
    new Failed({ message: `Several ${kind} begin with ${plain(digits)}: ${listed}. Give more digits.` })
  )
}

/** Why a command on a workspace fails that is not there. */
export const noWorkspace = (named: string) =>
  new Failed({ message: `There is no workspace ${named}: see \`cairn workspace list\`.` })

/** Says that the workspace has no such commit. */
export const noCommit = (wanted: string) => new Failed({ message: `The workspace has no commit ${plain(wanted)}.` })
