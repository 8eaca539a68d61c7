interface WithProcess {
  readonly process?: { readonly env?: { readonly [name: string]: string | undefined } }
}

/**
 * A variable of the environment; `undefined` when it is unset, empty, or not to be read (Deno without `--allow-env`, a
 * browser).
 */
export const variable = (name: string): string | undefined => {
  try {
    return (globalThis as WithProcess).process?.env?.[name]?.trim() || undefined
  } catch {
    return undefined
  }
}
