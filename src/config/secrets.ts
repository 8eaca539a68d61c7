import { readFileSync } from "node:fs"
import { refuse } from "./BadConfig.ts"
import { keysOf } from "./models.ts"

/** Variables with secrets. Each may be in a file instead, named by the variable with `_FILE` at its end. */
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

/** All secrets of an environment, with those that `CAIRN_MODELS` names. */
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
  // no secret has U+0000 or line breaks in it; the refusal quotes nothing of the file
  return text !== "" && !/[\0\r\n]/.test(text) && text.length <= 16_384
    ? text
    : refuse(name, `a file with one line; ${path} has none, or more`)
}

/**
 * The environment with these variables' values from their files, each read once. Throws `BadConfig` if a file can't be
 * read, or a secret is given twice.
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
