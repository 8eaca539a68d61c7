import { readFileSync } from "node:fs"
import { refuse } from "./BadConfig.ts"
import { keysOf } from "./models.ts"

/** Variables that nobody else is to see: each may be in a file, which a variable with `_FILE` behind its name names. */
export const secrets = [
  "DATABASE_URL",
  "KURRENTDB_URL",
  "ELASTICSEARCH_API_KEY",
  "ELASTICSEARCH_PASSWORD",
  "CAIRN_EMBEDDINGS_API_KEY",
  "CAIRN_OWNER_KEY",
  "ANTHROPIC_API_KEY",
  "OPENAI_API_KEY",
  "OTEL_EXPORTER_OTLP_HEADERS"
] as const

type Environment = { readonly [name: string]: string | undefined }

/** All of an environment, those too that `CAIRN_MODELS` names. */
export const secretsIn = (environment: Environment): ReadonlyArray<string> => [
  ...secrets,
  ...keysOf(environment["CAIRN_MODELS"])
]

const readSecret = (name: string, path: string): string => {
  let text: string
  try {
    text = readFileSync(path, "utf8").trim()
  } catch (error) {
    return refuse(name, `a file that can be read; ${path} can't be (${(error as NodeJS.ErrnoException).code})`)
  }
  // U+0000 and line breaks are in no secret; nothing is said of what there is instead
  return text !== "" && !/[\0\r\n]/.test(text) && text.length <= 16_384
    ? text
    : refuse(name, `a file with one line; ${path} has none, or more`)
}

/**
 * The environment with what its files hold, of these variables: each is read once. Throws `BadConfig` where one can't
 * be read, or a secret is given twice.
 */
export const withFiles = (environment: Environment, names: ReadonlyArray<string> = secrets): Environment => {
  const found: { [name: string]: string } = {}
  for (const secret of names) {
    const name = `${secret}_FILE`
    const path = environment[name]?.trim()
    if (!path) continue
    if (environment[secret]?.trim()) refuse(name, `either it or ${secret}, not both`)
    found[secret] = readSecret(name, path)
  }
  return { ...environment, ...found }
}
