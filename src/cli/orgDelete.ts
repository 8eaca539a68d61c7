import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { idIn } from "#domain/Id.ts"
import { OrganizationCommand } from "#domain/Organization/commands.ts"
import { Consumption } from "#projections/Consumption/tables.ts"
import { Erasures, erasureOf } from "#projections/Erasures.ts"
import { operatorsOrganization } from "#projections/Keys/holders.ts"
import { Workspaces } from "#projections/Workspaces/tables.ts"
import { shownErasure } from "#src/keys/shownErasure.ts"
import { Failed } from "./failure.ts"
import { onLog, upToDate } from "./log.ts"
import { commanded, organizationOf } from "./organization.ts"
import { erasureLines } from "./orgErasure.ts"
import { answer, plain } from "./output.ts"

export const confirmFlag = Flag.String("confirm").pipe(
  Flag.withMetavar("SLUG"),
  Flag.withDescription("Its slug once more: nothing is erased if it differs")
)

/** How far the erasure of an organization is; fails when it was not erased. */
const told = Effect.fnUntraced(function* (id: string) {
  yield* upToDate(Erasures, Consumption, Workspaces)
  const erasure = yield* erasureOf(id)
  if (erasure === undefined)
    return yield* new Failed({ message: `No organization with the id ${plain(id)} was erased.` })
  return yield* shownErasure(erasure)
})

export const remove = Command.make(
  "delete",
  {
    which: Argument.String("organization").pipe(Argument.withDescription("Its id, its slug, or its name")),
    confirm: confirmFlag
  },
  ({ which, confirm }) =>
    onLog(
      Effect.gen(function* () {
        const { id, name, slug } = yield* organizationOf(Option.some(which))
        if (confirm !== slug)
          return yield* new Failed({
            message: `Nothing is erased: the slug of ${plain(name)} is ${plain(slug)}, and --confirm says ${plain(confirm)}.`
          })
        const operates = (yield* operatorsOrganization) === id
        yield* commanded(id, OrganizationCommand.EraseOrganization({ by: null, organization: id, operates })).pipe(
          Effect.catchTag(
            "OperatorStays",
            () => new Failed({ message: `${plain(name)} is the operator's organization: it stays.` })
          )
        )
        const erasure = yield* told(id)
        yield* answer(erasure, () => [
          ...erasureLines(erasure),
          `A running service deletes what it had stored; else the next one does. \`cairn org erasure ${id}\` says how far it is.`
        ])
      })
    )
).pipe(Command.withDescription("Erase an organization for good: keys, people, snippets, workspaces and all other text"))

export const erasure = Command.make(
  "erasure",
  { id: Argument.String("id").pipe(Argument.withDescription("Its id")) },
  ({ id }) => onLog(Effect.flatMap(told(idIn(id) ?? id), (erasure) => answer(erasure, () => erasureLines(erasure))))
).pipe(Command.withDescription("Show how far the erasure of an organization has come"))
