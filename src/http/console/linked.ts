import { join } from "node:path"
import { rolldown } from "rolldown"

/**
 * Modules as one, without types: `entry`, a file's absolute path, and all that it leads to. Each file more costs a
 * browser several milliseconds before the first of them runs. Packages stay imports, by their names.
 */
export const linked = async (entry: string): Promise<string> => {
  const bundle = await rolldown({
    // each piece says of which file it is, as it is called from here
    cwd: join(import.meta.dirname, "../../.."),
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
