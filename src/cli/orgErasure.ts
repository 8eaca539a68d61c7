import { counted } from "#src/counted.ts"

/** How far an erasure is, as the service writes it. */
export interface ErasureRow {
  readonly organization_id: string
  readonly state: "erasing" | "erased"
  readonly begun_at: string
  readonly ended_at: string | null
  readonly erased: Readonly<Record<"members" | "keys" | "snippets" | "workspaces" | "commits" | "chats", number>>
  readonly left: { readonly snippets: number; readonly workspaces: number }
  readonly position: string
}

/** How far an erasure is, as lines for people. */
export const erasureLines = ({ organization_id, state, begun_at, ended_at, erased, left, position }: ErasureRow) => [
  `Organization ${organization_id}: erased at ${begun_at}; ${counted(erased.keys, "key")} of ${counted(erased.members, "member")} revoked.`,
  `Gone: ${counted(erased.snippets, "snippet")}, ${counted(erased.workspaces, "workspace")} with ${counted(erased.commits, "commit")} and ${counted(erased.chats, "chat")}.`,
  state === "erased"
    ? `All of it was gone at ${ended_at}. (position ${position})`
    : `Still there: ${counted(left.snippets, "snippet")}, ${counted(left.workspaces, "workspace")}.`
]
