import { join } from "node:path"
import { rolldown } from "rolldown"

/**
 * One module without types of `entry`, a path in the project's folder, and all that it imports; each piece says which
 * file it is from. Each further file costs a browser several milliseconds before the first one runs. Packages stay
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
