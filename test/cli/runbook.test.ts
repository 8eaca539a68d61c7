import { readFileSync } from "node:fs"
import { Console, Effect, Exit } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { cairn } from "#src/cli/cairn.ts"
import { type Folder, makeFolder } from "./cairn.ts"

const read = (name: string) => readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), "utf8")

/** Words of a command as a shell would part them. */
const wordsOf = (command: string): ReadonlyArray<string> =>
  [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!)

/** What a page says between backticks or in blocks, behind `cairn`. */
const commandsOf = (page: string): ReadonlyArray<ReadonlyArray<string>> =>
  [...page.replaceAll("\\\n", " ").matchAll(/(?:`|^)(?:npm run -s cairn --|cairn) ([^`#|&\n]+)/gm)].map(([, command]) =>
    wordsOf(command!.trim())
  )

const helps = new Map<string, Promise<string>>()
const helpOf = (verbs: ReadonlyArray<string>) => {
  const name = verbs.join(" ")
  const known = helps.get(name)
  if (known !== undefined) return known
  const lines: Array<string> = []
  // where help goes to
  const heard = { ...console, log: (line: string) => void lines.push(line) }
  const asked = Effect.runPromise(
    Effect.exit(Effect.provideService(cairn([...verbs, "--help"]), Console.Console, heard))
  ).then((exit) => {
    assert.isTrue(Exit.isSuccess(exit), `cairn ${name} is no command`)
    return lines.join("\n")
  })
  helps.set(name, asked)
  return asked
}

/** Fails unless the words are a command with flags that it has. */
const isCommand = async (words: ReadonlyArray<string>) => {
  const verbs = [words[0]!]
  const help = await helpOf(verbs)
  assert.include(help, `cairn ${verbs[0]}`)
  if (help.includes("SUBCOMMANDS")) {
    verbs.push(words[1]!)
    assert.match(help, new RegExp(`^ {2}${words[1]}\\b`, "m"), words.join(" "))
  }
  const flags = await helpOf(verbs)
  for (const word of words) {
    const flag = /^--[\w-]+/.exec(word)?.[0]
    if (flag !== undefined) assert.match(flags, new RegExp(`${flag}\\b`), words.join(" "))
  }
}

describe("what operators are told to do", () => {
  it.each(["operations", "backup", "upgrade", "bounds", "deployment", "moving"])(
    "docs/%s.md names commands and flags that there are",
    async (name) => {
      const commands = commandsOf(read(name))
      assert.isNotEmpty(commands)
      for (const words of commands) await isCommand(words)
    }
  )

  it("a command that there is not, or a flag, is found", async () => {
    const [wrongVerb, wrongFlag] = commandsOf(
      "`cairn key mislay`, and\n\n```sh\nnpm run -s cairn -- verify --twice\n```"
    )
    for (const words of [wrongVerb!, wrongFlag!]) {
      const found = await isCommand(words).then(
        () => "nothing",
        (error: Error) => error.name
      )
      assert.strictEqual(found, "AssertionError")
    }
  })
})

describe("the owner's key is lost", () => {
  let folder: Folder
  beforeAll(() => {
    folder = makeFolder({ ownPostgres: false })
  })
  afterAll(() => folder.remove())

  it("and another one is made, by the steps of the runbook; the old one is valid no more", async () => {
    const page = read("operations")
    const from = page.indexOf("## The owner's key is lost")
    const [list, first, create, revoke, ...more] = commandsOf(page.slice(from, page.indexOf("## ", from + 3)))
    assert.isEmpty(more)
    await folder.json(
      ...["org", "create", "--name", "Cairn", "--tier", "ENTERPRISE", "--owner-email", "owner@cairn.local"]
    )
    const { organizations } = await folder.json<{ organizations: ReadonlyArray<{ name: string }> }>(...first!)
    assert.strictEqual(organizations[0]!.name, "Cairn")
    const keys = async () => {
      const { keys } = await folder.json<{ keys: ReadonlyArray<{ id: string; role: string }> }>(...list!)
      return keys.map(({ id, role }) => `${id} ${role}`)
    }
    const [lost] = await keys()
    const made = await folder.json<{ key_id: string; key: string }>(...create!)
    assert.match(made.key, /^cairn_live_/)
    assert.sameMembers(await keys(), [lost!, `${made.key_id} owner`])
    await folder.json(...revoke!.map((word) => (word === "ID" ? lost!.split(" ")[0]! : word)))
    assert.deepStrictEqual(await keys(), [`${made.key_id} owner`])
  })
})
