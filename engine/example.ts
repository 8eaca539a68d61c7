import { randomUUID } from "node:crypto"
import { Console, Data, Effect, Layer, Result, Schema } from "effect"
import { Codec, makeCodec } from "./codec.ts"
import type { Decider } from "./Decider.ts"
import { Dispatcher, dispatch } from "./dispatch.ts"
import * as MemoryEventStore from "./memory/EventStore.ts"

// What can happen. The log keeps these for good: a new meaning is a new event.
const AccountEvent = Schema.TaggedUnion({ Deposited: { cents: Schema.Int }, Withdrawn: { cents: Schema.Int } })
type AccountEvent = typeof AccountEvent.Type
const { Deposited, Withdrawn } = AccountEvent.cases

// What can be asked for, and why it can be refused.
type AccountCommand = Data.TaggedEnum<{
  Deposit: { readonly cents: number }
  Withdraw: { readonly cents: number }
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
      Withdraw: ({ cents }) =>
        cents > balance ? Result.fail(new Overdrawn({ balance })) : Result.succeed([Withdrawn.make({ cents })])
    }),
  evolve: (balance, event) => (event._tag === "Deposited" ? balance + event.cents : balance - event.cents)
}

const codec = makeCodec<AccountEvent>({ schemas: AccountEvent.cases, upcasts: {} })
const engine = Dispatcher.layer.pipe(
  Layer.provideMerge(Layer.merge(MemoryEventStore.layer, Layer.succeed(Codec, codec as never)))
)

const give = (command: AccountCommand, commandId = randomUUID()) =>
  dispatch(Account, {
    tenant: "bank",
    stream: "account-ada",
    command,
    commandId,
    correlationId: commandId,
    actor: { key: null, user: "ada", organization: null }
  })

/** What remains in ada's account, and how many of ten withdrawals were paid and refused. */
export const example = Effect.gen(function* () {
  const first = randomUUID()
  yield* give(AccountCommand.Deposit({ cents: 1_000 }), first)
  // the same command again changes nothing
  yield* give(AccountCommand.Deposit({ cents: 1_000 }), first)
  // ten at once, more than the account holds: each is decided on what the earlier ones led to
  const withdrawn = yield* Effect.forEach(
    Array.from({ length: 10 }, () => AccountCommand.Withdraw({ cents: 300 })),
    (command) => Effect.result(give(command)),
    { concurrency: "unbounded" }
  )
  const balance = yield* Effect.flatMap(Dispatcher, ({ state }) => state(Account, "account-ada"))
  return {
    balance,
    paid: withdrawn.filter(Result.isSuccess).length,
    refused: withdrawn.filter(Result.isFailure).length
  }
}).pipe(Effect.provide(engine))

if (import.meta.main) await Effect.runPromise(Effect.flatMap(example, Console.log))
