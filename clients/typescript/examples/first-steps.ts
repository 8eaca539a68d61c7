// Stores a file, finds it again, votes on it, and lets an agent use it. Needs a running service and its key:
//
//   CAIRN_API_KEY=cairn_live_… CAIRN_BASE_URL=http://127.0.0.1:8080 node first-steps.ts
//
// (Node 22.18 or newer, or `deno run -A`: an older Node reads no TypeScript.)
import { Cairn, ServiceError } from "cairn-client"

const cairn = new Cairn()
const task = "count the words of a text file"

try {
  const { snippetName } = await cairn.upload({
    task,
    fileWritten: {
      path: "count_words.py",
      content:
        'def count_words(path: str) -> int:\n    """Counts the words of a text file."""\n    return len(open(path).read().split())\n'
    },
    succeeded: true,
    userVote: 1
  })
  console.log(`Stored ${snippetName}.`)

  const { matches } = await cairn.search({ task, topK: 3 })
  for (const { codeBlock, score, thumbsUp } of matches) {
    console.log(`Found ${codeBlock.name}: ${Math.round(score * 100)} %, ${thumbsUp} for it.`)
  }
  const best = matches[0]
  if (best) await cairn.voteCodeSnip({ codeBlockId: best.codeBlock.id, succeeded: true, task })

  // `local` needs no language model: it writes the best snippet into the workspace
  const answer = await cairn.chat(task, { user: "ada", org: "acme", model: "local" })
  console.log(`The agent wrote ${answer.changedFiles.join(", ") || "nothing new"}.`)
  const { commits } = await cairn.workspaces.commits(answer.workspaceId, { limit: 1 })
  console.log(`Commit ${commits[0]?.sha.slice(0, 7)} keeps it.`)
} catch (error) {
  if (!(error instanceof ServiceError)) throw error
  console.error(`${error.name}: ${error.message} (request ${error.requestId})`)
  process.exitCode = 1
}
