import { Redacted } from "effect"
import type { ElasticsearchSettings } from "#ports/ElasticsearchSettings.ts"
import { refuse } from "./BadConfig.ts"
import { listOf } from "./listOf.ts"

/** What an index may be called in Elasticsearch. */
const indexName = /^[a-z0-9][a-z0-9._-]{0,99}$/

/** Reads where the snippet index is; throws `BadConfig`. */
export const readElasticsearch = (read: (name: string) => string | undefined): ElasticsearchSettings | undefined => {
  const text = read("ELASTICSEARCH_URL")
  const names = ["API_KEY", "USERNAME", "PASSWORD", "CA_FILE", "INDEX"].map((name) => `ELASTICSEARCH_${name}`)
  const [apiKey, username, password, caFile, index = "cairn-snippets"] = names.map(read)
  if (text === undefined) {
    const lonely = names.find((name) => read(name) !== undefined)
    return lonely === undefined ? undefined : refuse("ELASTICSEARCH_URL", `a URL, since there is ${lonely}`)
  }
  const expected =
    "a URL like https://search.example.com:9200, or those of several nodes with commas between; user and password have variables of their own"
  const urls = listOf(text)
  const isFine = (one: string) => {
    const { protocol, username, password, href } = URL.canParse(one) ? new URL(one) : { protocol: "", href: "" }
    // an @ after a / was meant to end a password that has a / in it
    return ["http:", "https:"].includes(protocol) && !username && !password && !href.includes("@")
  }
  if (urls.length === 0 || !urls.every(isFine)) return refuse("ELASTICSEARCH_URL", expected)
  if (caFile !== undefined && urls.some((one) => new URL(one).protocol !== "https:"))
    return refuse("ELASTICSEARCH_URL", "https://, since there is ELASTICSEARCH_CA_FILE")
  if (!indexName.test(index))
    return refuse("ELASTICSEARCH_INDEX", "a lower-case letter or a digit, then up to 99 of these, and of . _ -")
  if (apiKey !== undefined && (username ?? password) !== undefined)
    return refuse("ELASTICSEARCH_API_KEY", "either it, or ELASTICSEARCH_USERNAME and ELASTICSEARCH_PASSWORD")
  if ((username === undefined) !== (password === undefined))
    return refuse("ELASTICSEARCH_USERNAME", "both it and ELASTICSEARCH_PASSWORD, or neither")
  const hidden = (value: string, name: string) => Redacted.make(value, { label: `ELASTICSEARCH_${name}` })
  const auth =
    apiKey !== undefined
      ? { apiKey: hidden(apiKey, "API_KEY") }
      : username !== undefined && password !== undefined
        ? { username, password: hidden(password, "PASSWORD") }
        : undefined
  return { urls, auth, caFile, index }
}
