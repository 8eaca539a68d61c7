import { assert, describe, it } from "vitest"
import { agentFunction, functionTool, publishFunctions } from "../../../../clients/typescript/src/agent/index.ts"
import { stub } from "../stub.ts"
import { documented } from "./documented.ts"
import { allOf, camel, spelled, table } from "./table.ts"

const library = documented("agent/index.ts")
const { agent } = table
const namesOf = (type: string) => [...library.fields(type).keys()].sort()

describe("the table of both agent sessions", () => {
  it("has every name of this one, and no other", () => {
    assert.deepStrictEqual([...library.names].sort(), allOf(agent.names, agent.onlyNames.typescript))
  })

  it("has every option, and no other", () => {
    // those of the client are this library's own
    const { fields } = documented("index.ts")
    const session = new Set([...library.fields("CairnSessionOptions").keys()])
    for (const name of agent.onlySessionOptions.typescript)
      assert.isTrue(fields("CairnOptions").has(name.name), name.name)
    assert.sameMembers(
      agent.sessionOptions.map(spelled).filter((name) => !fields("CairnOptions").has(name)),
      [...session].filter((name) => !fields("CairnOptions").has(name))
    )
    assert.deepStrictEqual(namesOf("CairnHooksOptions"), allOf(agent.hooksOptions, []))
    const ofFunction = allOf(agent.functionOptions, agent.onlyFunctionOptions.typescript)
    assert.deepStrictEqual(namesOf("AgentFunctionOptions"), ofFunction)
    for (const { name, default: value } of [...agent.hooksOptions, ...agent.functionOptions]) {
      const type = agent.hooksOptions.some((option) => option.name === name)
        ? "CairnHooksOptions"
        : "AgentFunctionOptions"
      const { optional, doc } = library.fields(type).get(camel(name))!
      assert.isTrue(optional, name)
      if (value === false && name === "public") assert.include(doc, "Default: no")
    }
  })

  it.each(agent.records.map((record) => [record.name, record.fields] as const))(
    "has every field of %s",
    (name, fields) => {
      assert.sameMembers([...library.fields(name).keys()], fields.split(" ").map(camel))
    }
  )

  it("has every reason for which a file is left", () => {
    const reason = library.fields("LeftFile").get("reason")!
    assert.sameMembers([...library.literals(reason.type!)], [...agent.leftReasons])
  })
})

it("a function is published and told of as in Python", async () => {
  const { cairn, sent } = stub([
    { status: 200, body: { success: true, code_block_id: "i", embedding_id: "i", message: "" } }
  ])
  const double = agentFunction((n: number) => n * 2, {
    name: "double",
    description: "Doubles.",
    source: "const double = (n: number) => n * 2",
    inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] }
  })
  assert.deepStrictEqual(await publishFunctions(cairn, [double]), ["double"])
  assert.isTrue(sent[0]!.url.endsWith("/api/store/code-block"))
  const { name, description, input_schema, tags, example_queries } = sent[0]!.body
  assert.deepStrictEqual(
    [name, description, tags, example_queries],
    ["double", "Doubles.", ["function"], ["Call double: Doubles."]]
  )
  assert.deepStrictEqual(functionTool(double), { name, description, input_schema })
})
