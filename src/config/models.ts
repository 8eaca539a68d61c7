import { Redacted, Schema } from "effect"
import { parseJson } from "#engine/parseJson.ts"
import type { ModelSettings, NamedModel, Provider } from "#ports/ModelSettings.ts"
import { refuse } from "./BadConfig.ts"

type Read = (name: string) => string | undefined

/** What the aliases of the Messages API mean by default. */
const aliases = { sonnet: "claude-sonnet-5-5", opus: "claude-opus-5-5", haiku: "claude-haiku-5-5" }

/** A model's full id, as a provider may have it. */
const id = /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$/
/** What callers may call a model: what the API takes for one. */
const name = /^[a-z0-9][a-z0-9._:/@-]{1,127}$/
const variable = /^[A-Z][A-Z0-9_]{1,63}$/
/** Fewer than a thousand tokens hold no system prompt with its tools. */
const Context = Schema.Int.check(Schema.isBetween({ minimum: 1_000, maximum: 100_000_000 }))
const Dollars = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

const Given = Schema.Record(
  Schema.String.check(Schema.isPattern(name)),
  Schema.Struct({
    provider: Schema.Literals(["anthropic", "openai"]),
    model: Schema.String.check(Schema.isPattern(id)),
    base_url: Schema.optionalKey(Schema.String),
    key: Schema.optionalKey(Schema.String.check(Schema.isPattern(variable))),
    context: Schema.optionalKey(Context),
    prices: Schema.optionalKey(
      Schema.Struct({
        input: Dollars,
        output: Dollars,
        cache_read: Schema.optionalKey(Dollars),
        cache_write: Schema.optionalKey(Dollars)
      })
    )
  })
)
type Given = (typeof Given.Type)[string]

const expected =
  'a JSON object like {"sonnet": {"provider": "openai", "model": "gpt-5", "prices": {"input": 1.25, "output": 10}}}; docs/models.md has its fields'

const decode = Schema.decodeUnknownSync(Given, { onExcessProperty: "error" })

const parse = (text: string): typeof Given.Type => {
  try {
    return decode(parseJson(text))
  } catch {
    return refuse("CAIRN_MODELS", expected)
  }
}

const isHttp = (url: string) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)

/** The variables that `CAIRN_MODELS` names for models' keys: secrets like any other. */
export const keysOf = (text: string | undefined): ReadonlyArray<string> => {
  if (!text?.trim()) return []
  return Object.values(parse(text)).flatMap(({ key }) => (key === undefined ? [] : [key]))
}

/**
 * Reads which models there are; throws `BadConfig`. A key goes only to the server that it was given for: a model with a
 * `base_url` of its own gets the key that `key` names, or none.
 */
export const readModels = (read: Read): ModelSettings => {
  const secret = (name: string) => Redacted.make(read(name) ?? "", { label: name })
  const standard = (api: Provider["api"], prefix: "ANTHROPIC" | "OPENAI"): Provider | undefined => {
    const baseURL = read(`${prefix}_BASE_URL`)
    if (baseURL !== undefined && !isHttp(baseURL)) {
      return refuse(`${prefix}_BASE_URL`, "a URL that begins with http:// or https://")
    }
    const variable = `${prefix}_API_KEY`
    if (read(variable) === undefined) return undefined
    return { api, apiKey: secret(variable), variable, ...(baseURL === undefined ? undefined : { baseURL }) }
  }
  const anthropic = standard("anthropic", "ANTHROPIC")
  const openai = standard("openai", "OPENAI")
  const ofAnthropic = Object.entries(aliases).map(([alias, standing]): [string, NamedModel] => {
    const variable = `CAIRN_MODEL_${alias.toUpperCase()}`
    const model = read(variable) ?? standing
    if (!name.test(model)) refuse(variable, "a model's full id, such as claude-sonnet-5-5")
    return [alias, { provider: anthropic!, model, prices: undefined, context: undefined }]
  })
  const known: ReadonlyArray<[string, NamedModel]> = anthropic === undefined ? [] : ofAnthropic
  const text = read("CAIRN_MODELS")
  if (text === undefined) return { models: new Map(known), others: anthropic ?? openai }

  const providers = new Map<string, Provider>()
  const providerOf = (alias: string, { provider: api, base_url: baseURL, key }: Given): Provider => {
    const own = api === "anthropic" ? anthropic : openai
    if (baseURL === undefined && key === undefined) {
      return own ?? refuse("CAIRN_MODELS", `${api === "anthropic" ? "ANTHROPIC" : "OPENAI"}_API_KEY, for ${alias}`)
    }
    if (baseURL !== undefined && !isHttp(baseURL)) {
      return refuse("CAIRN_MODELS", `a base_url that begins with http:// or https://, for ${alias}`)
    }
    if (key !== undefined && read(key) === undefined)
      return refuse("CAIRN_MODELS", `${key} to have a key, for ${alias}`)
    const together = JSON.stringify([api, baseURL, key])
    const provider = providers.get(together) ?? {
      api,
      apiKey: key === undefined ? Redacted.make("none") : secret(key),
      variable: key ?? `key of ${alias} in CAIRN_MODELS`,
      ...(baseURL === undefined ? undefined : { baseURL })
    }
    providers.set(together, provider)
    return provider
  }
  const given = Object.entries(parse(text)).map(([alias, one]): [string, NamedModel] => {
    if (alias === "local") refuse("CAIRN_MODELS", "another name than local, which is the one without a language model")
    const { prices, context } = one
    return [
      alias,
      {
        provider: providerOf(alias, one),
        model: one.model,
        context,
        prices: prices && {
          input: prices.input,
          output: prices.output,
          cacheRead: prices.cache_read ?? prices.input,
          cacheWrite: prices.cache_write ?? prices.input
        }
      }
    ]
  })
  return { models: new Map([...known, ...given]), others: undefined }
}
