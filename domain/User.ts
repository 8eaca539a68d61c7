import { Data, HashSet, Result, Schema } from "effect"
import type { Decider } from "#engine/Decider.ts"
import { text } from "#engine/Event.ts"
import { KeyCreated, type KeyLimits, KeyNotFound, KeyRevoked, type NewKey, unlimited } from "./Key.ts"
import { TextErased, userSubject } from "./Person.ts"

/** Stored for good: add a tag or a version, never change the meaning of one. */
export const UserEvent = Schema.TaggedUnion({
  UserRegistered: { user: Schema.String, ...text({ email: Schema.String, secret: Schema.String }) },
  /** Follows the revocation of the person's keys. A reaction then deletes what the person had stored. */
  UserErased: { user: Schema.String, subject: Schema.String },
  TextErased,
  KeyCreated,
  KeyRevoked
})
export type UserEvent = typeof UserEvent.Type

export type UserCommand = Data.TaggedEnum<{
  /** Registers the person too, if they are not registered. */
  CreatePersonalKey: {
    readonly user: string
    readonly email: string
    /** Random; keys every digest of the tenant, if this registers the person. */
    readonly secret: string
    readonly key: NewKey
    readonly limits?: Partial<KeyLimits>
  }
  RevokePersonalKey: { readonly key: string }
  EraseUser: { readonly user: string }
  /** For a person who was erased; at most 500 subjects. */
  EraseText: { readonly user: string; readonly subjects: ReadonlyArray<string> }
}>
export const UserCommand = Data.taggedEnum<UserCommand>()

/** Nobody is registered under this id or, for `EraseText`, nobody was ever erased. */
export class UserNotFound extends Data.TaggedError("UserNotFound")<{ readonly user: string }> {}

export interface UserState {
  readonly registered: boolean
  readonly user: string
  readonly erasures: number
  readonly keys: HashSet.HashSet<string>
}

/** A person without an organization, and their keys. Only the operator makes and revokes these. */
export const User: Decider<UserCommand, UserEvent, UserState, KeyNotFound | UserNotFound> = {
  initial: { registered: false, user: "", erasures: 0, keys: HashSet.empty() },

  decide: (command, state) =>
    UserCommand.$match(command, {
      CreatePersonalKey: ({
        user,
        email,
        secret,
        key: { key, name, hash, prefix, userId = null },
        limits = {}
      }): Result.Result<Array<UserEvent>, KeyNotFound> => {
        const subject = userSubject(user, state.erasures)
        const created = UserEvent.cases.KeyCreated.make({
          key,
          user,
          role: "owner",
          hash,
          prefix,
          ...unlimited,
          ...limits,
          subject,
          text: { name, userId }
        })
        return Result.succeed(
          state.registered
            ? [created]
            : [UserEvent.cases.UserRegistered.make({ user, subject, text: { email, secret } }), created]
        )
      },
      RevokePersonalKey: ({ key }) =>
        HashSet.has(state.keys, key)
          ? Result.succeed([UserEvent.cases.KeyRevoked.make({ key, user: state.user })])
          : Result.fail(new KeyNotFound({ key })),
      EraseUser: ({ user }): Result.Result<Array<UserEvent>, UserNotFound> =>
        state.registered
          ? Result.succeed([
              ...[...state.keys].sort().map((key) => UserEvent.cases.KeyRevoked.make({ key, user: state.user })),
              UserEvent.cases.UserErased.make({ user: state.user, subject: userSubject(state.user, state.erasures) })
            ])
          : Result.fail(new UserNotFound({ user })),
      EraseText: ({ user, subjects }): Result.Result<Array<UserEvent>, UserNotFound> =>
        state.erasures > 0
          ? Result.succeed([UserEvent.cases.TextErased.make({ user, subjects })])
          : Result.fail(new UserNotFound({ user }))
    }),

  evolve: (state, event) =>
    UserEvent.match(event, {
      UserRegistered: ({ user }) => ({ ...state, registered: true, user }),
      UserErased: () => ({ ...state, registered: false, erasures: state.erasures + 1 }),
      TextErased: () => state,
      KeyCreated: ({ key }) => ({ ...state, keys: HashSet.add(state.keys, key) }),
      KeyRevoked: ({ key }) => ({ ...state, keys: HashSet.remove(state.keys, key) })
    })
}
