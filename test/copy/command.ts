import { Writable } from "node:stream"
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Layer, Redacted } from "effect"
import { cairn } from "#src/cli/cairn.ts"
import { Surroundings } from "#src/cli/surroundings.ts"
import { besideWorkers } from "#test/sharedWorkers.ts"

class Heard extends Writable {
  text = ""
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString("utf8")
    done()
  }
}

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** What comes in, behind the arguments. */
interface Incoming {
  readonly stdin: AsyncIterable<Uint8Array>
}

/** Runs `cairn …` in this process, in an environment that says nothing else. */
export const run = async (
  env: { readonly [name: string]: string },
  ...given: ReadonlyArray<string> | readonly [...ReadonlyArray<string>, Incoming]
): Promise<Ran> => {
  delete process.env["CAIRN_PARENT_PID"]
  const [stdout, stderr] = [new Heard(), new Heard()]
  const args = given.flatMap((one) => (typeof one === "string" ? [one] : []))
  const [incoming] = given.flatMap((one) => (typeof one === "string" ? [] : [one]))
  const around = { env: { PATH: process.env["PATH"] ?? "", ...env }, stdout, stderr, ...incoming }
  const asked = cairn(args).pipe(
    Effect.provideService(Surroundings, around),
    Effect.provideService(Layer.CurrentMemoMap, await besideWorkers())
  )
  const exit = await Effect.runPromiseExit(asked)
  return { code: Exit.isSuccess(exit) ? 0 : 1, out: stdout.text, err: stderr.text }
}

/** What the environment says of a database to copy from, or to. */
export const from = (url: Redacted.Redacted, dataDir = "./nothing") => ({
  DATABASE_URL: Redacted.value(url),
  CAIRN_DATA_DIR: dataDir
})
export const to = (url: Redacted.Redacted) => ({ CAIRN_COPY_TO: Redacted.value(url) })

/** Rows of a database that nobody serves. */
export const rowsOf = <Row extends object>(url: Redacted.Redacted, statement: string) =>
  Effect.runPromise(
    Effect.provide(
      Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<Row>(statement)),
      PgClient.layer({ url })
    )
  )
