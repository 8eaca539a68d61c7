import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { Bounds, BoundsCommand, type BoundsOf } from "#domain/Bounds.ts"
import { dispatch } from "#engine/dispatch.ts"
import { boundsOf } from "#projections/Consumption/bounds.ts"
import { Consumption } from "#projections/Consumption/tables.ts"
import { ownerOfKey } from "#projections/Keys/holders.ts"
import { Keys } from "#projections/Keys/tables.ts"
import { shownBounds } from "#src/usage/report.ts"
import { Failed } from "./failure.ts"
import { onLog, reach, upToDate } from "./log.ts"
import { metadata } from "./metadata.ts"
import { organizationOf, orgFlag } from "./organization.ts"
import { answer, plain, table } from "./output.ts"

const columns = ["key", "chats/day", "tokens/month", "US$/month", "max turns", "models", "snippets", "bytes"]
const lineOf = (key: string | null, bounds: BoundsOf) => [
  key ?? "(all)",
  bounds.chatsPerDay,
  bounds.tokensPerMonth,
  bounds.costPerMonth,
  bounds.maxTurns,
  bounds.models?.join(" "),
  bounds.snippets,
  bounds.repositoryBytes
]

const count = (name: string, description: string, [least, most]: readonly [number, number]) =>
  Flag.Int(name).pipe(
    Flag.withDescription(description),
    Flag.filter(
      (value) => value >= least && value <= most,
      () => `expected a whole number from ${least} to ${most}`
    ),
    Flag.optional
  )

const set = Command.make(
  "set",
  {
    org: orgFlag,
    key: Flag.String("key").pipe(
      Flag.withMetavar("ID"),
      Flag.withDescription("The key to bound (default: the whole organization)"),
      Flag.optional
    ),
    chats: count("chats-per-day", "Chats that may begin in one day", [0, 1_000_000_000]),
    tokens: count("tokens-per-month", "Tokens of models, read and written, in a month", [0, 1_000_000_000_000]),
    cost: Flag.Finite("cost-per-month").pipe(
      Flag.withDescription("US dollars in a month, by CAIRN_MODELS"),
      Flag.filter(
        (value) => value >= 0 && value <= 1e9,
        () => "expected US dollars from 0 to 1e9"
      ),
      Flag.optional
    ),
    turns: count("max-turns", "Turns of one chat", [1, 100]),
    models: Flag.String("model").pipe(
      Flag.withDescription("A model that may be used; repeat for more (default: all)"),
      Flag.between(1, 100),
      Flag.withDefault<ReadonlyArray<string>>([])
    ),
    snippets: count("snippets", "Snippets that may be stored at one time", [0, 1_000_000_000]),
    bytes: count("repository-bytes", "Bytes that may be committed to workspaces", [0, 1_000_000_000_000_000]),
    none: Flag.Boolean("none").pipe(Flag.withDescription("Remove all bounds"), Flag.withDefault(false))
  },
  ({ org, key: typed, chats, tokens, cost, turns, models, snippets, bytes, none }) =>
    onLog(
      Effect.gen(function* () {
        const given = [chats, tokens, cost, turns, snippets, bytes].some(Option.isSome) || models.length > 0
        // a call that forgot its flags would take all bounds away
        if (given === none)
          return yield* new Failed({
            message: given
              ? "--none goes with no bound: leave it out, or the others."
              : "Say what is bounded (see `cairn bounds set --help`), or that nothing is: --none. What is left out is not bounded any more."
          })
        const { id, name } = yield* organizationOf(org)
        const key = Option.isNone(typed) ? null : typed.value.toLowerCase()
        if (key !== null) {
          yield* upToDate(Keys)
          if ((yield* ownerOfKey(key))?.id !== id)
            return yield* new Failed({
              message: `${plain(name)} has no live key ${plain(key)}: see \`cairn key list\`.`
            })
          if (models.length > 0)
            return yield* new Failed({ message: "--model is of the whole organization: leave --key out." })
        }
        const bounds: BoundsOf = {
          chatsPerDay: Option.getOrNull(chats),
          tokensPerMonth: Option.getOrNull(tokens),
          costPerMonth: Option.getOrNull(cost),
          maxTurns: Option.getOrNull(turns),
          models: models.length === 0 ? null : models,
          snippets: Option.getOrNull(snippets),
          repositoryBytes: Option.getOrNull(bytes)
        }
        const events = yield* dispatch(Bounds, {
          tenant: id,
          stream: `bounds-${id}`,
          command: BoundsCommand.SetBounds({ tenant: id, key, bounds }),
          ...metadata()
        })
        const last = events.at(-1)
        if (last !== undefined) yield* reach([Consumption], last.position)
        const now = last?.event ?? bounds
        yield* answer({ organization_id: id, ...shownBounds(key, now) }, () => table(columns, [lineOf(key, now)]))
      })
    )
).pipe(Command.withDescription("Set what an organization or a key may use; what you leave out is no longer bounded"))

const list = Command.make("list", { org: orgFlag }, ({ org }) =>
  onLog(
    Effect.gen(function* () {
      const { id } = yield* organizationOf(org)
      yield* upToDate(Consumption)
      const all = yield* boundsOf(id, null)
      yield* answer({ organization_id: id, bounds: all.map(({ key, bounds }) => shownBounds(key, bounds)) }, () =>
        table(
          columns,
          all.map(({ key, bounds }) => lineOf(key, bounds))
        )
      )
    })
  )
).pipe(Command.withDescription("What an organization and its keys may use"))

export const command = Command.make("bounds").pipe(
  Command.withDescription("What an organization and its keys may use"),
  Command.withSubcommands([set, list])
)
