import { readFileSync } from "node:fs"

/** A parameter under its name in Python; `typescript` only where that is not the same in camelCase. */
export interface Parameter {
  readonly name: string
  readonly typescript?: string
  /** In the body or the query, a path of names; `null`: elsewhere. Default: its name. */
  readonly wire?: string | null
  readonly header?: string
  readonly value: unknown
  readonly default?: unknown
  /** What the service takes for it where it is not sent, when that is not the default. */
  readonly service?: unknown
  /** The name of a type whose fields the value has, in snake_case. */
  readonly model?: string
  /** The same for the objects of a list. */
  readonly fields?: boolean
  readonly optional_in?: "typescript" | "python"
}

export interface Method {
  readonly name: string
  readonly operation: string
  readonly request: string
  readonly sent: "body" | "query"
  readonly gives: "object" | "bytes" | "text" | "pages" | "stream"
  readonly result?: string
  /** Names of parameters that are given by place. */
  readonly positional: ReadonlyArray<string>
  readonly required: ReadonlyArray<Parameter>
  readonly optional: ReadonlyArray<Parameter>
}

/** What only one language has. */
export interface Only {
  readonly typescript: ReadonlyArray<{ readonly name: string; readonly reason: string }>
}

interface Named {
  readonly name: string
  readonly typescript?: string
  readonly default?: unknown
}

export interface Fields {
  readonly name: string
  /** `null`: it has no name of its own. */
  readonly typescript?: string | null
  readonly fields: string
}

interface Table {
  readonly methods: ReadonlyArray<Method>
  /** What a namespace has beside the client, with the same parameters. */
  readonly namespaced: ReadonlyArray<{ readonly name: string; readonly as: string }>
  readonly unreached: ReadonlyArray<{ readonly operation: string; readonly reason: string }>
  readonly besides: ReadonlyArray<string>
  readonly only: Only
  readonly options: ReadonlyArray<Named & { readonly value: unknown; readonly header?: string; readonly sent?: string }>
  readonly onlyOptions: Only
  readonly callOptions: ReadonlyArray<Named>
  readonly onlyCallOptions: Only
  readonly defaults: {
    readonly baseUrl: string
    readonly maxRetries: number
    readonly timeoutSeconds: number
    readonly chatTimeoutSeconds: number
  }
  readonly environment: ReadonlyArray<{ readonly name: string }>
  readonly compatEnvironment: ReadonlyArray<string>
  readonly errors: ReadonlyArray<{
    readonly name: string
    readonly extends: string | null
    readonly properties: ReadonlyArray<string>
  }>
  readonly failures: ReadonlyArray<{
    readonly status: number | null
    readonly code: string | null
    readonly error: string
    readonly again: boolean
  }>
  readonly results: ReadonlyArray<Fields>
  readonly agent: {
    readonly names: ReadonlyArray<Named>
    readonly onlyNames: Only
    readonly sessionOptions: ReadonlyArray<Named>
    readonly onlySessionOptions: Only
    readonly hooksOptions: ReadonlyArray<Named>
    readonly functionOptions: ReadonlyArray<Named>
    readonly onlyFunctionOptions: Only
    readonly records: ReadonlyArray<Fields>
    readonly leftReasons: ReadonlyArray<string>
  }
}

const path = new URL("../../../../clients/parity.json", import.meta.url)
const written: Table = JSON.parse(readFileSync(path, "utf8"))

const named = ({ name, as }: Table["namespaced"][number]): Method => {
  const method = written.methods.find((one) => one.name === as)
  if (method === undefined) throw new Error(`${name} is to be as ${as}, which the table does not have`)
  return { ...method, name }
}

/** With the methods of namespaces written out. */
export const table: Table = { ...written, methods: [...written.methods, ...written.namespaced.map(named)] }

/** A name of the table as TypeScript writes it. */
export const camel = (name: string): string => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

export const spelled = ({ name, typescript }: { readonly name: string; readonly typescript?: string | null }): string =>
  typescript ?? camel(name)

/** The names of rows, and those that only TypeScript has. */
export const allOf = (rows: ReadonlyArray<Named>, only: ReadonlyArray<{ readonly name: string }>): Array<string> =>
  [...rows.map(spelled), ...only.map(({ name }) => name)].sort()
