import { lstatSync, readlinkSync } from "node:fs"

/** On a host without merged /usr, these are folders of their own. */
const besideUsr = ["bin", "sbin", "lib", "lib32", "lib64", "libx32"]

const programs = (): ReadonlyArray<string> => [
  ...["--ro-bind", "/usr", "/usr"],
  ...besideUsr.flatMap((name) => {
    const entry = lstatSync(`/${name}`, { throwIfNoEntry: false })
    if (entry === undefined) return []
    return entry.isSymbolicLink()
      ? ["--symlink", readlinkSync(`/${name}`), `/${name}`]
      : ["--ro-bind", `/${name}`, `/${name}`]
  })
]

/**
 * Options for every process in a sandbox: namespaces of its own (no network but its own loopback, no process of the
 * host), no environment, no capability, no further namespaces, and an end with the process that started it.
 */
const alone = [
  ...["--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session", "--clearenv"],
  // otherwise, bubblewrap's own first process would outlive the awaited one, and be left to the host's first process
  "--as-pid-1",
  ...["--uid", "1000", "--gid", "1000", "--hostname", "cairn", "--cap-drop", "ALL"]
]

/** Where a shell's file systems are, in its own mount namespace. */
export const scratch = "/tmp"
export const workspace = `${scratch}/workspace`

const onWorkspace = ["--bind", workspace, "/workspace", "--chdir", "/workspace", "--remount-ro", "/"]

/** bubblewrap's options for the keeper: it sees programs and the workspace, nothing else. */
export const keeperWalls = (): ReadonlyArray<string> => [
  ...alone,
  ...programs(),
  ...["--dev", "/dev", "--remount-ro", "/dev"],
  ...onWorkspace
]

/** bubblewrap's options for commands. `fds`: the pipe for the process id, and the one with the system call filter. */
export const commandWalls = (fds: {
  readonly info: number
  readonly filter: number | undefined
}): ReadonlyArray<string> => [
  ...alone,
  ...programs(),
  ...["--info-fd", String(fds.info)],
  ...(fds.filter === undefined ? [] : ["--seccomp", String(fds.filter)]),
  ...["--perms", "0755", "--dir", "/etc", "--perms", "0755", "--dir", "/home"],
  ...["passwd", "group", "hosts", "nsswitch.conf"].flatMap((name) => [
    "--ro-bind",
    `${scratch}/etc/${name}`,
    `/etc/${name}`
  ]),
  ...["/etc/alternatives", "/etc/ld.so.cache"].flatMap((path) => ["--ro-bind-try", path, path]),
  ...["--proc", "/proc", "--dev", "/dev", "--bind", `${scratch}/shm`, "/dev/shm", "--remount-ro", "/dev"],
  ...["--bind", `${scratch}/tmp`, "/tmp", "--bind", `${scratch}/home`, "/home/agent"],
  ...onWorkspace,
  ...["--setenv", "HOME", "/home/agent", "--setenv", "USER", "agent", "--setenv", "LOGNAME", "agent"],
  ...[
    "--setenv",
    "PATH",
    "/usr/local/bin:/usr/bin:/bin",
    "--setenv",
    "PWD",
    "/workspace",
    "--setenv",
    "LANG",
    "C.UTF-8"
  ]
]
