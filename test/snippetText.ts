/** What a snippet's text says besides what is asked for. */
export const nothingMore = {
  description: "",
  languageVersion: null,
  dependencies: {},
  tags: [],
  capabilities: [],
  inputSchema: {},
  outputSchema: {},
  exampleQueries: [],
  externalId: null,
  workspace: null,
  agent: null,
  task: null,
  logs: null
}
