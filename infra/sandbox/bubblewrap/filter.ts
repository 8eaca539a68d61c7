/**
 * A filter of system calls as the kernel reads it (seccomp, classic BPF). Namespaces and the missing capabilities
 * refuse most of these calls already. The filter keeps commands from parts of the kernel that no tool of a workspace
 * needs and where its faults were found, and from memory that no limit counts (memfd, System V).
 */

/** Refused calls, with their numbers on x64 and on arm64; `undefined`: the machine has no such call. */
const refused: { readonly [name: string]: readonly [number | undefined, number | undefined] } = {
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  perf_event_open: [298, 241],
  bpf: [321, 280],
  userfaultfd: [323, 282],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  unshare: [272, 97],
  setns: [308, 268],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  fanotify_init: [300, 262],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  memfd_create: [319, 279],
  memfd_secret: [447, 447],
  shmget: [29, 194],
  msgget: [68, 186],
  semget: [64, 190],
  mbind: [237, 235],
  set_mempolicy: [238, 237],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
  syslog: [103, 116],
  vhangup: [153, 58],
  iopl: [172, undefined],
  ioperm: [173, undefined],
  modify_ldt: [154, undefined],
  uselib: [134, undefined]
}

const machines = {
  x64: { audit: 0xc000003e, at: 0, clone: 56, ioctl: 16, socket: 41 },
  arm64: { audit: 0xc00000b7, at: 1, clone: 220, ioctl: 29, socket: 198 }
} as const

/** Its flags lie in memory, where no filter can look: programs fall back to `clone`. */
const clone3 = 435
const newNamespaces = 0x7e020000
/** Numbers of the x32 ABI begin here. */
const x32 = 0x40000000
/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: others (vsock, to a virtual machine's host) know no network namespaces. */
const families = [1, 2, 10, 16]
/** TIOCSTI and TIOCLINUX: typing into a terminal. */
const terminal = [0x5412, 0x541c]

const [load, equal, atLeast, anyBit, answer] = [0x20, 0x15, 0x35, 0x45, 0x06]
const allow = 0x7fff0000
const kill = 0x80000000
const fail = (errno: number) => 0x00050000 | errno
const [EPERM, ENOSYS] = [1, 38]
/** Offsets in what the filter looks at: the call's number, the machine, the lower halves of its first two arguments. */
const [atNumber, atMachine, atFirst, atSecond] = [0, 4, 16, 24]

type Label = "next" | "clone" | "ioctl" | "socket" | "permit" | "refuse" | "unknown"
interface Step {
  readonly label?: Label
  readonly code: number
  readonly value: number
  readonly jump?: Label
}

/** The filter's program, eight bytes a step; `undefined` on a machine whose call numbers are not listed here. */
export const callFilter = (): Uint8Array | undefined => {
  const machine = process.arch === "x64" || process.arch === "arm64" ? machines[process.arch] : undefined
  if (machine === undefined) return undefined
  const numbers = Object.values(refused).flatMap((pair) => pair[machine.at] ?? [])
  const steps: ReadonlyArray<Step> = [
    { code: load, value: atMachine },
    { code: equal, value: machine.audit, jump: "next" },
    { code: answer, value: kill },
    { label: "next", code: load, value: atNumber },
    { code: atLeast, value: x32, jump: "unknown" },
    { code: equal, value: clone3, jump: "unknown" },
    { code: equal, value: machine.clone, jump: "clone" },
    { code: equal, value: machine.ioctl, jump: "ioctl" },
    { code: equal, value: machine.socket, jump: "socket" },
    ...numbers.map((value): Step => ({ code: equal, value, jump: "refuse" })),
    { code: answer, value: allow },
    { label: "clone", code: load, value: atFirst },
    { code: anyBit, value: newNamespaces, jump: "refuse" },
    { code: answer, value: allow },
    { label: "ioctl", code: load, value: atSecond },
    ...terminal.map((value): Step => ({ code: equal, value, jump: "refuse" })),
    { code: answer, value: allow },
    { label: "socket", code: load, value: atFirst },
    ...families.map((value): Step => ({ code: equal, value, jump: "permit" })),
    { label: "refuse", code: answer, value: fail(EPERM) },
    { label: "unknown", code: answer, value: fail(ENOSYS) },
    { label: "permit", code: answer, value: allow }
  ]
  const program = Buffer.alloc(8 * steps.length)
  for (const [index, { code, value, jump: to }] of steps.entries()) {
    const jump = to === undefined ? 0 : steps.findIndex(({ label }) => label === to) - index - 1
    program.writeUInt16LE(code, 8 * index)
    program.writeUInt8(jump, 8 * index + 2)
    program.writeUInt32LE(value, 8 * index + 4)
  }
  return program
}
