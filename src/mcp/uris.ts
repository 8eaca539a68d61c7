export const skillUri = "cairn://skill.md"
export const workspacesUri = "cairn://workspaces"

/** The URI of the list of a workspace's files. */
export const filesUri = (workspace: string): string => `${workspacesUri}/${workspace}/files`

/** The URI of a workspace's file: a template's variable is encoded whole, slashes too. */
export const fileUri = (workspace: string, path: string): string => `${filesUri(workspace)}/${encodeURIComponent(path)}`

/** The URI of a whole snippet. */
export const snippetUri = (id: string): string => `cairn://snippets/${id}`

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return ""
  }
}

/** The owner's id and the path of the file that a URI names; slashes in the path may be encoded or not. */
export const fileOf = (uri: string) => {
  const [, id = "", rest = ""] = /^cairn:\/\/\w+\/([^/]+)\/files\/(.+)$/s.exec(uri) ?? []
  const path = decoded(rest)
  return path === "" ? undefined : { id: decoded(id), path }
}

/** The id in a URI; `""`: there is none, or it can't be decoded. */
export const idOf = (uri: string): string => decoded(/^cairn:\/\/\w+\/([^/]+)/.exec(uri)?.[1] ?? "")
