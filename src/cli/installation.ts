import { resolve } from "node:path"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { adopt, alone } from "#src/repositories.ts"
import { config, onLog } from "./log.ts"
import { answer, plain } from "./output.ts"

const adoption = Command.make("adopt", {}, () =>
  Effect.flatMap(config, (config) =>
    onLog(
      Effect.gen(function* () {
        yield* adopt(config)
        const folder = resolve(config.dataDir)
        yield* answer({ success: true, data_dir: folder }, () => [
          `${plain(folder)} is this database's data folder now; any other one is refused.`,
          "See with `cairn verify` whether it has all repositories that the log knows of."
        ])
        // not beside a running service, which has a data folder
      }).pipe(Effect.provide(alone))
    )
  )
).pipe(
  Command.withDescription(
    "Make the data folder the one of this database: after it was moved without its .installation file, or restored from a backup"
  )
)

export const command = Command.make("installation").pipe(
  Command.withDescription("Which data folder belongs to which database"),
  Command.withSubcommands([adoption])
)
