import type { Role } from "../Key.ts"

/** Who may do an operation, and what bounds it. */
export interface Access {
  /** The least role that may; `anyone` needs no key at all. */
  readonly least: Role | "anyone"
  /** A key that only reads is refused what writes. */
  readonly does: "reads" | "writes"
  /** What the key's tenant must be: an organization, one of the tier ENTERPRISE, or the operator's own. */
  readonly needs?: "organization" | "ENTERPRISE" | "operator"
  /**
   * `workspaces`: only in those that the key works in. `stored`: only what its person stored, unless it acts for any.
   */
  readonly within?: "workspaces" | "stored"
  /** `any`: refused to a key that acts only for its own person, because it reaches beyond that person's workspaces. */
  readonly actsFor?: "any"
  /** Whether it stops, shuts out or removes something, which is allowed even while a disk is nearly full. */
  readonly takesAway?: true
}

const anyone = { least: "anyone", does: "reads" } as const
const reads = { least: "reader", does: "reads" } as const
const writes = { least: "member", does: "writes" } as const
const readsWorkspaces = { ...reads, within: "workspaces" } as const
const writesWorkspaces = { ...writes, within: "workspaces" } as const
const deletes = { ...writes, within: "stored", takesAway: true } as const
const audits = { least: "admin", does: "reads" } as const
const lists = { least: "admin", does: "reads", needs: "ENTERPRISE" } as const
const manages = { least: "admin", does: "writes", needs: "ENTERPRISE" } as const
/** For operations that make a key with a wider reach, or tell what everybody did. */
const forAny = { actsFor: "any" } as const

/**
 * The one table of who may do what: every operation of the API by its id, git's and MCP's. Nobody may do what is not in
 * it. `docs/access.md` says the same to people.
 */
export const operations = {
  "chat.chat": writesWorkspaces,
  "chat.models": reads,
  "runs.run": readsWorkspaces,
  "runs.listRuns": readsWorkspaces,
  "runs.turns": readsWorkspaces,
  "runs.turn": readsWorkspaces,
  "runs.cancel": { ...writesWorkspaces, takesAway: true },
  "workspaces.listWorkspaces": readsWorkspaces,
  "workspaces.workspace": readsWorkspaces,
  "workspaces.commits": readsWorkspaces,
  "workspaces.commit": readsWorkspaces,
  "workspaces.compare": readsWorkspaces,
  "workspaces.tree": readsWorkspaces,
  "workspaces.file": readsWorkspaces,
  "git.fetch": readsWorkspaces,
  "workspaces.openWorkspace": writesWorkspaces,
  "workspaces.putFile": writesWorkspaces,
  "workspaces.deleteFile": writesWorkspaces,
  "workspaces.unpackArchive": writesWorkspaces,
  "git.push": writesWorkspaces,
  "workspaces.restoreWorkspace": writesWorkspaces,
  "workspaces.eraseWorkspace": { least: "admin", does: "writes", within: "workspaces", takesAway: true },

  "snippets.search": reads,
  "snippets.retrievals": { ...audits, ...forAny },
  "snippets.upload": writes,
  "snippets.storeCodeBlock": writes,
  "snippets.vote": writes,
  "snippets.delete": deletes,
  "snippets.deleteCodeBlock": deletes,
  "uploads.bulkUpload": writes,
  "uploads.gradingStatus": reads,
  "repos.storeRepo": writes,
  "repos.repo": reads,
  "raw.searchLogs": reads,
  "raw.rawSnippet": reads,
  "comments.listComments": reads,
  "comments.addComment": writes,
  "comments.deleteComment": deletes,
  "patterns.taskPatterns": reads,
  "patterns.fewShotExamples": reads,
  "functions.functionHistory": reads,
  "functions.snippetFunctions": reads,
  "executions.recordExecution": writes,
  "executions.autoReview": writes,
  "executions.executions": reads,

  "usage.usage": reads,
  "usage.bounds": reads,
  "usage.setBounds": { least: "admin", does: "writes", needs: "organization" },

  "access.access": reads,
  "keys.createKey": { ...manages, ...forAny },
  "keys.listKeys": lists,
  "keys.limitKey": { ...manages, ...forAny },
  "keys.revokeKey": { ...manages, takesAway: true },
  "organization.organization": { ...reads, needs: "organization" },
  "organization.rename": { least: "admin", does: "writes", needs: "organization" },
  "organization.erase": { least: "owner", does: "writes", needs: "organization", ...forAny, takesAway: true },
  "erasures.erasure": anyone,
  "users.listUsers": { ...audits, needs: "organization" },
  "users.changeRole": manages,
  "users.eraseUser": { least: "admin", does: "writes", needs: "organization", takesAway: true },
  "events.events": { ...audits, ...forAny },
  "events.event": { ...audits, ...forAny },
  "events.newestEvents": { ...audits, ...forAny },
  "events.eventStream": { ...audits, ...forAny },
  "activity.activity": { ...audits, ...forAny },
  "service.status": { least: "owner", does: "reads", needs: "operator", ...forAny },
  "service.requests": { least: "owner", does: "reads", needs: "operator", ...forAny },
  "replays.replays": { least: "owner", does: "reads", needs: "operator", ...forAny },
  "replays.replay": { least: "owner", does: "writes", needs: "operator", ...forAny },
  "replays.cancelReplay": { least: "owner", does: "writes", needs: "operator", ...forAny, takesAway: true },
  "asOf.asOfs": { least: "owner", does: "reads", needs: "operator", ...forAny },
  "asOf.makeAsOf": { least: "owner", does: "writes", needs: "operator", ...forAny },
  "asOf.dropAsOf": { least: "owner", does: "writes", needs: "operator", ...forAny, takesAway: true },
  "asOf.asOfRows": { least: "owner", does: "reads", needs: "operator", ...forAny },
  "backups.backup": { least: "owner", does: "reads", needs: "operator", ...forAny },

  "mcp.messages": reads,
  "signIn.exchange": anyone,
  "public.listPublic": anyone,
  "public.searchPublic": anyone,
  "system.health": anyone,
  "system.ready": anyone,
  "system.skill": anyone
} as const satisfies { readonly [operation: string]: Access }

export type Operation = keyof typeof operations
