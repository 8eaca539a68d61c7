import { createReadStream, statSync } from "node:fs"
import { resolve } from "node:path"
import { Effect, Option, Result } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { type Scope, scopeOf } from "#domain/Scope.ts"
import type { TenantRecord } from "#projections/Keys/organizations.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { counted } from "#src/counted.ts"
import { analysis } from "#src/layers.ts"
import { writtenPosition } from "#src/positions.ts"
import { projections } from "#src/readModels.ts"
import { importLines } from "#src/snippets/import.ts"
import { type Line, readLines } from "#src/snippets/lines.ts"
import { Failed } from "./failure.ts"
import { config, onLog, reach, upToDate } from "./log.ts"
import { organizationOf, orgFlag } from "./organization.ts"
import { answer, Json, plain } from "./output.ts"
import { progress } from "./progress.ts"
import { type Around, Surroundings } from "./surroundings.ts"

/** How many bad lines are told on stderr; the JSON has all of them. */
const told = 20

/** Bytes of a line: a repository's files as JSON, where one character may take six. */
const longestLine = 112 * 1024 * 1024

/** The file, relative to where the user is; `-` is stdin. */
const open = (name: string, { env }: Around) =>
  Effect.try({
    try: () => {
      if (name === "-") return { size: 0, chunks: process.stdin as AsyncIterable<Uint8Array> }
      const path = resolve(env["INIT_CWD"] ?? ".", name)
      const stat = statSync(path)
      if (stat.isDirectory()) throw new Error("it is a folder")
      return { size: stat.size, chunks: createReadStream(path, { highWaterMark: 256 * 1024 }) }
    },
    catch: (error) => new Failed({ message: `${plain(name)} can't be read: ${(error as Error).message}` })
  })

/** The scope that an owner's request with this workspace header would have. */
export const homeIn = (
  { id, tier, secret }: TenantRecord,
  workspace: Option.Option<string>
): Effect.Effect<Scope, { readonly _tag: string }> => {
  const holder = { tenant: id, organization: id, tier, secret }
  const nothing = { organization: undefined, snipsDesired: undefined, publicSnips: undefined, agent: undefined }
  const scope = scopeOf(holder, { ...nothing, workspace: Option.getOrUndefined(workspace) })
  return Result.isSuccess(scope) ? Effect.succeed(scope.success) : Effect.fail(scope.failure)
}

export const workspaceFlag = Flag.String("workspace").pipe(
  Flag.withMetavar("W"),
  Flag.withDescription("The workspace of the snippets, as in X-Cairn-Workspace-Id (default: the organization's own)"),
  Flag.optional
)

export const command = Command.make(
  "import",
  {
    file: Argument.String("file").pipe(Argument.withDescription("JSON lines, one snippet each; - is stdin")),
    org: orgFlag,
    workspace: workspaceFlag,
    public: Flag.Boolean("public").pipe(
      Flag.withDescription("Publish them: everyone who asks for public snippets finds them"),
      Flag.withDefault(false)
    )
  },
  ({ file, org, workspace, public: publish }) =>
    Effect.gen(function* () {
      if (publish && !(yield* config).publicLibrary) {
        return yield* new Failed({
          message: "nothing can be public here: CAIRN_PUBLIC is off. Import without --public."
        })
      }
      const around = yield* Surroundings
      const { size, chunks } = yield* open(file, around)
      return yield* onLog(
        Effect.gen(function* () {
          const json = yield* Json
          const organization = yield* organizationOf(org)
          const { home, workspace: named } = yield* homeIn(organization, workspace)
          const bar = progress(!json)
          // however far behind it is: what was stored in private is looked through, too
          if (publish) yield* upToDate(Snippets)
          const began = Date.now()
          let lines = 0
          let bad = 0
          const done = ({ end }: Line) => {
            lines += 1
            bar.at(end, size, `${lines} lines, ${Math.round((lines / Math.max(1, Date.now() - began)) * 1000)}/s`)
          }
          const onBad = ({ line, reason }: { readonly line: number; readonly reason: string }) => {
            bad += 1
            if (bad > told) return
            bar.clear()
            const more = bad === told ? " (further ones are counted)" : ""
            around.stderr.write(`line ${line}: ${plain(reason)}${more}\n`)
          }
          const homeOf = (name: string) =>
            Effect.mapError(homeIn(organization, Option.some(name)), ({ _tag }) =>
              _tag === "TierRequired"
                ? `workspace is given, and the organization's tier ${organization.tier} has none; --workspace "" leaves them out`
                : "workspace is none that can be"
            )
          const to = {
            tenant: organization.id,
            secret: organization.secret,
            home,
            workspace: named,
            publish,
            ...(Option.isNone(workspace) && { homeOf })
          }
          const read = readLines(chunks, longestLine)
          const imported = yield* Effect.provide(importLines(read, to, { bad: onBad, done }), analysis)
          bar.clear()
          yield* reach(projections, imported.position, (at) => bar.at(at, imported.position, "read models"))
          bar.clear()
          const seconds = (Date.now() - began) / 1000
          const success = imported.bad.length === 0 && imported.stopped === undefined
          const { position, stopped, bad: wrong, ...counts } = imported
          yield* answer(
            {
              success,
              organization_id: organization.id,
              ...counts,
              failed: wrong.length,
              errors: wrong,
              error: stopped ?? null,
              position: yield* writtenPosition(position),
              seconds
            },
            () => [
              `Stored ${counted(counts.stored, "snippet")} in ${plain(organization.name)} in ${seconds.toFixed(1)} s (${Math.round(counts.lines / seconds)} lines/s).`,
              ...(counts.merged === 0 ? [] : [`${counted(counts.merged, "line")} with code that was there already.`]),
              ...(counts.unchanged === 0 ? [] : [`${counted(counts.unchanged, "line")} imported before.`])
            ]
          )
          if (success) return
          const why = stopped === undefined ? `${counted(wrong.length, "line")} could not be stored` : stopped
          return yield* new Failed({ message: `${why}; ${counted(counts.stored, "snippet")} stored.` })
        })
      )
    })
).pipe(Command.withDescription("Store the snippets of a file; the same file again adds nothing"))
