// A bank, from a command to what follows from it: `npx deno run engine/example.ts`.

import { Console, Data, Effect, Layer, Result, Schema } from "effect"
import { Asker, fresh } from "./ask.ts"
import { Codec, makeCodec } from "./codec.ts"
import type { Decider } from "./Decider.ts"
import { derivedId } from "./derivedId.ts"
import { Dispatcher, dispatch } from "./dispatch.ts"
import { LeftOut } from "./leftOut.ts"
import * as MemoryEventStore from "./memory/EventStore.ts"
import * as MemoryReadModels from "./memory/ReadModels.ts"
import { Given, type Projection, tableOf } from "./Projection.ts"
import { Projector } from "./project.ts"
import { react, reactionTo } from "./react.ts"
import { Tail } from "./tail.ts"

// What can happen. The log keeps these for good: a new meaning is a new event.
const AccountEvent = Schema.TaggedUnion({
  Deposited: { cents: Schema.Int },
  Withdrawn: { cents: Schema.Int, to: Schema.NullOr(Schema.String) }
})
type AccountEvent = typeof AccountEvent.Type
const { Deposited, Withdrawn } = AccountEvent.cases

// What can be asked for, and why it can be refused.
type AccountCommand = Data.TaggedEnum<{
  Deposit: { readonly cents: number }
  /** `to`: the account that gets it; `null`: it is paid out. */
  Withdraw: { readonly cents: number; readonly to: string | null }
}>
const AccountCommand = Data.taggedEnum<AccountCommand>()
class Overdrawn extends Data.TaggedError("Overdrawn")<{ readonly balance: number }> {}

/** An account in cents that is never overdrawn, even by two withdrawals at the same time. */
export const Account: Decider<AccountCommand, AccountEvent, number, Overdrawn> = {
  initial: 0,
  decide: (command, balance) =>
    AccountCommand.$match(command, {
      Deposit: ({ cents }): Result.Result<Array<AccountEvent>, Overdrawn> =>
        Result.succeed([Deposited.make({ cents })]),
      Withdraw: ({ cents, to }) =>
        cents > balance ? Result.fail(new Overdrawn({ balance })) : Result.succeed([Withdrawn.make({ cents, to })])
    }),
  evolve: (balance, event) => (event._tag === "Deposited" ? balance + event.cents : balance - event.cents)
}

/** Gives an account a command. The same command id again changes nothing. */
const give = (account: string, command: AccountCommand, commandId: string) =>
  dispatch(Account, {
    tenant: "bank",
    stream: `account-${account}`,
    command,
    commandId,
    correlationId: commandId,
    actor: { key: null, user: null, organization: null }
  })

interface Statement {
  readonly id: string
  readonly cents: number
  readonly entries: number
}

const booked = (id: string, row: Statement | undefined, cents: number): Statement => ({
  id,
  cents: (row?.cents ?? 0) + cents,
  entries: (row?.entries ?? 0) + 1
})

// What is known: a row for each account, made of nothing but events, so that it can be made anew at any time.
const Statements = {
  name: "statements",
  version: 1,
  tables: {
    accounts: tableOf<AccountEvent, unknown>()<Statement>({
      columns: { id: "text", cents: "bigint", entries: "integer" },
      on: {
        Deposited: { rows: (_, { stream }) => [stream], to: (row, { cents }, _, id) => booked(id, row, cents) },
        Withdrawn: { rows: (_, { stream }) => [stream], to: (row, { cents }, _, id) => booked(id, row, -cents) }
      }
    })
  }
} satisfies Projection

// What follows: whom a withdrawal names gets the money. The event may come twice; its command's id is the same then.
const transfer = reactionTo<AccountEvent>()({
  name: "transfer",
  on: ["Withdrawn"],
  handle: ({ event: { cents, to }, eventId }) =>
    to === null ? Effect.void : give(to, AccountCommand.Deposit({ cents }), derivedId("transfer", eventId))
})

// The engine, on a log and read models in memory. Other adapters of the same ports keep them.
const projections = [Statements]
const codec = makeCodec<AccountEvent>({ schemas: AccountEvent.cases, upcasts: {} })
const engine = Layer.mergeAll(Dispatcher.layer, Asker.layer(projections), Tail.layer, LeftOut.layer).pipe(
  Layer.provideMerge(Projector.layer(projections)),
  Layer.provideMerge(Layer.merge(MemoryEventStore.layer, MemoryReadModels.layer)),
  Layer.provideMerge(Layer.merge(Layer.succeed(Codec, codec as never), Layer.succeed(Given, undefined)))
)

/** An account's statement, with everything in it that was written before. */
const statementOf = Effect.fnUntraced(function* (account: string) {
  yield* fresh(Statements)
  return (yield* MemoryReadModels.Tables).rows(Statements, "accounts").get(`account-${account}`)
})

/** What ada and bob have in the end, and how many of ada's ten transfers to him were paid and refused. */
export const example = Effect.gen(function* () {
  yield* react([transfer], () => false)
  yield* give("ada", AccountCommand.Deposit({ cents: 1_000 }), "first")
  // the same command again changes nothing
  yield* give("ada", AccountCommand.Deposit({ cents: 1_000 }), "first")
  // ten at once, more than the account holds: each is decided on what the earlier ones led to
  const transfers = yield* Effect.forEach(
    Array.from({ length: 10 }, (_, n) => `transfer ${n}`),
    (id) => Effect.result(give("ada", AccountCommand.Withdraw({ cents: 300, to: "bob" }), id)),
    { concurrency: "unbounded" }
  )
  const paid = transfers.filter(Result.isSuccess).length
  // a reaction comes when it can; what is read sees all that was written
  const bobs = yield* Effect.repeat(statementOf("bob"), { until: (found) => found?.entries === paid })
  return { ada: yield* statementOf("ada"), bob: bobs, paid, refused: transfers.length - paid }
}).pipe(Effect.scoped, Effect.provide(engine))

if (import.meta.main) await Effect.runPromise(Effect.flatMap(example, Console.log))
