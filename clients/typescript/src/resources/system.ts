import type { Result } from "../Result.ts"
import { type Call, json, text } from "../request.ts"

/** What `health` gives. */
export interface Health extends Result {
  /** `healthy`: the process answers. */
  readonly status: string
}

/** Snippets that are stored and not found by all that they say. */
export interface LeftOut {
  /** Snippets that are found by part of their text, or not at all. */
  readonly count: number
  /** The ids of 20 of them at most. */
  readonly snippets: ReadonlyArray<string>
}

/** What `ready` gives. */
export interface Readiness extends Result {
  /** `ready`, `starting`: a read model still catches up; `failing`: one has stopped. */
  readonly status: "ready" | "starting" | "failing"
  /** Each read model's name to `ok`, `behind`, or why it stopped. */
  readonly readModels: { readonly [name: string]: string }
  /** No reason not to serve. */
  readonly leftOut: LeftOut
}

export const health: Call<Health> = {
  method: "GET",
  path: "/health",
  open: true,
  answer: json(({ status }: Health) => ({ status }))
}

interface ReadinessWire {
  readonly status: Readiness["status"]
  readonly read_models: { readonly [name: string]: string }
  readonly left_out?: LeftOut
}

/** A 503 with a report is what was asked for; any other comes from somebody in between. */
const isReport = (status: number, body: string): boolean => status === 503 && body.includes('"read_models"')

export const ready: Call<Readiness> = {
  method: "GET",
  path: "/ready",
  open: true,
  accepts: isReport,
  answer: json(({ status, read_models, left_out = { count: 0, snippets: [] } }: ReadinessWire) => ({
    status,
    readModels: { ...read_models },
    leftOut: { count: left_out.count, snippets: left_out.snippets }
  }))
}

export const skill: Call<string> = { method: "GET", path: "/skill.md", open: true, answer: text }
