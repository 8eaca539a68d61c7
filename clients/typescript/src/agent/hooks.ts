import type { Cairn } from "../Cairn.ts"
import { variable } from "../environment.ts"
import { ServiceError } from "../errors.ts"
import type { Logger } from "../log.ts"
import { leveled } from "../log.ts"
import type { HookEvent, HookOutput } from "./events.ts"
import { Session, type SessionReport, type SessionSettings } from "./Session.ts"
import { environmentSecrets } from "./screen.ts"

/** What `cairnHooks` may be told. */
export interface CairnHooksOptions {
  /**
   * The folder that offered files are put into. What it holds of others stays: a snippet of that name gets another one.
   * Default: a new one in the system's temporary folder, removed at the end.
   */
  readonly cacheDir?: string | undefined
  /** Whether everybody may find what is uploaded; the service refuses files with secrets. Default: no. */
  readonly public?: boolean | undefined
  /** Where warnings go. Default: standard error. */
  readonly logger?: Logger | undefined
  /** Logs what is offered and delivered, too. */
  readonly debug?: boolean | undefined
  /** The session's environment; values of its secret variables are never sent. Default: the process's. */
  readonly env?: { readonly [name: string]: string | undefined } | undefined
  /** Hears of each success, after its files and votes were sent. */
  readonly onReport?: ((report: SessionReport) => void) | undefined
}

type Hook = (event: HookEvent) => Promise<HookOutput>

/** One entry of the agent SDK's option `hooks`. */
export interface CairnHookMatcher {
  /** The tools that it is for; all of them where it is left out. */
  matcher?: string
  /** Called with what happened. */
  hooks: Array<(event: HookEvent) => Promise<HookOutput>>
}

/** For the agent SDK's option `hooks`. */
export type CairnHooks = {
  [Name in
    | "UserPromptSubmit"
    | "PreToolUse"
    | "PostToolUse"
    | "PostToolUseFailure"
    | "Stop"
    | "StopFailure"
    | "SessionEnd"]: Array<CairnHookMatcher>
}

/** The hooks, and what they can't know: how the result says that the turn ended. */
export interface Observed {
  readonly hooks: CairnHooks
  readonly result: (sessionId: string, succeeded: boolean) => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * Sessions of one program that are kept: not all of them tell of their end. Beyond that those at rest are forgotten,
 * then those whose last turn failed, and begin anew when they speak again.
 */
const mostSessions = 32
/** The same of all, whatever they do: a turn that was left may never end. */
const mostAtOnce = 1_000
/**
 * Minutes after which a turn without an event counts as left, if there are more sessions than are kept. The model and a
 * command have ten each, unless the user says otherwise.
 */
const longestSilence = 20

/** A refusal's text may hold what was sent; its code does not. */
const reasonOf = (error: unknown): object => {
  if (error instanceof ServiceError && error.code) return { error: error.name, code: error.code }
  return { error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) }
}

