import { onlyGit } from "./commands.ts"
import { commandOf, goesOn, type HookEvent } from "./events.ts"
import type { Moment } from "./timeline.ts"
import type { Runs } from "./usage.ts"

/**
 * Tools that change no file, or name the one that they change; those that start agents, whose own tools are seen, too.
 * What else runs may change anything.
 */
const namesItsFile = new Set([
  ...["Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "Glob", "Grep", "LS", "TodoWrite", "WebFetch", "WebSearch"],
  ...[
    "AskUserQuestion",
    "EnterPlanMode",
    "ExitPlanMode",
    "ToolSearch",
    "Skill",
    "Agent",
    "Task",
    "TaskOutput",
    "TaskStop"
  ],
  ...["TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "BashOutput", "KillShell", "SendMessage"]
])

/** Milliseconds since 1970. */
export interface Span {
  readonly from: number
  /** `Infinity`: it goes on. */
  readonly to: number
}

/**
 * The time that a tool took which may have changed any file: what changed at another time was somebody else's doing.
 */
export const spansOf = (event: HookEvent, { from, now }: Moment): ReadonlyArray<Span> => {
  if (namesItsFile.has(event.tool_name ?? "") || onlyGit(commandOf(event) ?? "")) return []
  return [{ from, to: goesOn(event) ? Number.POSITIVE_INFINITY : now }]
}

/**
 * Whether a file's time lies in one of them. File systems are somewhat behind the clock, and some know whole seconds
 * only.
 */
export const isDuring = (spans: ReadonlyArray<Span>, time: number): boolean => {
  const behind = time % 1_000 === 0 ? 2_000 : 20
  return spans.some(({ from, to }) => from - behind <= time && Math.floor(time) <= to)
}

/** Those that go on after a turn, if it says that something does. */
export const openOf = (spans: ReadonlyArray<Span>, { background_tasks: running }: HookEvent): ReadonlyArray<Span> =>
  Array.isArray(running) && running.length > 0 ? spans.filter(({ to }) => to === Number.POSITIVE_INFINITY) : []

/** What happened since the last success: a turn that fails may be taken up by the next. */
export interface Happened {
  readonly prompts: ReadonlyArray<string>
  /** Files that tools named, as absolute paths. */
  readonly named: ReadonlyArray<string>
  readonly spans: ReadonlyArray<Span>
  readonly runs: Runs
  readonly log: ReadonlyArray<string>
}

export const nothing: Happened = { prompts: [], named: [], spans: [], runs: new Map(), log: [] }

export const both = (first: Happened, then: Happened): Happened => ({
  prompts: [...first.prompts, ...then.prompts],
  named: [...first.named, ...then.named],
  spans: [...first.spans, ...then.spans],
  runs: new Map([...first.runs, ...then.runs]),
  log: [...first.log, ...then.log]
})
