import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import { connect } from "#infra/postgres/launcher/launcher.ts"
import { cairn } from "#src/cli/demo/programs.ts"

/** A data folder of its own, and how the command line is asked there. */
export interface Folder {
  readonly dataDir: string
  /** Runs `cairn … --json`; fails unless it ends well, with one JSON object on stdout. */
  readonly json: <A>(...args: ReadonlyArray<string>) => Promise<A>
  /** Runs `cairn …`. */
  readonly run: (...args: ReadonlyArray<string>) => ReturnType<typeof cairn>
  /** Runs it and expects exit code 1 and one line on stderr, which is answered. */
  readonly refused: (...args: ReadonlyArray<string>) => Promise<string>
  /** Writes JSON lines to a file, as they are, and answers its path. */
  readonly file: (name: string, lines: ReadonlyArray<string>) => string
  readonly remove: () => void
}

export const makeFolder = (): Folder => {
  const dataDir = mkdtempSync(join(tmpdir(), "cairn-test-"))
  const run: Folder["run"] = (...args) => cairn(dataDir, ...args)
  return {
    dataDir,
    run,
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
