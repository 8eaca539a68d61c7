import { Effect } from "effect"
import { Command } from "effect/cli"
import { Failed } from "./failure.ts"

interface Files<Here, Asking> {
  /** Loads the verb that works on the data folder. */
  readonly here?: () => Promise<{ readonly command: Here }>
  /** Loads the verb that asks a service, of this machine or another. */
  readonly asking?: () => Promise<{ readonly command: Asking }>
}

/** `about` is what help says of the verb in the list of all. */
const verb = <Here = never, Asking = never>(about: string, { here, asking }: Files<Here, Asking>) => ({
  about,
  here,
  asking
})

/** Every verb. Its file is loaded when it is asked for: most of its imports take longer to load than to run. */
const verbs = {
  search: verb("Find snippets for a task", { asking: () => import("./service/search.ts") }),
  upload: verb("Store files that a task produced", { asking: () => import("./service/upload.ts") }),
  vote: verb("Say whether a snippet helped", { asking: () => import("./service/vote.ts") }),
  snippet: verb("Print, comment on and delete snippets", { asking: () => import("./service/snippet.ts") }),
  chat: verb("Give the agent a task in a workspace", { asking: () => import("./service/chat.ts") }),
  workspace: verb("Agents' workspaces: their commits and files", {
    here: () => import("./workspace.ts"),
    asking: () => import("./service/workspace.ts")
  }),
  key: verb("API keys", { here: () => import("./key.ts"), asking: () => import("./service/key.ts") }),
  usage: verb("What chats used, by day, model, key or workspace", {
    here: () => import("./usage.ts"),
    asking: () => import("./service/usage.ts")
  }),
  bounds: verb("What an organization and its keys may use", { here: () => import("./bounds.ts") }),
  org: verb("Organizations: their names and slugs", {
    here: () => import("./org.ts"),
    asking: () => import("./service/org.ts")
  }),
  user: verb("People: their roles, keys, names and e-mails", {
    here: () => import("./user.ts"),
    asking: () => import("./service/user.ts")
  }),
  import: verb("Store the snippets of a file", { here: () => import("./import.ts") }),
  export: verb("Write an organization's snippets as JSON lines", { here: () => import("./export.ts") }),
  events: verb("Print the log, oldest first", { here: () => import("./events.ts") }),
  replay: verb("Build read models anew from the log", { here: () => import("./replay.ts") }),
  verify: verb("Look whether the log, texts and git are as written", { here: () => import("./verify.ts") }),
  backup: verb("Back all of it up", {
    here: () => import("./backup.ts"),
    asking: () => import("./service/backup.ts")
  }),
  restore: verb("Restore a backup into an empty place", { here: () => import("./restore.ts") }),
  copy: verb("Copy all of it to another database", { here: () => import("./copy.ts") }),
  psql: verb("Print how to reach the data folder's own Postgres", { here: () => import("./psql.ts") }),
  installation: verb("Which data folder belongs to which database", { here: () => import("./installation.ts") })
}

const names = Object.keys(verbs) as ReadonlyArray<keyof typeof verbs>

/** Whether a verb works on a data folder and asks a service, too: there it may take less. */
export const worksOnBoth = (name: string): boolean => {
  const { here, asking } = Object.hasOwn(verbs, name) ? verbs[name as keyof typeof verbs] : {}
  return here !== undefined && asking !== undefined
}

const onFolderOnly = (name: string) =>
  new Failed({
    message: `\`cairn ${name}\` works on a data folder of this machine, and CAIRN_URL names a service: unset it, or run this beside the service.`
  })

const hasSubcommand = ({ subcommands }: Command.Command.Any, name: string): boolean =>
  subcommands.some(({ commands }) => commands.some((one) => one.name === name))

/** Flags that need every verb loaded. */
const ofAll = ["--completions", "--wizard"]

/**
 * Loads the verb that is asked for, and names all others; `asking`: a service is named, so no data folder is looked at.
 */
export const loaded = (args: ReadonlyArray<string>, asking: boolean) => {
  const given = args.find((arg) => Object.hasOwn(verbs, arg))
  const every = args.some((arg) => ofAll.some((flag) => arg.startsWith(flag)))
  const explained = args.some((arg) => arg === "--help" || arg === "-h")
  const behind =
    given === undefined ? undefined : args.slice(args.indexOf(given) + 1).find((arg) => !arg.startsWith("-"))
  return Effect.forEach(
    names,
    Effect.fnUntraced(function* (name) {
      const { about, here, asking: asks } = verbs[name]
      if (!every && name !== given) return Command.make(name).pipe(Command.withDescription(about))
      if (asking && asks === undefined && !every && !explained) return yield* onFolderOnly(name)
      const load = asking ? (asks ?? here) : (here ?? asks)
      const command = yield* Effect.promise(async () => (await load!()).command)
      if (!asking || asks === undefined || here === undefined || every) return command
      // a verb of both whose subcommand only a data folder has
      if (behind === undefined || command.subcommands.length === 0 || hasSubcommand(command, behind)) return command
      const whole = yield* Effect.promise(async () => (await here()).command)
      if (!hasSubcommand(whole, behind)) return command
      return explained ? whole : yield* onFolderOnly(`${name} ${behind}`)
    })
  )
}
