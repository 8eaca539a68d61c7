import { type Call, send } from "#test/service/call.ts"
import { ownerKey } from "#test/service.ts"

/** Under each a program is uploaded and looked for. */
const tasks = ["parse a CSV file into rows", "make a slug of a title", "count the words of a text"]

const source = (name: string) =>
  `def ${name}(text):\n    """For a service that was upgraded."""\n    return text.split()\n`

/** A call to a service of any version, as its owner. */
export const ownerAt =
  (url: string): Call =>
  (method, path, body, headers = {}) =>
    send(url, method, path, body, { authorization: `Bearer ${ownerKey}`, ...headers })

const done = async (call: Call, method: string, path: string, body?: unknown) => {
  const { status, json, text } = await call(method, path, body)
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
  return json
}

/** Does what users do, with operations that every version had: afterwards `told` has something to tell. */
export const use = async (call: Call): Promise<void> => {
  for (const [index, task] of tasks.entries()) {
    await done(call, "POST", "/api/store/execution-result", {
      task,
      succeeded: true,
      user_vote: 1,
      file_written: { path: `kept_${index}.py`, content: source(`kept_${index}`) }
    })
  }
  for (const [name, task] of [
    ["left", "one of two files"],
    ["right", "the other of two files"]
  ] as const) {
    await done(call, "POST", "/api/store/execution-result", {
      task,
      succeeded: true,
      file_written: { path: `${name}.py`, content: source(name) }
    })
  }
  const { matches } = await done(call, "POST", "/api/retrieve/search", { task: tasks[0], min_verdict_score: 0 })
  const block = matches.find((match: Match) => match.code_block.name === "kept_0").code_block
  await done(call, "POST", "/api/store/cache-usage", {
    task: tasks[0],
    code_block_id: block.id,
    code_block_name: block.name,
    code_block_description: block.description,
    succeeded: false
  })
  await done(call, "POST", "/api/snippets/delete", { snippet_id: "right" })
  for (const [key_name, email] of [
    ["build", "ada@example.org"],
    ["gone", "bob@example.org"]
  ]) {
    const { id } = await done(call, "POST", "/api/keys/org/create", { email, key_name })
    if (key_name === "gone") await done(call, "POST", "/api/keys/org/revoke", { key_id: id })
  }
  // a second one in the same workspace
  for (const user_query of tasks.slice(0, 2))
    await done(call, "POST", "/api/agent-chat", { user_query, user_id: "ada", org_id: "acme", model: "local" })
}

interface Match {
  readonly code_block: { readonly id: string; readonly name: string; readonly source: string }
  readonly thumbs_up: number
  readonly thumbs_down: number
}

interface Key {
  readonly name: string
  readonly user_email: string
}

interface Workspace {
  readonly org_id: string
  readonly user_id: string
  /** The head's id follows from its files and from all commits before it. */
  readonly head: string
  readonly commits: number
  readonly files: number
}

const byName = (a: { readonly name: string }, b: { readonly name: string }) => (a.name < b.name ? -1 : 1)

/**
 * What a service says of all that `use` has left, in terms that every version has: snippets, votes, keys, commits,
 * files.
 */
export const told = async (call: Call) => {
  const found = new Map<string, { name: string; id: string; source: string; votes: ReadonlyArray<number> }>()
  for (const task of [...tasks, "one of two files"]) {
    const { matches } = await done(call, "POST", "/api/retrieve/search", { task, top_k: 50, min_verdict_score: 0 })
    for (const { code_block, thumbs_up, thumbs_down } of matches as ReadonlyArray<Match>) {
      const { id, name, source } = code_block
      found.set(id, { name, id, source, votes: [thumbs_up, thumbs_down] })
    }
  }
  const { keys } = await done(call, "POST", "/api/keys/org/list", {})
  const { workspaces } = await done(call, "GET", "/api/workspaces")
  return {
    snippets: [...found.values()].sort(byName),
    keys: keys.map(({ name, user_email }: Key) => ({ name, user_email })).sort(byName),
    workspaces: workspaces.map(({ org_id, user_id, head, commits, files }: Workspace) => ({
      org_id,
      user_id,
      head,
      commits,
      files
    }))
  }
}
