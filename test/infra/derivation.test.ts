import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as TreeSitterAnalysis from "#infra/analysis/treeSitter/layer.ts"
import * as Workers from "#infra/workers/layer.ts"
import { type Analysis, SourceAnalysis } from "#ports/SourceAnalysis.ts"

const analyse = (path: string, source: string) => Effect.flatMap(SourceAnalysis, ({ analyse }) => analyse(path, source))
const string = { type: "string" }
const integer = { type: "integer" }
const number = { type: "number" }
const object = (properties: object, required?: ReadonlyArray<string>) => ({
  type: "object",
  properties,
  ...(required === undefined ? {} : { required })
})

layer(Layer.provide(TreeSitterAnalysis.layer, Workers.layer))("what is derived at upload", (it) => {
  const schemas = (name: string, path: string, source: string, input: object, output: object = {}) =>
    it.effect(`schemas of ${name}`, () =>
      Effect.map(analyse(path, source), ({ inputSchema, outputSchema }) => {
        assert.deepStrictEqual(inputSchema, input)
        assert.deepStrictEqual(outputSchema, output)
      })
    )

  schemas(
    "Python's classes: enumerations, dataclasses, pydantic models, typed dictionaries",
    "f.py",
    `import enum
from pydantic import BaseModel, Field
class Color(str, enum.Enum):
    RED = "red"
    BLUE = "blue"
class Auto(enum.Enum):
    A = enum.auto()
class Named(BaseModel):
    name: str = Field(..., description="Its name")
    tags: list[str] = Field(default_factory=list)
class User(Named):
    count: ClassVar[int] = 0
    age: int | None = None
    color: Color
class Options(TypedDict, total=False):
    depth: int
def f(user: User, options: Options, auto: Auto, pair: tuple[int, str], by: dict[str, Color], *args: int, **kwargs: str) -> list[User]:
    return []
`,
    object(
      {
        user: object(
          {
            name: { ...string, description: "Its name" },
            tags: { type: "array", items: string },
            age: { type: ["integer", "null"] },
            color: { type: "string", enum: ["red", "blue"] }
          },
          ["name", "color"]
        ),
        options: object({ depth: integer }),
        auto: {},
        pair: { type: "array", prefixItems: [integer, string], minItems: 2, maxItems: 2 },
        by: { type: "object", additionalProperties: { type: "string", enum: ["red", "blue"] } }
      },
      ["user", "options", "auto", "pair", "by"]
    ),
    {
      type: "array",
      items: object(
        {
          name: { ...string, description: "Its name" },
          tags: { type: "array", items: string },
          age: { type: ["integer", "null"] },
          color: { type: "string", enum: ["red", "blue"] }
        },
        ["name", "color"]
      )
    }
  )

  schemas(
    "a docstring in Google's style",
    "f.py",
    `def f(path: str, limit=10, *, rows):
    """Reads.

    Args:
        path (str): Where it is,
            over two lines.
        limit (int, optional): How many.
        rows: Of what: all.

    Returns:
        list[str]: The lines.

    Raises:
        ValueError: never.
    """
`,
    object(
      {
        path: { ...string, description: "Where it is, over two lines." },
        limit: { ...integer, description: "How many." },
        rows: { description: "Of what: all." }
      },
      ["path", "rows"]
    ),
    { type: "array", items: string, description: "The lines." }
  )

  schemas(
    "a docstring in NumPy's style",
    "f.py",
    `def f(x, y, z=None):
    """Adds.

    Parameters
    ----------
    x, y : float
        The sides.
        Both.
    z : str, optional
        A name.

    Returns
    -------
    float
        The sum.
    """
`,
    object(
      {
        x: { ...number, description: "The sides. Both." },
        y: { ...number, description: "The sides. Both." },
        z: { ...string, description: "A name." }
      },
      ["x", "y"]
    ),
    { ...number, description: "The sum." }
  )

  schemas(
    "a docstring in reST",
    "f.py",
    `def f(a, b):
    """Adds.

    :param int a: The first
        of two.
    :param b: The second.
    :type b: float
    :raises ValueError: never
    :returns: The sum.
    :rtype: float
    """
`,
    object({ a: { ...integer, description: "The first of two." }, b: { ...number, description: "The second." } }, [
      "a",
      "b"
    ]),
    { ...number, description: "The sum." }
  )

  schemas(
    "TypeScript's declarations",
    "f.ts",
    `enum Level { Low = "low", High = "high" }
enum Counted { A, B }
interface Base { id: string }
interface Order extends Base { lines: Line[]; level: Level; note?: string }
type Line = Base & { count: 1 | 2 | 3 }
/**
 * Sums.
 * @param order - The order
 * @param options.deep Whether all
 * @returns what it costs
 */
export async function f(order: Order, { deep = true }: { deep?: boolean }, counted: Counted, by: Record<string, number>, ...rest: string[]): Promise<number | null> { return 1 }
`,
    object(
      {
        order: {
          ...object(
            {
              id: string,
              lines: {
                type: "array",
                items: object({ id: string, count: { type: "integer", enum: [1, 2, 3] } }, ["id", "count"])
              },
              level: { type: "string", enum: ["low", "high"] },
              note: string
            },
            ["id", "lines", "level"]
          ),
          description: "The order"
        },
        options: object({ deep: { type: "boolean", description: "Whether all" } }),
        counted: {},
        by: { type: "object", additionalProperties: number }
      },
      ["order", "options", "counted", "by"]
    ),
    { type: ["number", "null"], description: "what it costs" }
  )

  schemas(
    "JavaScript by its JSDoc",
    "f.js",
    `/**
 * Sums.
 * @param {number[]} values The values
 * @param {{a: string}|null} [extra] More
 * @param {?string} name
 * @param {'a'|'b'} kind
 * @param {Map<string, number>} by
 * @return {Promise<string>} the text
 */
function f(values, extra, name, kind, by, { deep, wide = 1 }) { return "" }
`,
    object(
      {
        values: { type: "array", items: number, description: "The values" },
        extra: { description: "More" },
        name: { type: ["string", "null"] },
        kind: { type: "string", enum: ["a", "b"] },
        by: { type: "object", additionalProperties: number },
        options: object({ deep: {}, wide: {} }, ["deep"])
      },
      ["values", "name", "kind", "by", "options"]
    ),
    { ...string, description: "the text" }
  )

  schemas(
    "Go",
    "f.go",
    `package a

// F reads.
func F(ctx context.Context, path string, sizes []int, by map[string]float64, p *Thing, more ...string) ([]string, error) { return nil, nil }
`,
    object(
      {
        path: string,
        sizes: { type: "array", items: integer },
        by: { type: "object", additionalProperties: number },
        p: {}
      },
      ["path", "sizes", "by", "p"]
    ),
    { type: "array", items: string }
  )

  schemas(
    "Java",
    "A.java",
    `public class A {
  /**
   * Reads.
   * @param path where it is
   * @return the lines
   */
  public List<String> a(final String path, int[] sizes, Map<String, Double> by, Optional<Long> limit, Thing thing) { return null; }
}
`,
    object(
      {
        path: { ...string, description: "where it is" },
        sizes: { type: "array", items: integer },
        by: { type: "object", additionalProperties: number },
        limit: { type: ["integer", "null"] },
        thing: {}
      },
      ["path", "sizes", "by", "thing"]
    ),
    { type: "array", items: string, description: "the lines" }
  )

  schemas(
    "Rust",
    "f.rs",
    `/// Reads.
///
/// # Arguments
///
/// * \`path\` - Where it is.
#[inline]
pub fn f(path: &str, sizes: &[u8], mut by: HashMap<String, Vec<f64>>, limit: Option<usize>, t: &mut Thing) -> Result<bool, Error> { Ok(true) }
`,
    object(
      {
        path: { ...string, description: "Where it is." },
        sizes: { type: "array", items: integer },
        by: { type: "object", additionalProperties: { type: "array", items: number } },
        limit: { type: ["integer", "null"] },
        t: {}
      },
      ["path", "sizes", "by", "t"]
    ),
    { type: "boolean" }
  )

  schemas(
    "Ruby by YARD",
    "f.rb",
    `# Reads.
# @param path [String] where it is
# @param [Integer] limit how many
# @return [Array<String>] the lines
def f(path, limit = 1, key:, other: 2, *rest, **more, &block)
end
`,
    object(
      {
        path: { ...string, description: "where it is" },
        limit: { ...integer, description: "how many" },
        key: {},
        other: {}
      },
      ["path", "key"]
    ),
    { type: "array", items: string, description: "the lines" }
  )

  it.effect("tags and capabilities from imports", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [string, string, ReadonlyArray<string>, ReadonlyArray<string>]> = [
        [
          "a.py",
          '"""Loads rows. More."""\nimport csv, os.path as p\nimport urllib.request\nfrom . import x\nfrom pandas.io import y\nfrom typing import Any\ntry:\n    import requests\nexcept ImportError:\n    pass\n',
          ["csv", "urllib", "pandas", "requests"],
          ["Loads rows", "CSV files", "network access", "data frames"]
        ],
        [
          "a.ts",
          'import { readFile } from "node:fs/promises"\nimport x from "./x.ts"\nexport * from "@scope/pkg/deep"\nconst cp = require("child_process")\nconst d = await import("pg")\n',
          ["fs", "@scope/pkg", "child_process", "pg"],
          ["filesystem", "subprocesses", "database access"]
        ],
        ["a.js", "export const get = () => fetch(u)\n", [], ["network access"]],
        [
          "a.go",
          'package a\nimport (\n\t"encoding/csv"\n\th "net/http"\n\t"github.com/x/yaml/v3"\n)\nfunc F() { os.ReadFile("x") }\n',
          ["csv", "http", "yaml"],
          ["CSV files", "network access", "filesystem"]
        ],
        [
          "A.java",
          "import java.net.http.HttpClient;\nimport static com.google.gson.Gson.x;\nclass A {}\n",
          ["java.net", "com.google.gson"],
          ["network access"]
        ],
        [
          "a.rs",
          "use std::fs::{self, File};\nuse serde_json::Value;\nuse crate::x;\n",
          ["serde_json"],
          ["filesystem", "JSON"]
        ],
        [
          "a.rb",
          'require "json"\nrequire "net/http"\nrequire_relative "x"\nFile.read("x")\n',
          ["json", "net"],
          ["JSON", "network access", "filesystem"]
        ],
        ["a.sql", "select 1", [], []]
      ]
      for (const [path, source, tags, capabilities] of cases) {
        const found = yield* analyse(path, source)
        assert.deepStrictEqual([found.tags, found.capabilities], [tags, capabilities], path)
      }
      const many = yield* analyse("a.py", Array.from({ length: 50 }, (_, at) => `import m${at}\n`).join(""))
      assert.strictEqual(many.tags.length, 10)
    })
  )

  it.effect("the least version of the language, when the syntax shows it", () =>
    Effect.gen(function* () {
      const version = (path: string, source: string) =>
        Effect.map(analyse(path, source), ({ languageVersion }: Analysis) => languageVersion)
      assert.strictEqual(yield* version("a.py", "match x:\n    case 1: pass\n"), "3.10+")
      assert.strictEqual(yield* version("a.py", "def f[T](a): pass\nmatch x:\n    case 1: pass\n"), "3.12+")
      assert.strictEqual(yield* version("a.py", "try: pass\nexcept* E: pass\n"), "3.11+")
      assert.strictEqual(yield* version("a.py", "match = 1\nmatch(x)\n"), null)
      assert.strictEqual(yield* version("a.py", "x = f'{y}'\n"), "3.6+")
      assert.strictEqual(yield* version("a.py", "def f(a: list[int]) -> dict[str, int]: pass\n"), null)
      assert.strictEqual(yield* version("a.py", "match x:\n    case 1: pass\ndef (((\n"), null)
      assert.strictEqual(yield* version("a.py", "print 'x'\n"), "2")
      assert.strictEqual(yield* version("a.js", "a ??= b?.c\n"), "ES2021+")
      assert.strictEqual(yield* version("a.js", "a + b\n"), null)
      assert.strictEqual(yield* version("a.go", "package a\nfunc F[T any](a T) {}\n"), "1.18+")
      assert.strictEqual(yield* version("A.java", "record P(int a) {}\n"), "16+")
      assert.strictEqual(yield* version("a.rs", "fn f() { let Some(a) = b else { return }; }\n"), "1.65+")
      assert.strictEqual(yield* version("a.rb", "def f = 1\n"), "3.0+")
      assert.strictEqual(yield* version("a.txt", "x"), null)
    })
  )
})
