import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Failed } from "../failure.ts"
import { slug, text } from "../fields.ts"
import { confirmFlag } from "../orgDelete.ts"
import { type ErasureRow, erasureLines } from "../orgErasure.ts"
import { orgLines, type WholeOrg } from "../orgTable.ts"
import { answer, Json } from "../output.ts"
import { progress } from "../progress.ts"
import { service } from "./asking.ts"

const show = Command.make("show", {}, () =>
  Effect.gen(function* () {
    const ask = yield* service()
    const { wire } = yield* ask((cairn, options) => cairn.organization.get(options))
    yield* answer(wire, () => orgLines(wire as WholeOrg))
  })
).pipe(Command.withDescription("Show your key's organization: its name, slug, tier and members"))

const rename = Command.make(
  "rename",
  {
    name: Flag.String("name").pipe(Flag.withDescription("Its new name"), Flag.withSchema(text(200)), Flag.optional),
    slug: Flag.String("slug").pipe(
      Flag.withDescription("Its new slug; the old one becomes free"),
      Flag.withSchema(slug),
      Flag.optional
    )
  },
  ({ name, slug }) =>
    Effect.gen(function* () {
      if (Option.isNone(name) && Option.isNone(slug))
        return yield* new Failed({ message: "Nothing is to change: give --name, --slug, or both of them." })
      const ask = yield* service()
      const given = { name: Option.getOrUndefined(name), slug: Option.getOrUndefined(slug) }
      const { wire } = yield* ask((cairn, options) => cairn.organization.rename(given, options))
      yield* answer(wire, () => orgLines(wire as WholeOrg))
    })
).pipe(Command.withDescription("Change the name of your key's organization, its slug, or both"))

/** The pause between two looks how far an erasure is. */
const pause = "500 millis"

const remove = Command.make("delete", { confirm: confirmFlag }, ({ confirm }) =>
  Effect.gen(function* () {
    const ask = yield* service()
    const bar = progress(!(yield* Json))
    const { data } = yield* ask((cairn, options) => cairn.organization.delete(confirm, options))
    const look = ask((cairn, options) => cairn.organization.erasure(data.organizationId, options))
    let erasure = yield* look
    while (erasure.data.state === "erasing") {
      const { erased, left } = erasure.data
      const gone = erased.snippets + erased.workspaces
      bar.at(gone, gone + left.snippets + left.workspaces, "snippets and workspaces")
      yield* Effect.sleep(pause)
      erasure = yield* look
    }
    bar.clear()
    const { wire } = erasure
    yield* answer(wire, () => erasureLines(wire as ErasureRow))
  })
).pipe(
  Command.withDescription(
    "Erase your key's organization for good, and wait until it is done: keys, people, snippets, workspaces and all other text"
  )
)

const erasure = Command.make(
  "erasure",
  { id: Argument.String("id").pipe(Argument.withDescription("The organization's id")) },
  ({ id }) =>
    Effect.gen(function* () {
      const ask = yield* service()
      const { wire } = yield* ask((cairn, options) => cairn.organization.erasure(id, options))
      yield* answer(wire, () => erasureLines(wire as ErasureRow))
    })
).pipe(
  Command.withDescription("Show how far the erasure of an organization has come; any key will do, even a revoked one")
)

export const command = Command.make("org").pipe(
  Command.withDescription("Your key's organization, at the service at CAIRN_URL"),
  Command.withSubcommands([show, rename, remove, erasure])
)
