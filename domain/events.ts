import type { Upcast } from "#engine/codec.ts"
import { BoundsEvent } from "./Bounds.ts"
import { BundleEvent } from "./Bundle.ts"
import { ChatEvent } from "./Chat.ts"
import { ExecutionEvent } from "./Execution.ts"
import { unlimited } from "./Key.ts"
import { OrganizationEvent } from "./Organization/events.ts"
import { PrintedEvent } from "./Printed.ts"
import { RetrievalEvent } from "./Retrieval.ts"
import { SlugEvent } from "./Slug.ts"
import { SnippetEvent } from "./Snippet/events.ts"
import { UsageEvent } from "./Usage.ts"
import { UserEvent } from "./User.ts"
import { WorkspaceEvent } from "./Workspace/events.ts"

/** Every event that the log can hold. */
export type DomainEvent =
  | OrganizationEvent
  | SlugEvent
  | UserEvent
  | SnippetEvent
  | BundleEvent
  | WorkspaceEvent
  | ChatEvent
  | ExecutionEvent
  | PrintedEvent
  | RetrievalEvent
  | UsageEvent
  | BoundsEvent

export type EventType = DomainEvent["_tag"]
export type EventOf<T extends EventType> = Extract<DomainEvent, { readonly _tag: T }>

/** The schema of each event's current version, by the name that the log has for its type. */
export const eventSchemas = {
  ...OrganizationEvent.cases,
  ...SlugEvent.cases,
  ...UserEvent.cases,
  ...SnippetEvent.cases,
  ...BundleEvent.cases,
  ...WorkspaceEvent.cases,
  ...ChatEvent.cases,
  ...ExecutionEvent.cases,
  ...PrintedEvent.cases,
  ...RetrievalEvent.cases,
  ...UsageEvent.cases,
  ...BoundsEvent.cases
} as const

/**
 * Event types that have changed. `upcasts[0]` reads version 1 as version 2, and so on, so a type's current version is
 * one more than its number of upcasts. A new meaning needs a new type instead.
 */
export const upcasts: { readonly [T in EventType]?: ReadonlyArray<Upcast> } = {
  // before, a key's role was its only bound, and every key worked in all workspaces of its tenant
  KeyCreated: [
    ({ text, ...fields }) => ({
      ...fields,
      ...unlimited,
      text: text === null ? null : { ...(text as object), userId: null }
    })
  ],
  ModelTurned: [
    // before, only the request named a model, by an alias
    (fields) => ({ ...fields, model: null }),
    // before, tokens of a prompt cache were counted as input alone
    (fields) => ({ ...fields, cacheReadTokens: 0, cacheWriteTokens: 0 })
  ],
  // before, no run was cancelled: an older process must not take that code for one it knows
  ChatFailed: [(fields) => fields],
  // before, storage was not bounded
  BoundsSet: [(fields) => ({ ...fields, snippets: null, repositoryBytes: null })],
  // before, neither the agent nor the home of a comment was recorded
  CommentAdded: [
    ({ text, ...fields }) => ({
      ...fields,
      home: null,
      text: text === null ? null : { ...(text as object), agent: null }
    })
  ],
  SnippetDeleted: [
    // before, comments had no subject of their own
    (fields) => ({ ...fields, comments: [] }),
    // before, executions had none
    (fields) => ({ ...fields, executions: [] }),
    // before, logs had none
    (fields) => ({ ...fields, logs: [] })
  ],
  // before, log files had their bundle's subject
  UploadErased: [(fields) => ({ ...fields, logs: false })]
}

/** The version that events of a type are written in now, from 1. */
export const currentVersion = (type: EventType): number => (upcasts[type]?.length ?? 0) + 1
