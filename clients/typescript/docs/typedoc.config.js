import { OptionDefaults } from "typedoc"

/** How the reference is written. Anything public without a description, and any link that leads nowhere, fails it. */
export default {
  name: "cairn-client",
  includeVersion: true,
  readme: "../README.md",
  tsconfig: "../tsconfig.json",
  entryPoints: ["../src/index.ts", "../src/agent/index.ts", "../src/compat/index.ts", "../src/compat/agent.ts"],
  out: "reference",
  disableSources: true,
  excludeInternal: true,
  excludePrivate: true,
  // the agent SDK has a reference of its own
  excludeExternals: true,
  githubPages: false,
  sortEntryPoints: false,
  // options and fields in the order in which they were written down
  sort: ["kind", "source-order"],
  plugin: ["./categories.js"],
  categorizeByGroup: false,
  categoryOrder: ["Client", "Snippets", "Workspaces", "Administration", "*", "Errors", "The service itself"],
  navigation: { includeCategories: true, includeGroups: false, includeFolders: false },
  // what tells the compiler that a type may be missing tells readers nothing
  blockTags: [...OptionDefaults.blockTags, "@ts-ignore"],
  excludeTags: [...OptionDefaults.excludeTags, "@ts-ignore"],
  treatWarningsAsErrors: true,
  validation: { notExported: true, invalidLink: true, rewrittenLink: true, notDocumented: true }
}
