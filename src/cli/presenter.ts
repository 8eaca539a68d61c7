import { Effect, Option } from "effect"
import { CliOutput, type HelpDoc } from "effect/cli"
import { oneLine } from "#domain/text/oneLine.ts"
import { note } from "./output.ts"
import { namesService, Surroundings } from "./surroundings.ts"
import { worksOnBoth } from "./verbs.ts"

const marked = <D extends { readonly required: boolean; readonly description: Option.Option<string> }>(doc: D): D =>
  doc.required
    ? { ...doc, description: Option.some(`${Option.getOrElse(doc.description, () => "")} (required)`.trimStart()) }
    : doc

/** Help that says which flags and arguments are required. */
const withRequired = (doc: HelpDoc.HelpDoc): HelpDoc.HelpDoc => ({
  ...doc,
  flags: doc.flags.map(marked),
  ...(doc.args !== undefined && { args: doc.args.map(marked) })
})

/** The names of the given flags and the number of arguments, after the path of the command. */
const given = (args: ReadonlyArray<string>, { flags, globalFlags = [] }: HelpDoc.HelpDoc, path: number) => {
  const names = new Set<string>()
  let plain = 0
  for (let index = 0; index < args.length; index++) {
    const arg = args[index]!
    if (arg === "--") {
      plain += args.length - index - 1
      break
    }
    if (!arg.startsWith("-") || arg === "-") {
      plain += 1
      continue
    }
    const [name = ""] = arg.replace(/^--?/, "").split("=")
    const doc = [...flags, ...globalFlags].find((one) => one.name === name || one.aliases.includes(arg))
    names.add(doc?.name ?? name)
    const takesNext = doc !== undefined && doc.type !== "boolean" && !doc.type.startsWith("[=") && !arg.includes("=")
    if (takesNext) index += 1
  }
  return { names, count: Math.max(0, plain - path) }
}

/** All required flags and arguments that are missing; the parser tells only the first. */
const missing = (args: ReadonlyArray<string>, doc: HelpDoc.HelpDoc, path: number): ReadonlyArray<string> => {
  const { names, count } = given(args, doc, path)
  const wanted = (doc.args ?? []).filter((arg, index) => arg.required && index >= count).map(({ name }) => name)
  const flags = doc.flags.filter(({ required, name }) => required && !names.has(name)).map(({ name }) => `--${name}`)
  const told = (kind: string, those: ReadonlyArray<string>) =>
    those.length === 0 ? [] : [`Missing required ${kind}${those.length > 1 ? "s" : ""}: ${those.join(", ")}`]
  return [...told("argument", wanted), ...told("flag", flags)]
}

/** Prints help to stdout if it was asked for. Prints what is wrong as one line on stderr, with all that is missing. */
export const presenter = (args: ReadonlyArray<string>) =>
  CliOutput.layerPresenter({
    present: Effect.fnUntraced(function* (event) {
      if (event._tag === "Version") return yield* CliOutput.defaultPresenter.present(event)
      if (event._tag === "Help") {
        return yield* CliOutput.defaultPresenter.present({ ...event, helpDoc: withRequired(event.helpDoc) })
      }
      const { errors, helpDoc, commandPath } = event
      const isMissing = errors.some(({ _tag }) => _tag === "MissingOption" || _tag === "MissingArgument")
      const all = isMissing ? missing(args, helpDoc, commandPath.length - 1) : []
      const said = all.length > 0 ? all : errors.map(({ message }) => oneLine(message))
      const isTooMuch = errors.some(({ _tag }) => _tag === "UnrecognizedOption" || _tag === "UnexpectedArgument")
      // the same verb takes more on a data folder
      const isForService = isTooMuch && worksOnBoth(commandPath[1] ?? "") && namesService(yield* Surroundings)
      const why = isForService ? "; CAIRN_URL is set, so it asks that service" : ""
      yield* note(`cairn: ${said.join("; ")} (see \`${[...commandPath, "--help"].join(" ")}\`${why})`)
    })
  })
