import { rolldown } from "rolldown"

/**
 * Modules as one, without types: `entry`, a file's absolute path, and all that it leads to. Each file more costs a
 * browser several milliseconds before the first of them runs. Packages are imported by their names, as before.
 */
export const linked = async (entry: string): Promise<string> => {
  const bundle = await rolldown({
    input: entry,
    platform: "browser",
    external: /^(?![./]|[A-Za-z]:[\\/])/,
    tsconfig: false
  })
  try {
    const { output } = await bundle.generate({ comments: false, codeSplitting: false })
    return output[0].code
  } finally {
    await bundle.close()
  }
}