/** `deliver`: at a turn's normal end, or only when its result is known. */
export const observe = (client: Cairn, options: CairnHooksOptions, deliver: "stop" | "result"): Observed => {
  const log = leveled(options.logger, options.debug ? "debug" : undefined, variable("CAIRN_LOG"))
  let warned = false
  let crowded = false
  const settings: SessionSettings = {
    client,
    log,
    cacheDir: options.cacheDir,
    public: options.public ?? false,
    secrets: environmentSecrets(options.env),
    warn: (what, error) => {
      const line = `${what}; the session goes on without.`
      if (warned) log.debug(line, reasonOf(error))
      else log.warn(line, reasonOf(error))
      warned = true
    }
  }
  /** The one that was longest without an event is first. */
  const sessions = new Map<string, Session>()
  const sessionOf = ({ session_id }: HookEvent): Session => {
    const known = sessions.get(session_id)
    if (known === undefined) makeRoom()
    const session = known ?? new Session(session_id, settings)
    session.heard = performance.now()
    sessions.delete(session_id)
    sessions.set(session_id, session)
    return session
  }
  const makeRoom = (): void => {
    for (const state of ["rests", "hasFailed"] as const) {
      for (const [id, session] of sessions) {
        if (sessions.size < mostSessions) return
        if (session[state]) forget(id)
      }
    }
    const since = performance.now() - longestSilence * 60_000
    for (const [id, { heard }] of sessions) {
      if (sessions.size < mostSessions) return
      if (heard <= since) giveUp(id, mostSessions, `one without an event for ${longestSilence} minutes`)
    }
    const [longest] = sessions.keys()
    if (sessions.size >= mostAtOnce) giveUp(longest!, mostAtOnce, "the one longest without an event")
  }
  const giveUp = (id: string, most: number, which: string): void => {
    const line = `More than ${most} sessions are under way; ${which} is given up.`
    if (crowded) log.debug(line)
    else log.warn(line)
    crowded = true
    forget(id)
  }
  const forget = (id: string): void => {
    ended(id).catch((error: unknown) => settings.warn("A session's folder could not be removed", error))
  }
  const succeeded = async (session: Session) => {
    const report = await session.succeeded()
    if (report) options.onReport?.(report)
  }
  const ended = async (id: string) => {
    const session = sessions.get(id)
    sessions.delete(id)
    await session?.cache.close()
  }

  /** Whatever goes wrong here must not reach the agent. */
  const contained =
    (run: (event: HookEvent) => Promise<HookOutput | undefined> | undefined): Hook =>
    async (event) => {
      try {
        return (await run(event)) ?? {}
      } catch (error) {
        settings.warn("A hook of the session failed", error)
        return {}
      }
    }
  const on = (
    run: (event: HookEvent, session: Session) => Promise<HookOutput | undefined> | undefined,
    matcher?: string
  ) => [{ ...(matcher === undefined ? {} : { matcher }), hooks: [contained((event) => run(event, sessionOf(event)))] }]
  const used = (worked: boolean) => (event: HookEvent, session: Session) => {
    session.used(event, worked)
    return undefined
  }

  return {
    hooks: {
      UserPromptSubmit: on(async (event, session) => {
        const additionalContext = await session.prompted(event)
        if (additionalContext === "") return undefined
        return { hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext } }
      }),
      // the cache folder lies outside of the session's own, where reading has to be allowed
      PreToolUse: on(async (event, session) => {
        if (!session.mayRead(event)) return undefined
        const permissionDecisionReason = "a snippet that was offered to this session"
        return {
          hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow", permissionDecisionReason }
        }
      }, "Read"),
      PostToolUse: on(used(true)),
      PostToolUseFailure: on(used(false)),
      Stop: on(async (event, session) => {
        await session.stopped(event)
        if (deliver === "stop") await succeeded(session)
        return undefined
      }),
      StopFailure: on((_, session) => {
        // the result of an earlier turn may not have been taken up yet
        if (deliver === "stop") session.failed()
        return undefined
      }),
      // of a session that is not kept nothing is to be ended, and none begins
      SessionEnd: [
        {
          hooks: [
            contained(async (event) => {
              if (deliver === "stop") await ended(event.session_id)
              return undefined
            })
          ]
        }
      ]
    },
    result: async (id, worked) => {
      try {
        const session = sessions.get(id)
        if (!worked) session?.failed()
        else if (session) await succeeded(session)
      } catch (error) {
        settings.warn("The session's result could not be taken up", error)
      }
    },
    close: async () => {
      for (const id of [...sessions.keys()]) await ended(id).catch(() => {})
    }
  }
}

/**
 * Hooks that give an agent session of your own what `CairnAgent` gives: for the agent SDK's option `hooks`. Each prompt
 * is searched for and what is found offered to the model; at the normal end of each turn the files that it made are
 * uploaded, and the snippets that it used are voted on. Nothing that fails here reaches the session.
 *
 * ```ts
 * query({ prompt, options: { hooks: cairnHooks(new Cairn()) } })
 * ```
 *
 * 32 sessions are kept, and more while their turns are under way or to be taken up: when another begins, those at rest
 * make room, then those whose last turn failed, each time the one longest without an event first. It loses its cache
 * folder, and begins anew when it goes on. So do, with one warning, those that were without an event for twenty
 * minutes, and of more than 1,000 the one longest without, whatever it does.
 */
export const cairnHooks = (client: Cairn, options: CairnHooksOptions = {}): CairnHooks =>
  observe(client, options, "stop").hooks
