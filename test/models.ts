import type { ModelSettings } from "#ports/ModelSettings.ts"
import { readModels } from "#src/config/models.ts"

/** The models that an environment says. */
export const modelsOf = (environment: { readonly [name: string]: string } = {}): ModelSettings =>
  readModels((name) => environment[name])

/** Those of a stand-in of the Messages API. */
export const modelsAt = ({ url, key }: { readonly url: string; readonly key: string }): ModelSettings =>
  modelsOf({ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url })
