import type { Result } from "../Result.ts"
import { type Call, json, text } from "../request.ts"

/** What `health` gives. */
export interface Health extends Result {
  /** `healthy`: the process answers. */
  readonly status: string
}

/** What `ready` gives. */
export interface Readiness extends Result {
  /** `ready`, `starting`: a read model still catches up; `failing`: one has stopped. */
  readonly status: "ready" | "starting" | "failing"
  /** Each read model's name to `ok`, `behind`, or why it stopped. */
  readonly readModels: { readonly [name: string]: string }
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
}

/** A 503 with a report is what was asked for; any other comes from somebody in between. */
const isReport = (status: number, body: string): boolean => status === 503 && body.includes('"read_models"')

export const ready: Call<Readiness> = {
  method: "GET",
  path: "/ready",
  open: true,
  accepts: isReport,
  answer: json(({ status, read_models }: ReadinessWire) => ({ status, readModels: { ...read_models } }))
}

export const skill: Call<string> = { method: "GET", path: "/skill.md", open: true, answer: text }
