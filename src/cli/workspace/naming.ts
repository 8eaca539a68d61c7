import { Effect, Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { Failed } from "../failure.ts"
import { plain } from "../output.ts"

/** How a workspace is named, on the data folder and to a service alike: by its id, or by a chat's pair. */
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
  /** Of a verb that has `--at`: there a commit may have been typed in the id's place. */
  readonly at?: Option.Option<string>
}

/** The flags that name a workspace by the pair alone. */
export const pair = { orgId: which.orgId, userId: which.userId }

/** The argument after the workspace's id, which is left out if the pair names the workspace. */
export const behind = (name: string, what: string) =>
  Argument.String(`workspace-and-${name}`).pipe(
    Argument.withDescription(`The workspace's id and the ${what}; only the ${what} with --org-id and --user-id`),
    Argument.between(1, 2)
  )

/** The workspace's id, if it comes before the other argument. */
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

/** Fails if a list of commits has two places to begin. */
export const onePlace = ({ before, at }: { readonly [place in "before" | "at"]: Option.Option<string> }) =>
  Option.isSome(before) && Option.isSome(at)
    ? Effect.fail(new Failed({ message: "--at goes with no --before: leave one of them out." }))
    : Effect.void

/** How many digits it takes to name an id by its beginning. */
export const fewestDigits = 4

/** The pair, or the id in lower case. Fails if neither is given, and if both are: they may be of two workspaces. */
export const given = ({ id, orgId, userId, at }: Which) => {
  if (Option.isSome(id) && (Option.isSome(orgId) || Option.isSome(userId))) {
    const commit = at === undefined ? "" : " A commit is --at SHA."
    return Effect.fail(
      new Failed({ message: `Name the workspace by its id or by --org-id and --user-id, not by both.${commit}` })
    )
  }
  if (Option.isSome(orgId) && Option.isSome(userId)) return Effect.succeed({ org: orgId.value, user: userId.value })
  return Option.isSome(id)
    ? Effect.succeed(id.value.toLowerCase())
    : Effect.fail(new Failed({ message: "Name the workspace: its id, or --org-id and --user-id." }))
}

/** The only thing that was found by its first digits; `undefined`: there is none. Fails if there are several. */
export const onlyOne = <A>(kind: string, digits: string, found: ReadonlyArray<readonly [name: string, A]>) => {
  const [first, second] = found
  if (second === undefined) return Effect.succeed(first?.[1])
  const listed = `${first![0]}, ${second[0]}${found.length > 2 ? " and others" : ""}`
  return Effect.fail(
    new Failed({ message: `Several ${kind} begin with ${plain(digits)}: ${listed}. Give more digits.` })
  )
}

/** The failure that there is no such workspace. */
export const noWorkspace = (named: string) =>
  new Failed({ message: `There is no workspace ${named}: see \`cairn workspace list\`.` })

/** Says that the workspace has no such commit. */
export const noCommit = (wanted: string) => new Failed({ message: `The workspace has no commit ${plain(wanted)}.` })
