import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { adopt, alone } from "#src/repositories.ts"
import { Failed } from "./failure.ts"
import { config, onLog } from "./log.ts"
import { answer, plain } from "./output.ts"

const adoption = Command.make("adopt", {}, () =>
  Effect.flatMap(config, (config) =>
    onLog(
      Effect.gen(function* () {
        const folder = resolve(config.dataDir)
        // one of a mistyped name would be made, and the right one refused from then on
        if (!existsSync(folder)) {
          return yield* new Failed({
            message: `There is no folder ${plain(folder)}: name the data folder by CAIRN_DATA_DIR.`
          })
        }
        yield* adopt(config)
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
