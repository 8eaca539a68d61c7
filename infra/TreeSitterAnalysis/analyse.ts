import type { Node } from "web-tree-sitter"
import { completeness } from "#domain/search/completeness.ts"
import type { Analysis, FunctionFound, JsonObject } from "#ports/SourceAnalysis.ts"
import { type Declaration, declarationsOf } from "./declarations.ts"
import { descriptionOf, leadingComment } from "./description.ts"
import { entrypointOf } from "./entrypoint.ts"
import { stemOf } from "./languages.ts"
import { pythonSchemas } from "./pythonSchema.ts"
import { typescriptSchemas } from "./typescriptSchema.ts"

/** Characters that are kept of a signature or a name. */
const longest = 300

/** Names that say nothing of what the code does: the file's name says more. */
const bare = new Set(["main", "default", "run", "handler"])

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim().slice(0, longest)

const signatureOf = ({ inner, node }: Declaration): string => {
  const body = node.childForFieldName("body")
  const end = body === null ? node.endIndex : body.startIndex
  const text = inner.text.slice(0, Math.max(0, end - inner.startIndex))
  return oneLine(text).replace(/\s*(?:[{:]|=>)\s*(?:#.*)?$/, "")
}

const functionsOf = (declarations: ReadonlyArray<Declaration>): ReadonlyArray<FunctionFound> =>
  declarations
    .filter(({ kind }) => kind === "function")
    .map((declaration) => ({
      name: oneLine(declaration.owner === null ? declaration.name : `${declaration.owner}.${declaration.name}`),
      signature: signatureOf(declaration),
      startLine: declaration.outer.startPosition.row + 1,
      endLine: declaration.outer.endPosition.row + 1
    }))

const constructors = new Set(["__init__", "constructor"])

type Schemas = Pick<Analysis, "inputSchema" | "outputSchema">

const schemasOf = (
  root: Node,
  language: string,
  declarations: ReadonlyArray<Declaration>,
  entrypoint: Declaration | undefined
): Schemas => {
  const none: JsonObject = {}
  if (entrypoint === undefined) return { inputSchema: none, outputSchema: none }
  const isType = entrypoint.kind === "type"
  // What a caller of a class gives is what its constructor takes.
  const called = isType
    ? declarations.find(({ name, owner }) => owner === entrypoint.name && constructors.has(name))?.node
    : entrypoint.node
  if (language === "python") {
    const { input, output, fields } = pythonSchemas(declarations)
    const inputSchema = called === undefined ? fields(entrypoint.name) : input(called)
    return { inputSchema, outputSchema: called === undefined || isType ? none : output(called) }
  }
  if (called === undefined || (language !== "typescript" && language !== "javascript")) {
    return { inputSchema: none, outputSchema: none }
  }
  const { input, output } = typescriptSchemas(root)
  return { inputSchema: input(called), outputSchema: isType ? none : output(called) }
}

/** Reads off a syntax tree what the port asks for. */
export const analyseTree = (root: Node, language: string, path: string, source: string): Analysis => {
  const declarations = declarationsOf(root, language)
  const stem = stemOf(path)
  const entrypoint = entrypointOf(declarations, language, stem)
  const found = entrypoint?.name ?? ""
  return {
    language,
    name: oneLine(found === "" || (bare.has(found) && stem !== "") ? stem : found) || "snippet",
    entrypoint: oneLine(found),
    description: descriptionOf(root, language, entrypoint, source),
    ...schemasOf(root, language, declarations, entrypoint),
    functions: functionsOf(declarations),
    completeness: completeness(source)
  }
}

/** What can be said of a source without a syntax tree. */
export const analyseText = (language: string, path: string, source: string): Analysis => ({
  language,
  name: oneLine(stemOf(path)) || "snippet",
  entrypoint: "",
  description: leadingComment(source),
  inputSchema: {},
  outputSchema: {},
  functions: [],
  completeness: completeness(source)
})
