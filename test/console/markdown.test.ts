import { assert, describe, it } from "vitest"
import { fenced } from "#domain/text/fenced.ts"
import { blocksOf, inlinesOf } from "#src/console/markdown/blocks.ts"
import { code } from "#src/http/functionPage.ts"

describe("the service's Markdown", () => {
  it("gives what somebody typed back as code, whatever it holds", () => {
    for (const text of ["plain", "`", "``x``", "a `b` c", "**no**", "[x](javascript:1)", "<b>", "- x", "# x"])
      assert.deepStrictEqual(inlinesOf(`- Name: ${code(text)}`).slice(1), [{ is: "code", text }], text)
  })

  it("gives sources back line by line, also those with fences in them", () => {
    for (const source of ["x = 1\n", "```\nnot the end\n```\n", "# no heading\n- no list\n", "````\n", "\n\n"])
      assert.deepStrictEqual(blocksOf(`${fenced(source, "python")}\nafter`), [
        { is: "code", language: "python", text: source },
        { is: "paragraph", of: [{ is: "text", text: "after" }] }
      ])
  })

  it("has headings, lists and paragraphs", () => {
    assert.deepStrictEqual(blocksOf("# `a`\n\n- b\n- **c**\n\n## d\nend"), [
      { is: "heading", level: 1, of: [{ is: "code", text: "a" }] },
      { is: "list", items: [[{ is: "text", text: "b" }], [{ is: "strong", text: "c" }]] },
      { is: "heading", level: 2, of: [{ is: "text", text: "d" }] },
      { is: "paragraph", of: [{ is: "text", text: "end" }] }
    ])
  })
})
