import { readFileSync } from "node:fs"
import { Redacted } from "effect"
import { modelWeightsIn } from "#domain/search/modelWeights.ts"
import { parseJson } from "#engine/parseJson.ts"
import type { EmbeddingSettings } from "#ports/EmbeddingSettings.ts"
import { refuse } from "./BadConfig.ts"

/** No model in use has more, and an exact index has no room for more. */
const mostDimensions = 4_096
const longestPrefix = 500

const names = ["MODEL", "API_KEY", "DIMENSIONS", "DOCUMENT_PREFIX", "QUERY_PREFIX", "WEIGHTS"] as const
const nameOf = (name: (typeof names)[number]) => `CAIRN_EMBEDDINGS_${name}`

/** A text without the slashes at its end. A regular expression would take long for many of them. */
const withoutSlashes = (text: string): string => {
  let end = text.length
  while (text[end - 1] === "/") end -= 1
  return text.slice(0, end)
}

const parseUrl = (text: string): string => {
  const { protocol, username, password, hash, search } = URL.canParse(text) ? new URL(text) : new URL("none:")
  return /^https?:$/.test(protocol) && !username && !password && !hash && !search
    ? withoutSlashes(text).replace(/\/embeddings$/, "")
    : refuse(
        "CAIRN_EMBEDDINGS_URL",
        "a URL like https://api.openai.com/v1; the key has a variable of its own, CAIRN_EMBEDDINGS_API_KEY"
      )
}

const parseDimensions = (text: string | undefined): number =>
  /^[1-9]\d{0,3}$/.test(text ?? "") && Number(text) <= mostDimensions
    ? Number(text)
    : refuse(nameOf("DIMENSIONS"), `how many numbers a vector of that model has, from 1 to ${mostDimensions}`)

const parsePrefix = (name: "DOCUMENT_PREFIX" | "QUERY_PREFIX", text: string | undefined): string =>
  // a variable's value is trimmed, and models want the space at a prefix's end
  text === undefined
    ? ""
    : text.length <= longestPrefix
      ? text.replace(/(?<=\S)$/, " ")
      : refuse(nameOf(name), `a text of at most ${longestPrefix} characters`)

const readWeights = (path: string) => {
  const expected = `a file that \`npm run eval -- --fit\` wrote for the model`
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch (error) {
    return refuse(nameOf("WEIGHTS"), `${expected}; ${path} can't be read (${(error as NodeJS.ErrnoException).code})`)
  }
  try {
    return modelWeightsIn(parseJson(text)) ?? refuse(nameOf("WEIGHTS"), `${expected}, and ${path} is none`)
  } catch (error) {
    if (error instanceof SyntaxError) return refuse(nameOf("WEIGHTS"), `${expected}, and ${path} is no JSON`)
    throw error
  }
}

/** Which embedding model the environment names. */
export const readEmbeddings = (read: (name: string) => string | undefined): EmbeddingSettings | undefined => {
  const url = read("CAIRN_EMBEDDINGS_URL")
  const given = Object.fromEntries(names.map((name) => [name, read(nameOf(name))])) as Record<
    (typeof names)[number],
    string | undefined
  >
  if (url === undefined) {
    const lonely = names.find((name) => given[name] !== undefined)
    return lonely === undefined ? undefined : refuse("CAIRN_EMBEDDINGS_URL", `a URL, since there is ${nameOf(lonely)}`)
  }
  // an index there would keep the model's vectors when a snippet is deleted, or another model is named
  if (read("ELASTICSEARCH_URL") !== undefined)
    return refuse(
      "CAIRN_EMBEDDINGS_URL",
      "none, since there is ELASTICSEARCH_URL: an index there has the table's vectors"
    )
  const parsed = parseUrl(url)
  const model = given.MODEL
  if (model === undefined || model.length > 200 || /[\p{Cc}]/u.test(model))
    return refuse(nameOf("MODEL"), "the model's name, as its server has it")
  return {
    url: parsed,
    model,
    apiKey: given.API_KEY === undefined ? undefined : Redacted.make(given.API_KEY, { label: nameOf("API_KEY") }),
    dimensions: parseDimensions(given.DIMENSIONS),
    prefixes: {
      document: parsePrefix("DOCUMENT_PREFIX", given.DOCUMENT_PREFIX),
      query: parsePrefix("QUERY_PREFIX", given.QUERY_PREFIX)
    },
    weights: given.WEIGHTS === undefined ? undefined : readWeights(given.WEIGHTS)
  }
}
