import type { Tracer } from "effect"
import type { TelemetrySettings } from "#ports/TelemetrySettings.ts"

/** Which traces are kept: a share of those that begin here; the callers' as they say, unless that is not to count. */
export const sampling =
  ({ byParent, ratio }: TelemetrySettings["sampling"], random: () => number = Math.random) =>
  (caller: Tracer.ExternalSpan | undefined): boolean =>
    caller !== undefined && byParent ? caller.sampled : random() < ratio
