import type { JsonObject } from "#ports/SourceAnalysis.ts"
import { literalsSchema, nullable, unionSchema } from "./schema.ts"

/** Longer types, and types in types beyond this depth, are left open. */
const longest = 300
const deepest = 8

const simple = (type: string, names: string) => names.split(" ").map((name) => [name, { type }] as const)

/** Names that mean the same wherever they are a type's name: of Go, Java, Rust, JSDoc, YARD, Python's docstrings. */
const scalars = new Map<string, JsonObject>([
  ...simple(
    "string",
    "string String str char Character CharSequence rune PathBuf Path Symbol text byte[] []byte bytes"
  ),
  ...simple(
    "integer",
    `int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr Integer long Long short Short byte Byte BigInteger
     i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize bigint Fixnum`.replace(/\s+/g, " ")
  ),
  ...simple("number", "float32 float64 float Float double Double BigDecimal f32 f64 number Number Numeric Decimal"),
  ...simple("boolean", "bool Bool boolean Boolean TrueClass"),
  ...simple("array", "list List Array array tuple Vec ArrayList Set"),
  ...simple("object", "dict Dict object Object Hash HashMap Map map mapping"),
  ...simple("null", "void Void nil null undefined None ()")
])

const lists =
  /^(?:List|ArrayList|LinkedList|Collection|Iterable|Stream|Array|ReadonlyArray|Vec|VecDeque|list|tuple|Sequence|Slice|sequence)$/
const sets = /^(?:Set|HashSet|TreeSet|BTreeSet|set|LinkedHashSet)$/
const maps = /^(?:Map|HashMap|TreeMap|BTreeMap|LinkedHashMap|Record|Hash|dict|Dict|Object|object)$/
const optionals = /^(?:Option|Optional)$/
const transparent = /^(?:Box|Rc|Arc|Cow|Result|Promise|Future|CompletableFuture)$/

/** Cuts at a sign that stands in no brackets. */
const cut = (text: string, sign: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let depth = 0
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const one = text[at]!
    if ("<([{".includes(one)) depth++
    else if (">)]}".includes(one)) depth--
    else if (one === sign && depth === 0) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  return [...parts, text.slice(from)].map((part) => part.trim())
}

const mapOf = (values: JsonObject): JsonObject =>
  Object.keys(values).length === 0 ? { type: "object" } : { type: "object", additionalProperties: values }

/**
 * The JSON schema of a type as a text of Go, Java, Rust, JSDoc, YARD or a docstring; `{}` when it says nothing that
 * JSON knows.
 */
export const schemaOfText = (given: string, depth = 0): JsonObject => {
  const text = given.trim()
  if (text === "" || text.length > longest || depth > deepest) return {}
  const within = (part: string) => schemaOfText(part, depth + 1)
  const known = scalars.get(text)
  if (known !== undefined) return known
  const alternatives = cut(text, "|")
  if (alternatives.length > 1) return unionSchema(alternatives.map(within))
  const literal = /^(?:"([^"\\]*)"|'([^'\\]*)')$/.exec(text)
  if (literal !== null) return literalsSchema([literal[1] ?? literal[2]])
  if (/^\(.*\)$/.test(text) && cut(text.slice(1, -1), ",").length === 1) return within(text.slice(1, -1))
  if (/^\?|[?=]$/.test(text))
    return text.endsWith("=") ? within(text.slice(0, -1)) : nullable(within(text.replace(/^\?|\?$/, "")))
  const prefix = /^(?:&(?:'\w+\s+)?(?:mut\s+)?|\*|final\s+|dyn\s+|mut\s+)/.exec(text)
  if (prefix !== null) return within(text.slice(prefix[0].length))
  const list =
    /^(?:\[\d*\]|\.\.\.)(?=[^\]])(.+)$/.exec(text) ??
    /^(.+)(?:\[\]|\.\.\.)$/.exec(text) ??
    /^\[([^;]+)(?:;[^\]]*)?\]$/.exec(text)
  if (list !== null) return { type: "array", items: within(list[1]!) }
  const goMap = /^map\[[^\]]*\](.+)$/.exec(text)
  if (goMap !== null) return mapOf(within(goMap[1]!))
  const generic = /^([\w.:]+)\s*\.?[<[{(](.*)[>\]})]$/.exec(text)
  if (generic === null) {
    const last = text.split(/[.:]+/).at(-1)!
    return last === text ? {} : (scalars.get(last) ?? {})
  }
  const name = generic[1]!.split(/[.:]+/).at(-1)!
  const parts = cut(generic[2]!, ",")
  if (lists.test(name)) return { type: "array", items: within(parts[0]!) }
  if (sets.test(name)) return { type: "array", items: within(parts[0]!), uniqueItems: true }
  if (maps.test(name)) return mapOf(parts.length > 1 ? within(parts[1]!) : {})
  if (optionals.test(name)) return nullable(within(parts[0]!))
  return transparent.test(name) ? within(parts[0]!) : {}
}
