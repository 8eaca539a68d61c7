import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { Failed } from "../failure.ts"
import { slug, text } from "../fields.ts"
import { orgLines, type WholeOrg } from "../orgTable.ts"
import { answer } from "../output.ts"
import { service } from "./asking.ts"

const show = Command.make("show", {}, () =>
  Effect.gen(function* () {
    const ask = yield* service()
    const { wire } = yield* ask((cairn, options) => cairn.organization.get(options))
    yield* answer(wire, () => orgLines(wire as WholeOrg))
  })
).pipe(Command.withDescription("Tell of your key's organization: its name, slug, tier and members"))

const rename = Command.make(
  "rename",
  {
    name: Flag.String("name").pipe(
      Flag.withDescription("What it is called from now on"),
      Flag.withSchema(text(200)),
      Flag.optional
    ),
    slug: Flag.String("slug").pipe(
      Flag.withDescription("Its slug from now on; the former one is free then"),
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
).pipe(Command.withDescription("Give your key's organization another name, another slug, or both"))

export const command = Command.make("org").pipe(
  Command.withDescription("Your key's organization, at the service that CAIRN_URL names"),
  Command.withSubcommands([show, rename])
)
