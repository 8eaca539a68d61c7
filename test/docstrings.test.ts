import { readdirSync, readFileSync } from "node:fs"
import { parse } from "@babel/parser"
import { assert, it } from "@effect/vitest"

/** Rooms of the service; a name that is exported is called by somebody. */
const rooms = ["engine", "domain", "projections", "infra", "src"]

/** As far as it is looked at here. */
interface Node {
  readonly type: string
  readonly leadingComments?: ReadonlyArray<{ readonly type: string; readonly value: string }>
  readonly loc?: { readonly start: { readonly line: number } }
  readonly [field: string]: unknown
}

const root = new URL("..", import.meta.url)
const files = rooms.flatMap((room) =>
  readdirSync(new URL(`${room}/`, root), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => `${room}/${path}`)
)

/** What a name's docstring says, in words; none: it has no docstring. */
const saidOf = ({ leadingComments = [] }: Node): ReadonlyArray<string> =>
  leadingComments
    .filter(({ type, value }) => type === "CommentBlock" && value.startsWith("*"))
    .flatMap(({ value }) => value.match(/[\p{L}\p{N}`]+/gu) ?? [])

const isFunction = (node: Node | null | undefined, text: string): boolean => {
  if (node == null) return false
  if (/Function/.test(node.type)) return true
  const { start, end } = (node["callee"] ?? {}) as { readonly start?: number; readonly end?: number }
  return node.type === "CallExpression" && /^Effect\.fn/.test(text.slice(start, end))
}

/** The members of a type that are functions. */
const functionsIn = (members: ReadonlyArray<Node>): ReadonlyArray<Node> =>
  members.filter(({ type, typeAnnotation }) => {
    const of = (typeAnnotation as { readonly typeAnnotation?: Node } | undefined)?.typeAnnotation
    return type === "TSMethodSignature" || of?.type === "TSFunctionType"
  })

/** What a service offers: the second of its type parameters. */
const shapeOf = (declared: Node): ReadonlyArray<Node> => {
  for (let call = declared["superClass"] as Node | undefined; call != null; call = call["callee"] as Node | undefined) {
    const { params = [] } = (call["typeParameters"] ?? {}) as { readonly params?: ReadonlyArray<Node> }
    const shape = params.find(({ type }) => type === "TSTypeLiteral")
    if (shape !== undefined) return shape["members"] as ReadonlyArray<Node>
  }
  return []
}

/** All that a file exports and that is called, or has members that are, with who has to say something of it. */
const exportedIn = (text: string): ReadonlyArray<Node> => {
  const { program } = parse(text, { sourceType: "module", plugins: ["typescript"] })
  return (program.body as unknown as ReadonlyArray<Node>).flatMap((node) => {
    const declared = node["declaration"] as Node | null | undefined
    if (node.type !== "ExportNamedDeclaration" || declared == null) return []
    switch (declared.type) {
      case "VariableDeclaration": {
        const made = declared["declarations"] as ReadonlyArray<{ readonly init: Node | null }>
        return made.some(({ init }) => isFunction(init, text)) ? [node] : []
      }
      case "FunctionDeclaration":
        return [node]
      case "ClassDeclaration":
        return [node, ...functionsIn(shapeOf(declared))]
      case "TSInterfaceDeclaration":
        return functionsIn((declared["body"] as Node)["body"] as ReadonlyArray<Node>)
      default:
        return []
    }
  })
}

it("what others call says in a sentence what it gives", () => {
  let count = 0
  const silent: Array<string> = []
  for (const path of files) {
    for (const node of exportedIn(readFileSync(new URL(path, root), "utf8"))) {
      if (saidOf(node).length < 3) silent.push(`${path}:${node.loc?.start.line}`)
      count += 1
    }
  }
  assert.deepStrictEqual(silent, [], "have no docstring")
  assert.isAbove(count, 1_300)
})
