export const skillUri = "cairn://skill.md"
export const workspacesUri = "cairn://workspaces"

/** Where a list of a workspace's files is to be read. */
export const filesUri = (workspace: string): string => `${workspacesUri}/${workspace}/files`

/** Where a workspace's file is to be read: each part of a template's variable is encoded, slashes too. */
export const fileUri = (workspace: string, path: string): string => `${filesUri(workspace)}/${encodeURIComponent(path)}`

/** Where all of a snippet is to be read. */
export const snippetUri = (id: string): string => `cairn://snippets/${id}`

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return ""
  }
}

/** Whose file a URI names, of a kind of things that have files; slashes may stand in its path as they are. */
export const fileOf = (uri: string) => {
  const [, id = "", rest = ""] = /^cairn:\/\/\w+\/([^/]+)\/files\/(.+)$/s.exec(uri) ?? []
  const path = decoded(rest)
  return path === "" ? undefined : { id: decoded(id), path }
}

/** The id that a URI has; `""`: it is none that could be decoded. */
export const idOf = (uri: string): string => decoded(/^cairn:\/\/\w+\/([^/]+)/.exec(uri)?.[1] ?? "")
