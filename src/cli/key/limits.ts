import { Clock, Effect, Option, Schema } from "effect"
import { Flag } from "effect/cli"
import { ActsFor } from "#domain/Key.ts"
import type { AskedLimits } from "#domain/Organization/commands.ts"
import { Failed } from "../failure.ts"
import { text, timeIn } from "../fields.ts"

const workspaceId = Schema.String.check(
  Schema.isPattern(/^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/u, {
    message: "is no workspace's id: `cairn workspace list` shows them"
  })
)

/** `--acts-as`, for a new key. */
export const actsAsFlag = Flag.String("acts-as").pipe(
  Flag.withMetavar("USER_ID"),
  Flag.withDescription("The user_id of the person's chats (default: their e-mail)"),
  Flag.withSchema(text(256)),
  Flag.optional
)

/** The failure of `key limit` without any of its flags. */
export const noBound = new Failed({ message: "No bound is given: see `cairn key limit --help`." })

/** Flags that bound a key, for verbs that make or change one. */
export const limitFlags = {
  actsFor: Flag.Literals("acts-for", ActsFor.literals).pipe(
    Flag.withDescription("own: it works in its own person's workspaces; any: in everybody's, as a back end does"),
    Flag.optional
  ),
  readOnly: Flag.Boolean("read-only").pipe(Flag.withDescription("Whether the key may only read"), Flag.optional),
  expires: Flag.String("expires").pipe(
    Flag.withMetavar("TIME"),
    Flag.withDescription("When the key expires: 2040-01-31, or with a time, 2040-01-31T12:00:00Z"),
    Flag.filter(
      (time) => !Number.isNaN(timeIn(time)),
      () => "expected a time, as 2040-01-31 or 2040-01-31T12:00:00Z"
    ),
    Flag.optional
  ),
  workspaces: Flag.String("in-workspace").pipe(
    Flag.withMetavar("ID"),
    Flag.withDescription("A workspace that the key may work in; repeat for more"),
    Flag.withSchema(workspaceId),
    Flag.atLeast(1),
    Flag.withDefault<ReadonlyArray<string>>([])
  ),
  models: Flag.String("model").pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("A model that the key may use; repeat for more"),
    Flag.withSchema(text(200)),
    Flag.atLeast(1),
    Flag.withDefault<ReadonlyArray<string>>([])
  )
}

/** Which of those flags are given. */
export interface GivenLimits {
  readonly actsFor: Option.Option<ActsFor>
  readonly readOnly: Option.Option<boolean>
  readonly expires: Option.Option<string>
  readonly workspaces: ReadonlyArray<string>
  readonly models: ReadonlyArray<string>
}

/** The limits that those flags ask for, without the flags that are not given. Fails if the time to expire is over. */
export const limitsIn = Effect.fnUntraced(function* ({ actsFor, readOnly, expires, workspaces, models }: GivenLimits) {
  const expiresAt = Option.isNone(expires) ? undefined : timeIn(expires.value)
  if (expiresAt !== undefined && expiresAt <= (yield* Clock.currentTimeMillis))
    return yield* new Failed({ message: "--expires is over: give a time that is to come." })
  const limits: AskedLimits = {
    ...(Option.isNone(actsFor) ? {} : { actsFor: actsFor.value }),
    ...(Option.isNone(readOnly) ? {} : { readOnly: readOnly.value }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(workspaces.length === 0 ? {} : { workspaces: [...new Set(workspaces.map((id) => id.toLowerCase()))] }),
    ...(models.length === 0 ? {} : { models: [...new Set(models)] })
  }
  return limits
})
