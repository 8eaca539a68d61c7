import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { currentVersion, type EventType, eventSchemas } from "#domain/events.ts"
import { typesOf } from "#engine/Projection.ts"
import { Api } from "#src/api/Api.ts"
import { reactions as allReactions } from "#src/layers.ts"
import { projections } from "#src/readModels.ts"

const at = (path: string) => new URL(`../${path}`, import.meta.url)
const read = (path: string) => readFileSync(at(path), "utf8")

const list = (names: Iterable<string>) => [...names].map((name) => `\`${name}\``).join(", ") || "–"

const commandsIn = (text: string): ReadonlyArray<string> => {
  const given = [...text.matchAll(/\b[A-Z]\w*Command\.([A-Z]\w+)\(/g)].map(([, command]) => command!)
  const calls = helpers.flatMap(([name, file]) => (calling(name).test(text) ? commandsIn(read(file)) : []))
  return [...new Set([...given, ...calls, ...workspaceCommandsIn(text)])]
}

const calling = (name: string) => new RegExp(`\\b${name}\\(`)

/** What gives commands for whoever calls it. */
const helpers = [
  ["upload", "src/snippets/store.ts"],
  ["openWorkspace", "src/workspaces/open.ts"],
  ["putFile", "src/workspaces/change.ts"],
  ["deleteFile", "src/workspaces/change.ts"],
  ["unpackArchive", "src/workspaces/change.ts"],
  ["cancelRun", "src/http/Runs/cancel.ts"],
  ["changeSlug", "src/keys/changeSlug.ts"],
  ["deleting", "src/http/Snippets/deleting.ts"]
] as const

/** What a file's own functions, before its handlers, do for a piece of its code. */
const withLocals = (text: string, before: string): string => {
  const locals = before.split(/^(?=(?:export )?const \w+ = )/m).flatMap((body) => {
    const name = /^(?:export )?const (\w+) = /.exec(body)?.[1]
    return name === undefined ? [] : [{ name, body }]
  })
  const used = locals.filter(({ name }) => calling(name).test(text))
  if (used.length === 0) return text
  const names = new Set(used.map(({ name }) => name))
  const rest = locals.filter(({ name }) => !names.has(name)).map(({ body }) => body)
  return [text, ...used.map(({ body }) => withLocals(body.slice(body.indexOf("=")), rest.join("")))].join("\n")
}

/** What restores or erases a workspace does it through these, whoever asks. */
const workspaceCommandsIn = (text: string): ReadonlyArray<string> =>
  ["restore", "erase"].flatMap((name) => {
    if (!new RegExp(`\\b${name}\\((workspace|tenant),`).test(text)) return []
    const [, body = ""] = read("src/workspaces/restore.ts").split(`export const ${name} =`)
    return commandsIn(body.split("\nexport const ")[0]!)
  })

/** Handler name → the commands that its code gives. */
const commandsOfHandlers = (): ReadonlyMap<string, ReadonlyArray<string>> => {
  const handlers = new Map<string, ReadonlyArray<string>>()
  for (const file of readdirSync(at("src/http")).filter((name) => name.endsWith(".ts"))) {
    const [before = "", ...blocks] = read(`src/http/${file}`).split(/\.handle\(\s*"/)
    for (const block of blocks) {
      handlers.set(block.slice(0, block.indexOf('"')), commandsIn(withLocals(block, before)))
    }
  }
  return handlers
}

interface Stream {
  readonly name: string
  /** Of its decider; without one its events are appended as they come. */
  readonly file: string | undefined
  readonly commands: ReadonlyArray<string>
  readonly events: ReadonlyArray<string>
}

/** A domain's files: one, or those of a folder. */
const filesOf = ({ name, isFile }: { readonly name: string; readonly isFile: boolean }): ReadonlyArray<string> =>
  isFile ? [`domain/${name}`] : readdirSync(at(`domain/${name}`)).map((file) => `domain/${name}/${file}`)

/** What each domain file or folder declares: its commands and the events of its stream. */
const streams = (): ReadonlyArray<Stream> =>
  readdirSync(at("domain"), { withFileTypes: true })
    .map((entry) => filesOf({ name: entry.name, isFile: entry.isFile() }).filter((file) => file.endsWith(".ts")))
    .flatMap((files) => {
      const text = files.map(read).join("\n")
      const union = /export const (\w+)Event = Schema\.TaggedUnion\(\{(?: (.*) \}\)$|([\s\S]*?)\n\}\))/m.exec(text)
      if (union === null) return []
      const [, name, line, lines] = union
      const commands = /Data\.TaggedEnum<\{([\s\S]*?)\n\}>/.exec(text)?.[1] ?? ""
      const file = files.find((file) => read(file).includes(`export const ${name}: Decider<`))
      const events = line === undefined ? named(lines!) : line.split(", ").map((member) => member.split(":")[0]!)
      return [{ name: name!, file, commands: named(commands), events }]
    })

/** The names at the beginning of members. */
const named = (body: string): ReadonlyArray<string> =>
  [...body.matchAll(/^ {2}([A-Z]\w+)\b/gm)].map(([, name]) => name!)

const fieldsOf = (type: EventType) => {
  const { _tag, subject, text, ...facts } = eventSchemas[type].fields as unknown as Record<string, unknown>
  const inner = (text as { members?: ReadonlyArray<{ fields?: object }> } | undefined)?.members?.[0]?.fields ?? {}
  return { facts: Object.keys(facts), text: Object.keys(inner) }
}

/** Events that concern an organization, and that no key of it is shown: what tells it instead. */
export const notShown: { readonly [T in EventType]?: string } = {
  SlugTaken:
    "slugs of all organizations are decided on in one stream; `OrganizationSlugChanged` tells it, the first one goes " +
    "by the name of the registration",
  SlugFreed: "the same; `OrganizationSlugChanged` says that the former one is gone",
  OrganizationErased: "no key of it is one any more; `GET /api/erasures/{id}` and `cairn org erasure` tell it",
  OrganizationErasureEnded: "the same"
}

/** The whole page. */
export const render = (): string => {
  const handlers = commandsOfHandlers()
  const known = streams()
  const deciderOf = (command: string): string => {
    const file = known.find(({ commands }) => commands.includes(command))?.file
    if (file === undefined) throw new Error(`no decider has the command ${command}`)
    return file
  }
  const routes = Object.values(Api.groups).flatMap((group) =>
    Object.values(group.endpoints as Record<string, { identifier: string; method: string; path: string }>).flatMap(
      ({ identifier, method, path }) => {
        const commands = handlers.get(identifier) ?? []
        return commands.map((command) => `| \`${method} ${path}\` | \`${command}\` | \`${deciderOf(command)}\` |`)
      }
    )
  )
  const eventRows = known.flatMap(({ name, events }) =>
    (events as ReadonlyArray<EventType>).map((type) => {
      const { facts, text } = fieldsOf(type)
      const models = projections.filter((projection) => typesOf(projection).includes(type)).map((model) => model.name)
      const reactions = allReactions
        .filter(({ on }) => (on as ReadonlyArray<string>).includes(type))
        // one has the version of its rules at its end
        .map((one) => one.name.replace(/_[0-9a-f]{16}$/, ""))
      return `| \`${type}\` ${currentVersion(type)} | ${name} | ${list(facts)} | ${list(text)} | ${list(models)} | ${list(reactions)} |`
    })
  )
  return [
    "# Events",
    "",
    "Generated from the code by `docs/events.ts`; `npm run ok` checks that it is current.",
    "",
    "## Route → command → decider",
    "",
    "| route | command | decided in |",
    "|---|---|---|",
    ...routes,
    "",
    "## Decider → commands → events",
    "",
    "| stream | commands | events |",
    "|---|---|---|",
    ...known.map(({ name, commands, events }) => `| ${name} | ${list(commands)} | ${list(events)} |`),
    "",
    "## Event → read models",
    "",
    "`text` is what lies beside the log and can be erased.",
    "",
    "| event, version | stream | facts | text | read models | reactions |",
    "|---|---|---|---|---|---|",
    ...eventRows,
    "",
    "## Who is shown what",
    "",
    "An organization is shown all events of its own by `GET /api/events`, `/newest` and the stream, but for these:",
    "",
    "| event | why not |",
    "|---|---|",
    ...Object.entries(notShown).map(([type, why]) => `| \`${type}\` | ${why} |`),
    "",
    "What its people do to another organization's public snippets (`VoteCast`, `CommentAdded`, `ExecutionRecorded`, …)",
    "is an event of that organization, which is shown it as `external`.",
    ""
  ].join("\n")
}

if (import.meta.main) writeFileSync(at("docs/events.md"), render())
