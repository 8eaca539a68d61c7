import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Writable } from "node:stream"
import { fileURLToPath } from "node:url"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { assert } from "@effect/vitest"
import { Effect, Exit, Layer, Option, Redacted } from "effect"
import { connect } from "#infra/postgres/launcher/launcher.ts"
import { cairn } from "#src/cli/cairn.ts"
import { cairn as spawned } from "#src/cli/demo/programs.ts"
import { Surroundings } from "#src/cli/surroundings.ts"
import { preparedDatabase } from "#test/preparedDatabase.ts"
import { startService, type TestInstallation } from "#test/service.ts"
import { besideWorkers } from "#test/sharedWorkers.ts"

type Run = (...args: ReadonlyArray<string>) => ReturnType<typeof spawned>

/** What is written to it, as text. */
class Heard extends Writable {
  text = ""
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString("utf8")
    done()
  }
}

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Runs `cairn …` in this process, with these variables besides its own. */
export const inProcess = async (more: { readonly [name: string]: string }, args: ReadonlyArray<string>) => {
  // what it names started the tests' first process, and has not gone when that is not the parent of this one
  delete process.env["CAIRN_PARENT_PID"]
  const env = { ...process.env, INIT_CWD: root, CAIRN_URL: "", ...more }
  const [stdout, stderr] = [new Heard(), new Heard()]
  const around = { env, stdout, stderr }
  const asked = cairn(args).pipe(
    Effect.provideService(Surroundings, around),
    Effect.provideService(Layer.CurrentMemoMap, await besideWorkers())
  )
  const exit = await Effect.runPromiseExit(asked)
  return { code: Exit.isSuccess(exit) ? 0 : 1, out: stdout.text, err: stderr.text }
}

/** A data folder of its own, with or without a Postgres that is its own, and how the command line is asked there. */
export interface Folder {
  readonly dataDir: string
  /** For a service on it; its database is the embedded one where the folder has a Postgres of its own. */
  readonly installation: Promise<TestInstallation>
  /** Runs `cairn … --json`; fails unless it ends well, with one JSON object on stdout. */
  readonly json: <A>(...args: ReadonlyArray<string>) => Promise<A>
  /** Runs `cairn …` in this process, which is most of what it is at a hundredth of the time. */
  readonly run: Run
  /** The same as a process of its own. */
  readonly spawned: Run
  /** Runs it and expects exit code 1 and one line on stderr, which is answered. */
  readonly refused: (...args: ReadonlyArray<string>) => Promise<string>
  /** Writes JSON lines to a file, as they are, and answers its path. */
  readonly file: (name: string, lines: ReadonlyArray<string>) => string
  readonly remove: () => void
}

export const makeFolder = (options: { readonly ownPostgres: boolean } = { ownPostgres: true }): Folder => {
  const dataDir = mkdtempSync(join(tmpdir(), "cairn-cli-"))
  const database = options.ownPostgres
    ? Promise.resolve("")
    : Effect.runPromise(Effect.map(preparedDatabase, Redacted.value))
  const run: Run = async (...args) => inProcess({ CAIRN_DATA_DIR: dataDir, DATABASE_URL: await database }, args)
  return {
    dataDir,
    installation: database.then((url) => ({ dataDir, database: Redacted.make(url) })),
    run,
    spawned: (...args) => spawned(dataDir, ...args),
    json: async (...args) => {
      const { code, out, err } = await run(...args, "--json")
      assert.strictEqual(code, 0, `cairn ${args.join(" ")}: ${err}`)
      assert.strictEqual(out.trimEnd().split("\n").length, 1)
      return JSON.parse(out)
    },
    refused: async (...args) => {
      const { code, err } = await run(...args)
      const lines = err.trimEnd().split("\n")
      assert.strictEqual(code, 1, err)
      assert.strictEqual(lines.length, 1, err)
      assert.notMatch(err, /\n\s+at /)
      return lines[0]!
    },
    file: (name, lines) => {
      const path = join(dataDir, name)
      writeFileSync(path, lines.map((line) => `${line}\n`).join(""))
      return path
    },
    remove: () => rmSync(dataDir, { recursive: true, force: true })
  }
}

/** A service on a folder, in this process, and how its owner asks it: fails on anything but a success. */
export const served = async (folder: Folder) => {
  const service = await startService({}, await folder.installation)
  const ask = async <A>(method: string, path: string, body?: object): Promise<A> => {
    const { status, text, json } = await service.call(method, path, body)
    assert.isBelow(status, 300, `${method} ${path}: ${text}`)
    return json
  }
  return { ...service, ask }
}

/** Runs a statement in the Postgres that runs for a data folder. */
export const sql = (dataDir: string, statement: string): Promise<void> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const { url } = Option.getOrThrow(yield* connect({ dataDir }))
        const connection = yield* PgConnection.make({ url, ssl: false })
        yield* connection.query(statement, [], false)
      })
    )
  )
