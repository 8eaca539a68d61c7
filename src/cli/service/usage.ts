import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import { answer } from "../output.ts"
import { asked, type UsageToShow, usageTable } from "../usageTable.ts"
import { service } from "./asking.ts"

export const command = Command.make("usage", asked, ({ by, since, until }) =>
  Effect.gen(function* () {
    const ask = yield* service()
    const given = { by, since: Option.getOrUndefined(since), until: Option.getOrUndefined(until) }
    const { wire } = yield* ask((cairn, options) => cairn.system.usage(given, options))
    yield* answer(wire, () => usageTable(by, wire as UsageToShow))
  })
).pipe(Command.withDescription("What chats used: your organization's for owners and admins, otherwise your key's"))
