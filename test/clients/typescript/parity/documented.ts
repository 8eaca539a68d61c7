import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** What `deno doc --json` tells of a type; of the many kinds those that the library's parameters have. */
interface TypeOf {
  readonly kind: string
  readonly repr?: string
  readonly value?: unknown
}
interface Property {
  readonly name: string
  readonly optional?: boolean
  readonly jsDoc?: JsDoc
  readonly tsType?: TypeOf
}
interface JsDoc {
  readonly doc?: string
  readonly tags?: ReadonlyArray<{ readonly kind: string; readonly name?: string; readonly doc?: string }>
}
interface Param {
  readonly kind: string
  readonly name?: string
  readonly left?: Param
  readonly optional?: boolean
  readonly tsType?: TypeOf
}
/** Of a class `functionDef` has the parameters. */
interface Callable {
  readonly name?: string
  readonly jsDoc?: JsDoc
  readonly functionDef?: { readonly params: ReadonlyArray<Param> }
  readonly params?: ReadonlyArray<Param>
}
interface Declaration {
  readonly kind: string
  readonly jsDoc?: JsDoc
  readonly def: {
    readonly properties?: ReadonlyArray<Property>
    readonly extends?: ReadonlyArray<TypeOf>
    readonly methods?: ReadonlyArray<Callable>
    readonly callSignatures?: ReadonlyArray<Callable>
    readonly tsType?: TypeOf
  }
}

export interface Field {
  readonly optional: boolean
  readonly doc: string
  readonly type: TypeOf | undefined
}
type Fields = ReadonlyMap<string, Field>

export interface Signature {
  /** Names of the parameters that are given by place. */
  readonly positional: ReadonlyArray<string>
  /** Those of the object that holds the others. */
  readonly named: Fields
  /** Whether options of the call come last. */
  readonly options: boolean
  readonly doc: string
}

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const platform = `${process.platform}-${process.arch}${process.platform === "linux" ? "-glibc" : ""}`
const program =
  "Deno" in globalThis
    ? process.execPath
    : join(root, `node_modules/@deno/${platform}/deno${process.platform === "win32" ? ".exe" : ""}`)

/** The types of an entry of the library, which are gone when it runs: as its sources declare them. */
export const documented = (entry: string) => {
  const path = join(root, "clients/typescript/src", entry)
  const text = execFileSync(program, ["doc", "-q", "--json", path], {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    cwd: root,
    stdio: ["ignore", "pipe", "ignore"]
  })
  const [module] = Object.values(
    (JSON.parse(text) as { nodes: { [file: string]: { symbols: ReadonlyArray<Symbol> } } }).nodes
  )
  interface Symbol {
    readonly name: string
    readonly declarations: ReadonlyArray<Declaration>
  }
  const symbols = new Map(module!.symbols.map(({ name, declarations }) => [name, declarations]))

  const literals = ({ kind, value }: TypeOf): ReadonlyArray<string> =>
    kind === "union"
      ? (value as ReadonlyArray<TypeOf>).flatMap(literals)
      : kind === "literal"
        ? [(value as { readonly string: string }).string]
        : []

  const own = (properties: ReadonlyArray<Property> = []): Fields =>
    new Map(
      properties
        .filter(({ name }) => !name.startsWith("_"))
        .map(({ name, optional, jsDoc, tsType }) => [
          name,
          { optional: optional ?? false, doc: jsDoc?.doc ?? "", type: tsType }
        ])
    )

  /** The fields of an object's type, those that it takes from others too. */
  const fieldsOf = (type: TypeOf | undefined): Fields => {
    if (type?.kind === "typeLiteral")
      return own((type.value as { readonly properties: ReadonlyArray<Property> }).properties)
    if (type?.kind === "intersection") {
      return new Map((type.value as ReadonlyArray<TypeOf>).flatMap((part) => [...fieldsOf(part)]))
    }
    if (type?.kind !== "typeRef") return new Map()
    const { typeName, typeParams = [] } = type.value as { typeName: string; typeParams?: ReadonlyArray<TypeOf> }
    const [of, which] = typeParams
    if (typeName === "Pick" || typeName === "Omit") {
      const names = literals(which!)
      return new Map([...fieldsOf(of)].filter(([name]) => names.includes(name) === (typeName === "Pick")))
    }
    return fields(typeName)
  }

  /** The fields of an interface. */
  const fields = (name: string): Fields => {
    const declaration = symbols.get(name)?.find(({ kind }) => kind === "interface")
    if (declaration === undefined) return new Map()
    const { properties, extends: above = [] } = declaration.def
    return new Map([...above.flatMap((type) => [...fieldsOf(type)]), ...own(properties)])
  }

  const isRequestOptions = (type: TypeOf | undefined): boolean =>
    type?.kind === "intersection"
      ? (type.value as ReadonlyArray<TypeOf>).some(isRequestOptions)
      : type?.repr === "RequestOptions"

  /** A method of a class or an interface, or a field that is called itself. */
  const callable = (of: string, method: string): Callable | undefined => {
    const def = symbols.get(of)?.find(({ kind }) => kind === "class" || kind === "interface")?.def
    const field = def?.properties?.find(({ name }) => name === method)?.tsType?.repr
    return (
      def?.methods?.find(({ name }) => name === method) ??
      symbols.get(field ?? "")?.find(({ kind }) => kind === "interface")?.def.callSignatures?.[0]
    )
  }

  const signature = (of: string, method: string): Signature => {
    const found = callable(of, method)
    if (found === undefined) throw new Error(`${of} has no method ${method}`)
    const params = (found.functionDef?.params ?? found.params ?? []).map((param) => param.left ?? param)
    const requestOptions = new Set(fields("RequestOptions").keys())
    const objects = params.map(({ tsType }) => [...fieldsOf(tsType)])
    return {
      positional: params.flatMap(({ name }, index) =>
        objects[index]!.length === 0 && name !== undefined ? [name] : []
      ),
      named: new Map(objects.flat().filter(([name]) => !requestOptions.has(name))),
      options: params.some(({ tsType }) => isRequestOptions(tsType)),
      doc: [found.jsDoc?.doc, ...(found.jsDoc?.tags ?? []).map(({ doc }) => doc)].join("\n")
    }
  }

  return { names: [...symbols.keys()], fields, signature, literals }
}
