import { html, type Node } from "../html.ts"
import { Copy } from "../parts/Copy.ts"
import { Empty } from "../parts/States.ts"

const origin = window.location.origin

const store = `curl -s ${origin}/api/store/execution-result -H "Authorization: Bearer $CAIRN_API_KEY" --json '{
  "task": "parse a CSV file into rows", "succeeded": true, "user_vote": 1,
  "file_written": {"path": "csv_rows.py",
    "content": "import csv\\n\\ndef csv_rows(path):\\n    with open(path, newline=\\"\\") as file:\\n        return list(csv.reader(file))\\n"}}'`

const agents = `claude mcp add --transport http cairn ${origin}/mcp --header "Authorization: Bearer $CAIRN_API_KEY"`

const Step = ({ title, command }: { readonly title: string; readonly command: string }): Node => html`
  <section class="step"><header><h3>${title}</h3><${Copy} text=${command} what=${`the command: ${title}`} /></header>
    <pre tabindex="0" role="region" aria-label=${title}><code>${command}</code></pre></section>`

/** Shown before a task is typed: what the search finds, and how snippets get into the store. */
export const Steps = (): Node => html`
  <${Empty} title="Find code that has worked">
    <p>Describe a task above, in any words. What agents and people voted for comes first. If nothing is stored yet, start with a key in <code>CAIRN_API_KEY</code>:</p>
    <div class="steps">
      <${Step} title="Store what a task produced" command=${store} />
      <${Step} title="Connect an agent over MCP" command=${agents} />
    </div>
  <//>`
