import { Readable, type Transform } from "node:stream"
import type { ReadableStream } from "node:stream/web"
import { Effect } from "effect"
import { BackupFault } from "#ports/Backup.ts"

type Bytes = AsyncIterable<Uint8Array>

/** Loaded only to encrypt or decrypt: it makes its curves as it loads, which took a twentieth of each start. */
const age = Effect.promise(() => import("age-encryption"))

/** Turns bytes into others, piece by piece. */
export type Turning = (bytes: Bytes) => Bytes

const toWeb = (bytes: Bytes) => Readable.toWeb(Readable.from(bytes, { objectMode: true })) as never

/** Encrypts for recipients of `age` (`age1…`). Fails when one is not valid. */
export const encrypting = (recipients: ReadonlyArray<string>): Effect.Effect<Turning, BackupFault> =>
  Effect.gen(function* () {
    const { Encrypter } = yield* age
    const encrypter = new Encrypter()
    for (const recipient of recipients) {
      yield* Effect.try({
        try: () => encrypter.addRecipient(recipient),
        catch: () =>
          new BackupFault({ message: `${recipient.slice(0, 100)} is no recipient of age: it begins with age1.` })
      })
    }
    return async function* (bytes) {
      yield* (await encrypter.encrypt(toWeb(bytes))) as unknown as ReadableStream<Uint8Array>
    }
  })

const wrong = "the identity that is given (CAIRN_BACKUP_IDENTITY) is not one that this backup was encrypted for"

/**
 * Decrypts with identities of `age` (`AGE-SECRET-KEY-…`), one a line; skips lines that begin with `#`. Fails when a
 * line is no identity. That none of them fits shows only with the first bytes.
 */
export const decrypting = (text: string): Effect.Effect<Turning, BackupFault> =>
  Effect.gen(function* () {
    const { Decrypter } = yield* age
    const decrypter = new Decrypter()
    const lines = text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "" && !line.startsWith("#"))
    for (const line of lines) {
      yield* Effect.try({
        try: () => decrypter.addIdentity(line),
        // never with the error's own words, which may quote the secret
        catch: () =>
          new BackupFault({
            message: "CAIRN_BACKUP_IDENTITY has a line that is no identity of age (AGE-SECRET-KEY-…)."
          })
      })
    }
    return async function* (bytes) {
      const plain = await decrypter.decrypt(toWeb(bytes)).catch((error: unknown) => {
        throw String(error).includes("no identity matched") ? new BackupFault({ message: `${wrong}.` }) : error
      })
      yield* plain as unknown as ReadableStream<Uint8Array>
    }
  })

/** Turns bytes by a stream of Node's. */
export const through = (make: () => Transform): Turning =>
  async function* (bytes) {
    const transform = make()
    const source = Readable.from(bytes, { objectMode: true })
    source.once("error", (error) => transform.destroy(error))
    source.pipe(transform)
    try {
      yield* transform as AsyncIterable<Uint8Array>
    } finally {
      source.destroy()
      transform.destroy()
    }
  }
