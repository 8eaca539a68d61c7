import type { Result } from "../Result.ts"
import { type Call, json } from "../request.ts"

/** A key of the operator's that ends by itself. */
export interface SignInKey extends Result {
  /** Shown this once. */
  readonly key: string
  /** For `keys.revoke`. */
  readonly keyId: string
  /** ISO 8601. */
  readonly expiresAt: string
}

interface Wire {
  readonly key: string
  readonly key_id: string
  readonly expires_at: string
}

export const signIn = (code: string): Call<SignInKey> => ({
  method: "POST",
  path: "/api/sign-in",
  body: { code },
  open: true,
  answer: json(({ key, key_id, expires_at }: Wire) => ({ key, keyId: key_id, expiresAt: expires_at }))
})
