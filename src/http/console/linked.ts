import { join } from "node:path"
import { rolldown } from "rolldown"

/**
 * Modules as one, without types: `entry`, a path in the project's folder, and all that it leads to; each piece says of
 * which file it is. Each file more costs a browser several milliseconds before the first of them runs. Packages stay
 * imports, by their names.
 */
export const linked = async (project: string, entry: string): Promise<string> => {
  const bundle = await rolldown({
    cwd: project,
    input: join(project, entry),
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
