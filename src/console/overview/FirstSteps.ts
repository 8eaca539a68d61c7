import { useState } from "preact/hooks"
import { html, type Node } from "../html.ts"
import { Copy } from "../parts/Copy.ts"

const { origin } = window.location

/** Written apart from the package's name, so that nothing takes this text for an import of ours. */
const library = "import { Cairn } from"

const ways = {
  curl: {
    key: `export CAIRN_BASE_URL=${origin} CAIRN_API_KEY=cairn_live_…`,
    store: `curl -s $CAIRN_BASE_URL/api/store/execution-result -H "Authorization: Bearer $CAIRN_API_KEY" --json '{
  "task": "parse a CSV file into rows", "succeeded": true, "user_vote": 1,
  "file_written": {"path": "csv_rows.py", "content": "import csv\\n\\ndef csv_rows(path):\\n    return list(csv.reader(open(path)))\\n"}}'`,
    search: `curl -s $CAIRN_BASE_URL/api/retrieve/search -H "Authorization: Bearer $CAIRN_API_KEY" --json '{"task": "read the rows of a CSV file"}'`
  },
  Python: {
    key: `from cairn_client import Cairn\n\nclient = Cairn(api_key="cairn_live_…", base_url="${origin}")`,
    store: `source = "import csv\\n\\ndef csv_rows(path):\\n    return list(csv.reader(open(path)))\\n"
client.upload(
    task="parse a CSV file into rows",
    file_written={"path": "csv_rows.py", "content": source},
    succeeded=True,
    user_vote=1,
)`,
    search: 'print(client.search(task="read the rows of a CSV file").matches)'
  },
  TypeScript: {
    key: `${library} "cairn-client"\n\nconst cairn = new Cairn({ apiKey: "cairn_live_…", baseUrl: "${origin}" })`,
    store: `await cairn.upload({
  task: "parse a CSV file into rows",
  fileWritten: { path: "csv_rows.ts", content: "export const rows = (text: string) => text.split(/\\\\n/)\\n" },
  succeeded: true,
  userVote: 1
})`,
    search: 'console.log((await cairn.search({ task: "read the rows of a CSV file" })).matches)'
  },
  MCP: {
    key: `claude mcp add --transport http cairn ${origin}/mcp --header "Authorization: Bearer cairn_live_…"`,
    store: "Store csv_rows.py in cairn: it parses a CSV file into rows, and it worked.",
    search: "Look in cairn for code that reads the rows of a CSV file."
  }
} as const

type Way = keyof typeof ways

const steps = [
  ["key", "1. A key", "Use yours, or create one for an agent."],
  ["store", "2. A first upload", "Store code that a task produced and that worked."],
  ["search", "3. A first search", "Describe the task in different words."]
] as const

/** For a service in which nothing has happened yet: three steps to a first result, in four ways. */
export const FirstSteps = (): Node => {
  const [way, setWay] = useState<Way>("curl")
  return html`<section class="first-steps" aria-label="First steps">
    <h2>Three steps to a first result</h2>
    <div class="ways" role="group" aria-label="Client">${(Object.keys(ways) as ReadonlyArray<Way>).map(
      (one) =>
        html`<button type="button" class="small" key=${one} aria-pressed=${one === way} onClick=${() => setWay(one)}>${one}</button>`
    )}</div>
    <div class="steps">${steps.map(
      ([step, title, why]) => html`<section class="step" key=${step}>
        <header><h3>${title} <small>${why}</small></h3><${Copy} text=${ways[way][step]} what=${`${title}, ${way}`} /></header>
        <pre tabindex="0" role="region" aria-label=${title}><code>${ways[way][step]}</code></pre></section>`
    )}</div></section>`
}
