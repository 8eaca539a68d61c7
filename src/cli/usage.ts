import { Clock, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { dayOf, monthOf, usageGroups } from "#domain/bounded.ts"
import { LanguageModel } from "#ports/LanguageModel.ts"
import { choicesOf } from "#ports/modelChoices.ts"
import { Consumption } from "#projections/Consumption.ts"
import { usageReport } from "#src/usage/report.ts"
import { Failed } from "./failure.ts"
import { config, onLog, upToDate } from "./log.ts"
import { organizationOf, orgFlag } from "./organization.ts"
import { answer, table } from "./output.ts"

const day = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("DAY"),
    Flag.withDescription(description),
    Flag.filter(
      (text) => /^20\d{2}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)),
      () => "expected a day like 2026-11-23"
    ),
    Flag.optional
  )

const dollars = (cost: number | null) => (cost === null ? null : cost.toFixed(4))

export const command = Command.make(
  "usage",
  {
    org: orgFlag,
    by: Flag.Literals("by", usageGroups).pipe(
      Flag.withDescription("What each line is of"),
      Flag.withDefault("day" as const)
    ),
    since: day("since", "The first day; of UTC, as all are. The first of the month unless given"),
    until: day("until", "The last day; today unless given")
  },
  ({ org, by, since: first, until: last }) =>
    onLog(
      Effect.gen(function* () {
        const { models } = yield* config
        const { id } = yield* organizationOf(org)
        yield* upToDate(Consumption)
        const now = yield* Clock.currentTimeMillis
        const until = Option.getOrElse(last, () => dayOf(now))
        const since = Option.getOrElse(first, () => monthOf(Date.parse(until)))
        if (since > until) return yield* new Failed({ message: "--since is behind --until." })
        const report = yield* usageReport({ tenant: id, key: null, by, since, until }, now).pipe(
          Effect.provideService(LanguageModel, { choices: choicesOf(models) } as LanguageModel["Service"])
        )
        yield* answer({ organization_id: id, ...report }, () => [
          ...table(
            [by, "chats", "turns", "input", "output", "cache read", "cache write", "US$"],
            [...report.usage, { of: "total", ...report.total }].map((row) => [
              row.of,
              row.chats,
              row.turns,
              row.input_tokens,
              row.output_tokens,
              row.cache_read_tokens,
              row.cache_write_tokens,
              dollars(row.cost)
            ])
          ),
          ...(report.bounds.length === 0
            ? []
            : table(
                ["key", "bound", "used", "limit", "resets at"],
                report.bounds.map((one) => [one.key_id ?? "(all)", one.bound, one.used, one.limit, one.resets_at])
              ))
        ])
      })
    )
).pipe(Command.withDescription("What an organization's chats used: by day, model, key or workspace"))
