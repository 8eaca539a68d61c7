import { Clock, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { dayOf, monthOf } from "#domain/bounded.ts"
import { LanguageModel } from "#ports/LanguageModel.ts"
import { choicesOf } from "#ports/modelChoices.ts"
import { Consumption } from "#projections/Consumption/tables.ts"
import { usageReport } from "#src/usage/report.ts"
import { Failed } from "./failure.ts"
import { config, onLog, upToDate } from "./log.ts"
import { organizationOf, orgFlag } from "./organization.ts"
import { answer } from "./output.ts"
import { asked, usageTable } from "./usageTable.ts"

export const command = Command.make(
  "usage",
  {
    org: orgFlag,
    ...asked
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
        yield* answer({ organization_id: id, ...report }, () => usageTable(by, report))
      })
    )
).pipe(Command.withDescription("What an organization's chats used, by day, model, key or workspace"))
