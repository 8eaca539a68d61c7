import type { APIPromise } from "../APIPromise.ts"
import type { RequestOptions } from "../options.ts"
import type { Result } from "../Result.ts"
import { json, part } from "../request.ts"
import type { Transport } from "../transport.ts"

/** How much was erased of a user. */
export interface ErasedUser {
  /** 1: the user. */
  readonly users: number
  /** The user's API keys, which are revoked. */
  readonly keys: number
}

/** What `users.erase` gives. */
export interface EraseUserResponse extends Result {
  /** True: whatever goes wrong is raised. */
  readonly success: boolean
  /** What is gone. */
  readonly erased: ErasedUser
  /** Of the last event in the log that says so: for `after` of `events`. */
  readonly position: string
}

const erased = json(
  ({ success, erased: { users, keys }, position }: EraseUserResponse): EraseUserResponse => ({
    success,
    erased: { users, keys },
    position
  })
)

/** The organization's people, for its owners and admins. Everybody else gets an APIError 403 `permission/…`. */
export class Users {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Erases a user for good: revokes the user's keys, deletes name and e-mail, and frees the seat. What the user stored
   * for the organization stays, without their name. The same e-mail can be added again later.
   * @param id The `userId` of `keys.list`.
   * @throws {@link APIError}: 404 `not_found/user`: no such member, or one that is erased already; 409
   *   `conflict/owner_stays`: the owner can't be erased.
   */
  erase(id: string, options?: RequestOptions): APIPromise<EraseUserResponse> {
    const call = () => ({ method: "DELETE", path: `/api/users/${part("id", id)}`, answer: erased }) as const
    return this.#transport.send(call, options)
  }
}
