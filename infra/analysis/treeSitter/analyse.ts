import type { Node } from "web-tree-sitter"
import { stripAnnotations } from "#domain/functions/annotate.ts"
import { completeness } from "#domain/search/completeness.ts"
import { beginningOf } from "#domain/text/beginningOf.ts"
import type { Analysis, FunctionFound, JsonObject } from "#ports/SourceAnalysis.ts"
import { capabilitiesOf } from "./capabilities.ts"
import { commentLineOf, partsAbove } from "./commentLine.ts"
import { type Declaration, declarationsOf } from "./declarations.ts"
import { describedInput, describedOutput } from "./describe.ts"
import { descriptionOf, documentationOf, leadingComment } from "./description.ts"
import { documentationIn } from "./documentation.ts"
import { entrypointOf } from "./entrypoint.ts"
import { fingerprintOf, isUnderstood, textFingerprint } from "./fingerprint/fingerprint.ts"
import { modulesOf, packagesOf } from "./imports.ts"
import { stemOf } from "./languages.ts"
import { languageVersionOf } from "./languageVersion.ts"
import { pythonSchemas } from "./pythonSchema.ts"
import { typedSchemas } from "./typedSchema.ts"
import { typescriptSchemas } from "./typescriptSchema.ts"

/** Characters that are kept of a signature or a name. */
const longest = 300
/** The most tags, and the most capabilities, of a file. */
const most = 10

/** Names that say nothing of what the code does: the file's name says more. */
const bare = new Set(["main", "default", "run", "handler"])

const oneLine = (text: string): string =>
  beginningOf(
    beginningOf(text, 20 * longest)
      .replace(/\s+/g, " ")
      .trim(),
    longest
  )

const signatureOf = ({ inner, node }: Declaration): string => {
  const body = node.childForFieldName("body")
  const end = body === null ? node.endIndex : body.startIndex
  const text = inner.text.slice(0, Math.max(0, end - inner.startIndex))
  return oneLine(text).replace(/ ?(?:[{:]|=>) ?(?:#[\s\S]*)?$/, "")
}

const functionsOf = (
  root: Node,
  language: string,
  declarations: ReadonlyArray<Declaration>,
  source: string
): ReadonlyArray<FunctionFound> => {
  const lines = source.split("\n")
  return declarations
    .filter(({ kind }) => kind === "function")
    .map((declaration) => {
      const { owner, outer, node } = declaration
      const name = oneLine(owner === null ? declaration.name : `${owner}.${declaration.name}`)
      const above = partsAbove(declaration, source)
      const own = outer.type === "decorated_definition" ? outer.namedChildren : above
      const before = own.filter((part) => part !== null && /^(?:decorator|attribute_item)$/.test(part.type))
      return {
        fingerprint: fingerprintOf(language, name, node, before as ReadonlyArray<Node>, source),
        name,
        signature: signatureOf(declaration),
        startLine: outer.startPosition.row + 1,
        endLine: outer.endPosition.row + 1,
        commentLine: commentLineOf(root, outer, above, lines)
      }
    })
}

/** A file whose functions aren't told apart is one function, called after the file. */
const wholeFile = (language: string, path: string, source: string): ReadonlyArray<FunctionFound> => {
  const name = oneLine(stemOf(path)) || "snippet"
  const endLine = source.split("\n").length
  const fingerprint = textFingerprint(language, name, stripAnnotations(source))
  if (source.trim() === "") return []
  return [{ fingerprint, name, signature: name, startLine: 1, endLine, commentLine: 1 }]
}

const constructors = new Set(["__init__", "constructor", "initialize"])
/** Languages whose parameters are read. */
const read = new Set(["python", "typescript", "javascript", "go", "java", "rust", "ruby"])

type Schemas = Pick<Analysis, "inputSchema" | "outputSchema">

const schemasFor = (root: Node, language: string, declarations: ReadonlyArray<Declaration>) => {
  const fields = (): JsonObject => ({})
  if (language === "python") return pythonSchemas(declarations)
  if (language === "typescript" || language === "javascript") return { ...typescriptSchemas(root), fields }
  return { ...typedSchemas(language), fields }
}

const schemasOf = (
  root: Node,
  language: string,
  declarations: ReadonlyArray<Declaration>,
  entrypoint: Declaration | undefined
): Schemas => {
  const none: JsonObject = {}
  if (entrypoint === undefined || !read.has(language)) return { inputSchema: none, outputSchema: none }
  const isType = entrypoint.kind === "type"
  // The input of a class is what its constructor takes.
  const called = isType
    ? declarations.find(({ name, owner }) => owner === entrypoint.name && constructors.has(name))?.node
    : entrypoint.node
  const { input, output, fields } = schemasFor(root, language, declarations)
  const inputSchema = called === undefined ? fields(entrypoint.name) : input(called)
  const outputSchema = called === undefined || isType ? none : output(called)
  const documentation = documentationIn(documentationOf(entrypoint, language))
  return {
    inputSchema: describedInput(inputSchema, documentation),
    outputSchema: isType ? none : describedOutput(outputSchema, documentation)
  }
}

/** Reads off a syntax tree what the port asks for. */
export const analyseTree = (root: Node, language: string, path: string, source: string): Analysis => {
  const declarations = declarationsOf(root, language)
  const stem = stemOf(path)
  const entrypoint = entrypointOf(declarations, language, stem)
  const found = entrypoint?.name ?? ""
  const modules = modulesOf(root, language)
  const description = descriptionOf(root, language, entrypoint, source)
  const functions = isUnderstood(language) ? functionsOf(root, language, declarations, source) : []
  return {
    language,
    languageVersion: languageVersionOf(root, language),
    name: oneLine(found === "" || (bare.has(found) && stem !== "") ? stem : found) || "snippet",
    entrypoint: oneLine(found),
    description,
    ...schemasOf(root, language, declarations, entrypoint),
    tags: packagesOf(modules, language, most),
    capabilities: capabilitiesOf(description, modules, language, source, most),
    functions: functions.length > 0 ? functions : wholeFile(language, path, source),
    completeness: completeness(source)
  }
}

/** What can be said of a source without a syntax tree. */
export const analyseText = (language: string, path: string, source: string): Analysis => ({
  language,
  languageVersion: null,
  name: oneLine(stemOf(path)) || "snippet",
  entrypoint: "",
  description: leadingComment(source),
  inputSchema: {},
  outputSchema: {},
  tags: [],
  capabilities: [],
  functions: wholeFile(language, path, source),
  completeness: completeness(source)
})
