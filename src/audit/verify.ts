import { Effect } from "effect"
import { derivedId } from "#engine/derivedId.ts"
import { beginning, hasReached, isAfter, type Position } from "#engine/Position.ts"
import type { Projection } from "#engine/Projection.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import { type AuditedEvent, type Gap, LogAudit } from "#ports/LogAudit.ts"
import * as Codec from "#src/codec.ts"
import { type Finding, Findings } from "./findings.ts"
import { verifyWorkspaces } from "./verifyWorkspaces.ts"

/** What was looked at, and the first findings, by position. */
export interface Verified {
  /** The log's head when the look began. */
  readonly position: Position
  readonly events: number
  /** Texts beside the log. */
  readonly texts: number
  /** Events whose text was erased. */
  readonly erased: number
  /** Events without a digest. */
  readonly undigested: number
  readonly workspaces: number
  readonly commits: number
  /** Refs that a killed service has left behind their log; the next service moves them. */
  readonly refsBehind: number
  /** Whether git itself was asked too. */
  readonly fsck: boolean
  /** How many findings there are; `findings` has the first 100. */
  readonly found: number
  readonly findings: ReadonlyArray<Finding>
}

const page = 500
const workspaceEvents = new Set([
  "ChatCompleted",
  "ChatFailed",
  "WorkspaceRestored",
  "FilesChanged",
  "CommitsPushed",
  "WorkspaceErased"
])

/** Looks at events one after another; apart from `workspaces`, what it keeps does not grow with the log. */
class Walk {
  events = 0
  texts = 0
  erased = 0
  undigested = 0
  /** Ids of workspaces, the only thing that grows. */
  readonly workspaces = new Set<string>()
  #position = beginning
  #recordedAt = 0
  #command = ""
  #index = 0
  readonly #findings: Findings
  readonly #audit: LogAudit["Service"]
  readonly #oneClockBehind: Position | undefined

  constructor(findings: Findings, audit: LogAudit["Service"], oneClockBehind: Position | undefined) {
    this.#findings = findings
    this.#audit = audit
    this.#oneClockBehind = oneClockBehind
  }

  take(event: AuditedEvent): void {
    const gap = this.#audit.missingBetween(this.#position, event.position)
    if (gap !== undefined) this.#missing(gap)
    this.#order(event)
    this.#identity(event, gap?.count ?? 0)
    this.#content(event)
    this.#text(event)
    this.events += 1
    this.#position = event.position
    this.#recordedAt = event.recordedAt
  }

  /** Checks that the log goes on to its head. */
  end(head: Position): void {
    const gap = this.#audit.missingUpTo(this.#position, head)
    if (gap !== undefined) this.#missing(gap)
  }

