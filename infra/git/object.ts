/** What an object of a repository is. */
export type ObjectType = "blob" | "tree" | "commit" | "tag"

export interface StoredObject {
  readonly type: ObjectType
  readonly content: Uint8Array
}
