import type { Tracer } from "effect"
import type { TelemetrySettings } from "#ports/TelemetrySettings.ts"

/** Whether a trace is kept: with `byParent`, a caller's trace as the caller says; of all others, a share. */
export const sampling =
  ({ byParent, ratio }: TelemetrySettings["sampling"], random: () => number = Math.random) =>
  (caller: Tracer.ExternalSpan | undefined): boolean =>
    caller !== undefined && byParent ? caller.sampled : random() < ratio