  #missing({ first, last, count }: Gap): void {
    const which = count === 1 ? `position ${first} is` : `positions ${first} to ${last} are`
    this.#findings.add(first, "position", `${which} missing from the log`)
  }

  #order({ position, stream, revision, before, recordedAt }: AuditedEvent): void {
    if (revision > 0 && (before === null || hasReached(before, position))) {
      this.#findings.add(position, "revision", `${stream} has no revision ${revision - 1} before its ${revision}`)
    }
    const clock = this.#oneClockBehind
    if (clock !== undefined && isAfter(position, clock) && recordedAt < this.#recordedAt) {
      this.#findings.add(position, "time", "it was recorded before the event that precedes it")
    }
  }

  /** An event's id is made of its command's id and its place in it. Ids are unique, so no command is there twice. */
  #identity({ position, commandId, eventId }: AuditedEvent, missing: number): void {
    const first = commandId === this.#command ? this.#index + 1 : 0
    // missing events may have been this command's
    const last = Math.min(first + missing, first + 1_000)
    let index = first
    while (index < last && derivedId(commandId, index) !== eventId) index += 1
    if (derivedId(commandId, index) !== eventId) {
      this.#findings.add(position, "event_id", `its id ${eventId} is not that of its command ${commandId}`)
    }
    this.#command = commandId
    this.#index = index
  }

  #content(event: AuditedEvent): void {
    const { position, type, intact } = event
    if (intact === null) {
      if (this.undigested === this.events) this.undigested += 1
      else this.#findings.add(position, "digest", `${type} has lost its digest`)
    }
    if (intact === false) this.#findings.add(position, "digest", `${type} was changed since it was appended`)
    try {
      const { event: decoded } = Codec.decode({ ...event, payload: null })
      if (workspaceEvents.has(decoded._tag) && "workspace" in decoded) this.workspaces.add(decoded.workspace)
    } catch {
      this.#findings.add(position, "shape", `${type} version ${event.schemaVersion} can't be read`)
    }
  }

  #text({ position, tenant, type, data, hasText, text, erasedAt }: AuditedEvent): void {
    const tell = (message: string) => this.#findings.add(position, "text", `${type}: ${message}`)
    if (!hasText) {
      if (text !== null) tell("there is text beside it, and it came without")
      return
    }
    if (text === null) {
      this.erased += 1
      if (erasedAt === null) tell("its text is missing, and was not erased")
      return
    }
    this.texts += 1
    let said: { readonly subject?: unknown; readonly text?: unknown } = {}
    try {
      said = JSON.parse(data)
    } catch {
      // `#content` has told already that it can't be read
    }
    if (text.digest !== said.text) tell("its text is not the one that was appended")
    if (text.tenant !== tenant || text.subject !== said.subject) tell("its text lies under another's name")
    if (erasedAt !== null)
      tell(`its text was erased${erasedAt === "unknown" ? "" : ` at position ${erasedAt}`}, and is still there`)
  }
}

/** Looks at the log's events up to `head`, and adds what is wrong to `findings`. */
export const verifyLog = Effect.fnUntraced(function* (
  head: Position,
  findings: Findings,
  progress: (done: number, of: number, what: string) => void
) {
  const audit = yield* LogAudit
  const walk = new Walk(findings, audit, yield* audit.oneClockBehind)
  for (let after = beginning; isAfter(head, after); ) {
    const events = (yield* audit.read(after, page)).filter(({ position }) => hasReached(head, position))
    if (events.length === 0) break
    for (const event of events) walk.take(event)
    after = events.at(-1)!.position
    progress(after, head, "log")
  }
  walk.end(head)
  const strays = yield* audit.strays
  if (strays > 0) findings.add(null, "text", `${strays} texts beside the log belong to no event`)
  return walk
})

/**
 * Looks at all that is stored, up to the log's present head: whether the log has no gap and is as it was appended,
 * every text is its event's, and git has what the log names. May run beside a service.
 */
export const verify = Effect.fnUntraced(function* (
  projections: ReadonlyArray<Projection>,
  progress: (done: number, of: number, what: string) => void
) {
  const audit = yield* LogAudit
  const models = yield* ReadModels
  const { head: end } = yield* EventStore
  const head = yield* end
  const checkpoints = yield* models.checkpoints(projections)
  const findings = new Findings()
  const walk = yield* verifyLog(head, findings, progress)
  // only the read models' checkpoints show that a log was cut at its end
  for (const [name, { position }] of checkpoints) {
    if (isAfter(position, head)) {
      const first = audit.missingUpTo(head, position)?.first ?? position
      findings.add(first, "position", `the log ends at ${head}, and the read model ${name} has taken in ${position}`)
    }
  }
  const git = yield* verifyWorkspaces(walk.workspaces, findings, progress)
  const { events, texts, erased, undigested } = walk
  const last = Number.MAX_SAFE_INTEGER
  const verified: Verified = {
    position: head,
    events,
    texts,
    erased,
    undigested,
    ...git,
    found: findings.count,
    findings: findings.first.toSorted((a, b) => (a.position ?? last) - (b.position ?? last))
  }
  return verified
})
