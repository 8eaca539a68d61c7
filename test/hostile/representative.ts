/**
 * One or two attacks of each kind, the quickest that show it: what `npm test` runs. `CAIRN_LONG=1` runs all.
 */
export const representative: ReadonlySet<string> = new Set([
  // what is parsed
  "a map of 300,000 votes for files that are not there",
  "millions of brackets",
  "32 MiB of numbers of a thousand digits",
  "30 MiB that is one string without an end",
  "large bodies for routes that take small ones",
  "bodies that are not what their headers say",
  "MCP: a batch of a hundred thousand calls",
  "a repository of 200 files, each as deep in folders as may be",
  // what is derived from a text
  "a source: combining marks in a file",
  "a source: a million words",
  "a source: JSDoc of blanks",
  "a source: classes in classes",
  "a log: errors without number",
  "a log: telemetry of functions without number",
  "a task of half a megabyte, of each kind",
  "names that have no room in an index of the database",
  "Python: brackets",
  "Python: one token of a megabyte",
  // what is read back
  "runs whose data is brackets, line breaks, or too much",
  // tools, and what they leave
  "a diff of files that share every line in another order",
  "Edit: a file that grows to gigabytes",
  "Write: 30 files of four megabytes in one turn",
  "Write: paths without number and end",
  "Bash: strings that double",
  "tools that do not exist, with input of every kind",
  // git
  "four half-sent fetches, and a clone beside them",
  // connections, and answers that nobody takes
  "200 bodies that never end",
  "500 heads that never end",
  "requests that are no HTTP",
  "a thousand requests on one connection, unread",
  "50 MCP sessions that call and never read",
  // the start, with what the others left
  "a start with all of these workspaces"
])
