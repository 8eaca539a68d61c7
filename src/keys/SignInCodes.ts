import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"

/** Milliseconds for which a code may be given back. */
export const codeLasts = 60_000

/** Codes that are not the one, after which it is none any more. */
export const wrongCodes = 5

const digestOf = (code: string): Buffer => createHash("sha256").update(code).digest()

/**
 * The code that whoever starts the service is shown on their terminal, to sign in with in a browser. There is one at a
 * time, in this process's memory alone, and only as a digest.
 */
export class SignInCodes extends Context.Service<
  SignInCodes,
  {
    /** Makes a code of 43 characters, in place of the one before. */
    readonly issue: Effect.Effect<string>
    /** Whether this is the code, within its minute. It is so once, however many ask at the same time. */
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
      // looked at and taken in one step: nobody else comes in between
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
