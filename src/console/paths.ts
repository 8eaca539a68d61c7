/** The console's pages: the paths that a browser may ask the service for, and the page of each. */
export const pages = {
  overview: "/overview",
  search: "/search",
  snippet: "/snippets/:id",
  workspaces: "/workspaces",
  workspace: "/workspaces/:id",
  files: "/workspaces/:id/files",
  commit: "/workspaces/:id/commits/:sha",
  compare: "/workspaces/:id/compare",
  chat: "/chat",
  run: "/runs/:id",
  events: "/events",
  event: "/events/:position",
  people: "/people",
  usage: "/usage",
  readModels: "/read-models",
  asOf: "/read-models/as-of/:position",
  backups: "/backups"
} as const

export type PageName = keyof typeof pages
export type Parameters = { readonly [name: string]: string }

const decoded = (part: string): string | undefined => {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}

const parametersIn = (pattern: string, path: string): Parameters | undefined => {
  const wanted = pattern.split("/")
  const given = path.split("/")
  if (wanted.length !== given.length) return undefined
  const found: { [name: string]: string } = {}
  for (const [index, part] of wanted.entries()) {
    const value = decoded(given[index]!)
    if (value === undefined || value === "") {
      if (part !== given[index]) return undefined
    } else if (part.startsWith(":")) found[part.slice(1)] = value
    else if (part !== value) return undefined
  }
  return found
}

/** The page at a path; `/` is where a visit begins. */
export const pageAt = (path: string): { readonly page: PageName; readonly parameters: Parameters } | undefined => {
  if (path === "/") return { page: "search", parameters: {} }
  for (const [page, pattern] of Object.entries(pages)) {
    const parameters = parametersIn(pattern, path.replace(/\/$/, ""))
    if (parameters !== undefined) return { page: page as PageName, parameters }
  }
  return undefined
}
