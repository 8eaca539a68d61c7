import { readFileSync } from "node:fs"
import type { Cairn } from "../../clients/typescript/src/index.ts"

const files = [
  {
    task: "parse a CSV file into rows",
    path: "csv_rows.py",
    content:
      'import csv\n\n\ndef csv_rows(path):\n    """Reads the rows of a CSV file."""\n    with open(path, newline="") as file:\n        return list(csv.reader(file))\n',
    logs: "read 40 rows of may.csv"
  },
  {
    task: "read a TSV file into dictionaries",
    path: "read_tsv.py",
    content:
      'import csv\n\n\ndef read_tsv(path):\n    """Reads a TSV file: a dictionary for each row, by the names of its first line."""\n    with open(path, newline="") as file:\n        return list(csv.DictReader(file, delimiter="\\t"))\n\n\ndef columns(rows):\n    return list(rows[0]) if rows else []\n',
    logs: "12 columns"
  },
  {
    task: "retry a request with growing pauses",
    path: "retry.ts",
    content:
      "/** Tries again after pauses that double, up to so many times. */\nexport const retry = async <T>(attempt: () => Promise<T>, most = 4): Promise<T> => {\n  for (let tries = 0; ; tries++) {\n    try {\n      return await attempt()\n    } catch (error) {\n      if (tries === most) throw error\n      await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** tries))\n    }\n  }\n}\n",
    logs: "4 tries"
  },
  {
    task: "group log lines by hour",
    path: "by_hour.sql",
    content:
      "SELECT date_trunc('hour', at) AS hour, count(*) AS lines\nFROM log\nWHERE at > now() - interval '1 day'\nGROUP BY hour\nORDER BY hour;\n",
    logs: "24 rows"
  },
  {
    task: "convert CSV to JSON lines",
    path: "to_jsonl.go",
    content:
      'package main\n\nimport (\n\t"encoding/csv"\n\t"encoding/json"\n\t"os"\n)\n\nfunc main() {\n\trows, err := csv.NewReader(os.Stdin).ReadAll()\n\tif err != nil {\n\t\tpanic(err)\n\t}\n\tout := json.NewEncoder(os.Stdout)\n\tfor _, row := range rows[1:] {\n\t\tline := map[string]string{}\n\t\tfor at, name := range rows[0] {\n\t\t\tline[name] = row[at]\n\t\t}\n\t\t_ = out.Encode(line)\n\t}\n}\n',
    logs: "wrote 39 lines"
  }
]

/** A store as some days of work leave it: snippets with votes and runs, and a workspace with a history. */
export const fill = async (cairn: Cairn) => {
  for (const { task, path, content, logs } of files)
    await cairn.upload({ task, fileWritten: { path, content }, succeeded: true, userVote: 1, executionLogs: logs })
  const { matches } = await cairn.search({ task: files[0]!.task })
  const { id } = matches[0]!.codeBlock
  for (const task of ["read the rows of orders.csv", "load a table of prices"])
    await cairn.voteCodeSnip({ codeBlockId: id, task, succeeded: true })
  const run = { codeBlockId: id, triggeringTask: "read may.csv" }
  await cairn.executions.record({
    ...run,
    inputData: { path: "may.csv" },
    outputData: [["day", "rain"]],
    durationMs: 12
  })
  await cairn.executions.record({
    ...run,
    inputData: { path: "june.csv" },
    outputData: null,
    executionState: "errored",
    errorType: "FileNotFoundError",
    errorMessage: "No such file: june.csv"
  })
  const { workspaceId } = await cairn.workspaces.open({ org: "acme", user: "ada" })
  const put = (path: string, content: string) => cairn.workspaces.putFile(workspaceId, path, content)
  await put("README.md", "# Weather\n\nRain by day, out of the station's files.\n")
  await put(
    "weather/rain.py",
    "import csv\n\n\ndef rain(path):\n    with open(path) as file:\n        return list(csv.reader(file))\n"
  )
  await put("weather/data/may.csv", "day,rain\n1,0.4\n2,0\n3,12.1\n")
  await put(
    "weather/rain.py",
    'import csv\n\n\ndef rain(path):\n    """Rain by day, in millimetres."""\n    with open(path, newline="") as file:\n        return {row["day"]: float(row["rain"]) for row in csv.DictReader(file)}\n\n\ndef wettest(days):\n    return max(days, key=days.get)\n'
  )
  await put(
    "weather/icon.png",
    new TextDecoder("latin1").decode(readFileSync(new URL("../data/README.md", import.meta.url)).subarray(0, 40)) +
      "\0\0\0"
  )
  await cairn.chat("parse a CSV file into rows", { user: "ada", org: "acme", model: "local" })
  await cairn.workspaces.open({ org: "acme", user: "grace" })
  return { snippet: id, workspace: workspaceId }
}
