import { accessSync, constants } from "node:fs"
import { SandboxUnusable } from "./SandboxUnusable.ts"

/** Programs are looked for in the system's folders only, whatever the service's PATH says. */
const systemFolders = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"]

const packages = {
  bwrap: "bubblewrap",
  setpriv: "util-linux",
  unshare: "util-linux",
  nsenter: "util-linux",
  prlimit: "util-linux",
  mount: "mount",
  bash: "bash",
  find: "findutils",
  xargs: "findutils",
  tar: "tar"
}

export type Tools = { readonly [name in keyof typeof packages]: string }

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * The paths of the programs that the sandbox needs. Throws `SandboxUnusable` when one is missing, or the system is not
 * Linux.
 */
export const findTools = (folders: ReadonlyArray<string> = systemFolders): Tools => {
  if (process.platform !== "linux") {
    throw new SandboxUnusable({ message: "CAIRN_SANDBOX=bubblewrap needs Linux; use just-bash here.", passes: false })
  }
  const found = Object.entries(packages).map(([name, from]) => {
    const path = folders.map((folder) => `${folder}/${name}`).find(isProgram)
    if (path === undefined) {
      throw new SandboxUnusable({
        message: `CAIRN_SANDBOX=bubblewrap needs ${name}: install it (Debian: apt-get install ${from}), or use just-bash.`,
        passes: false
      })
    }
    return [name, path]
  })
  return Object.fromEntries(found) as Tools
}

/** Owns no file and no process of the host, unlike the user `nobody`, who may. */
const uid = 65533

/**
 * Closes what the service's runtime left open, and clears what it put into the environment. bubblewrap hands on both,
 * and its own files and environment can be read in the sandbox.
 */
const bare = (kept: number): string =>
  `for fd in /proc/self/fd/*; do fd=\${fd##*/}; if [ "$fd" -gt ${kept} ]; then eval "exec $fd>&-"; fi; done; exec -c "$@"`

/**
 * Starts a program with nothing of the service but file descriptors up to `kept`, and with no way to more rights: as a
 * user who owns nothing if the service is root, otherwise as the service's own user. So bubblewrap itself has no power
 * that a fault in it could give away.
 */
export const unprivileged = ({ bash, setpriv }: Tools, kept = 2): ReadonlyArray<string> => [
  ...[bash, "--norc", "--noprofile", "-c", bare(kept), "bash"],
  ...(process.getuid?.() === 0
    ? [
        ...[setpriv, `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"],
        ...["--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"]
      ]
    : [setpriv, "--no-new-privs"])
]
