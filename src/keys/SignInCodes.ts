import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"

/** Milliseconds for which a code is valid. */
export const codeLasts = 60_000

/** How many wrong codes end the validity of the right one. */
export const wrongCodes = 5

const digestOf = (code: string): Buffer => createHash("sha256").update(code).digest()

/**
 * The code that is shown on the terminal of a person who starts the service, to sign in with in a browser. There is one
 * at a time, in this process's memory alone, and only as a digest.
 */
export class SignInCodes extends Context.Service<
  SignInCodes,
  {
    /** Makes a code of 43 characters, in place of the one before. */
    readonly issue: Effect.Effect<string>
    /** Whether this is the code, within its minute. Only one caller is told so, however many ask at the same time. */
    readonly take: (code: string) => Effect.Effect<boolean>
  }
>()("cairn/SignInCodes") {
  static readonly layer = Layer.sync(SignInCodes, () => {
    let issued: { readonly digest: Buffer; readonly until: number; wrong: number } | undefined
    return SignInCodes.of({
      issue: Effect.map(Clock.currentTimeMillis, (now) => {
        const code = randomBytes(32).toString("base64url")
        issued = { digest: digestOf(code), until: now + codeLasts, wrong: 0 }
        return code
      }),
      // checked and taken in one step: nobody else comes in between
      take: (code) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          if (issued === undefined) return false
          const isIt = timingSafeEqual(digestOf(code), issued.digest) && now < issued.until
          if (!isIt) issued.wrong++
          if (isIt || issued.wrong >= wrongCodes || now >= issued.until) issued = undefined
          return isIt
        })
    })
  })
}
