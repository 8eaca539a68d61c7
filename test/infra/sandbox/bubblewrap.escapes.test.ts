import { afterAll, assert, beforeAll } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { emptyOverlay, textAt } from "#test/overlay.ts"
import { freshDatabase } from "#test/postgres.ts"
import { setUp } from "./attacks.ts"
import { bubblewrap, type Host, startHost } from "./bubblewrap.host.ts"

/**
 * Attempts to reach what is outside. Each prints ESCAPED where it got through; where it reads, what it read must not be
 * the host's. The host's own things tell whether they were touched.
 */
let host: Host
let database: URL

beforeAll(async () => {
  host = await startHost()
  database = new URL(Redacted.value(await Effect.runPromise(freshDatabase)))
})
afterAll(() => host.close())

const x64 = process.arch === "x64"
/**
 * A system call by its number (perl is on every Debian). The program ends with ESCAPED where the kernel let it pass.
 */
const call = (numbers: readonly [number, number], ...args: ReadonlyArray<string | number>) =>
  `perl -e 'my ($a, $b) = ("tmpfs\\0" . "x" x 200, "/tmp\\0" . "x" x 200); my $r = syscall(${[numbers[x64 ? 0 : 1], ...args].join(", ")}); print "ESCAPED\\n" if $r >= 0; print "errno ", $! + 0, "\\n"'`
const connect = (family: string, address: string, kind = "SOCK_STREAM", then = "") =>
  `perl -MSocket -e 'socket(my $s, ${family}, ${kind}, 0) or exit; if (connect($s, ${address})) { ${then || 'print "ESCAPED\\n"; print <$s>;'} }'`
const inet = (address: string, port: string | number) =>
  connect("AF_INET", `pack_sockaddr_in(${port}, inet_aton("${address}"))`)

const attempts: { readonly [title: string]: (host: Host) => string } = {
  "reads a file of the host": ({ folder }) => `cat ${folder}/secret; cat /workspace/../../../${folder}/secret`,
  "reads it through a link": ({ folder }) =>
    `ln -s ${folder}/secret l; ln -s ${folder} d; ln -s / r; cat l d/secret r${folder}/secret; cp -L l copy; cat copy`,
  "hard-links it": ({ folder }) => `ln ${folder}/secret hard && cat hard; ln /usr/bin/bash hard2 && echo ESCAPED`,
  "writes beside it": ({ folder }) =>
    `mkdir -p ${folder}; echo x > ${folder}/new; echo x > ${folder}/secret; rm -rf ${folder}`,
  "goes through /proc": ({ folder }) =>
    `for p in /proc/[0-9]* /proc/self; do cat $p/root${folder}/secret $p/cwd/../..${folder}/secret $p/environ; ls -l $p/exe $p/fd; done`,
  "reads the environment of others": () =>
    `cat /proc/1/environ /proc/*/environ | tr '\\0' '\\n' | grep -v -E '^(HOME|USER|LOGNAME|PATH|PWD|OLDPWD|LANG|SHLVL|_)=' | grep . && echo ESCAPED`,
  "has more in its own environment than it needs": () =>
    `env | grep -v -E '^(HOME|USER|LOGNAME|PATH|PWD|LANG|SHLVL|_)=' && echo ESCAPED`,
  "finds what bubblewrap left behind": ({ folder }) =>
    `ls /oldroot /newroot && echo ESCAPED; cat /oldroot${folder}/secret; ls /tmp/.. | grep -E 'old|new' && echo ESCAPED`,
  "uses a file that bubblewrap left open": () =>
    // what the command reads and says is all that anyone in there has
    `own=" $(for n in 0 1 2; do readlink /proc/$$/fd/$n; done | tr '\\n' ' ')"; for f in /proc/$$/fd/* /proc/1/fd/*; do to=$(readlink $f); case "$own" in *" $to "*) ;; *) case $to in pipe:*|/dev/null|'') ;; *) echo "ESCAPED $f $to";; esac;; esac; done; for n in 3 4 5 6 7 8 9; do eval "echo '{}' >&$n" && echo ESCAPED; done`,
  "writes into the system": () =>
    `for d in / /usr /usr/bin /bin /lib /etc /dev /proc /home /sbin; do touch $d/cairn-test && echo ESCAPED; done; echo x >> /usr/bin/env && echo ESCAPED; chmod 777 /usr/bin/env && echo ESCAPED; rm -f /usr/bin/env && echo ESCAPED`,
  "writes into the kernel's settings": () =>
    `for f in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /proc/sys/kernel/hostname /proc/sys/vm/drop_caches /proc/sys/user/max_user_namespaces; do echo 0 > $f && echo "ESCAPED $f"; done`,
  "finds devices": () =>
    `for d in /dev/mem /dev/kmem /dev/kmsg /dev/port /dev/sda /dev/vda /dev/nvme0n1 /dev/loop0 /dev/fuse /dev/kvm /dev/net/tun /dev/vsock; do test -e $d && echo "ESCAPED $d"; done`,
  "makes devices": () =>
    `for n in "b 8 0" "b 254 0" "c 1 1" "c 10 229"; do mknod dev $n && echo ESCAPED; mknod /tmp/dev $n && echo ESCAPED; done`,
  "finds /sys": () => `ls /sys/fs/cgroup /sys/kernel && echo ESCAPED`,
  "reads the kernel's memory": () =>
    `head -c 100 /proc/kcore && echo ESCAPED; grep -v '^0000000000000000' /proc/kallsyms | grep . && echo ESCAPED`,
  "sees processes of the host": () =>
    `test -e /proc/${process.pid}/comm -a ${process.pid} -gt 50 && echo ESCAPED; test $(ls -d /proc/[0-9]* | wc -l) -gt 10 && echo ESCAPED`,
  "kills the service": () => `kill -9 ${process.pid}; kill -TERM ${process.pid}; kill -9 ${process.ppid}`,
  "kills all that it may": () => `trap '' TERM; kill -TERM -1; kill -9 1; kill -STOP 1`,
  "kills all that it may, itself too": () => "kill -9 -1",
  "traces and reads other processes": () =>
    `${call([101, 117], 16, 1, 0, 0)}; ${call([101, 117], 0, 0, 0, 0)}; head -c 10 /proc/1/mem && echo ESCAPED; ${call([310, 270], 1, "$a", 1, "$b", 1, 0)}`,
  "connects to the service's machine over TCP": ({ tcp, address }) =>
    `${inet("127.0.0.1", tcp)}; ${inet(address, tcp)}; echo x > /dev/tcp/127.0.0.1/${tcp} && echo ESCAPED`,
  "connects to Postgres": () =>
    `${inet(database.hostname, database.port)}; ls /tmp/.s.PGSQL.* /run/postgresql && echo ESCAPED`,
  "sends over UDP": ({ udp, address }) =>
    `${[`127.0.0.1`, address].map((to) => connect("AF_INET", `pack_sockaddr_in(${udp}, inet_aton("${to}"))`, "SOCK_DGRAM", 'send($s, "x", 0);')).join("; ")}; sleep 0.1`,
  "connects to a socket file": ({ folder }) => connect("AF_UNIX", `pack_sockaddr_un("${folder}/socket")`),
  "connects to an abstract socket": ({ abstractName }) =>
    connect("AF_UNIX", `pack("S a*", AF_UNIX, "\\0${abstractName}")`),
  "finds a network": () =>
    `test $(ls /proc/self/net/dev && grep -c : /proc/self/net/dev) -gt 1 && echo ESCAPED; getent hosts example.com && echo ESCAPED; curl -sm 3 http://example.com && echo ESCAPED`,
  "opens raw, packet, key and vsock sockets": () =>
    ["2, 3, 1", "17, 3, 768", "15, 3, 2", "40, 1, 0", "38, 5, 0"]
      .map((args) => call([41, 198], ...args.split(", ")))
      .join("; "),
  "makes namespaces": () =>
    `unshare -U true && echo ESCAPED; unshare -Ur true && echo ESCAPED; unshare -n true && echo ESCAPED; ${call([56, 220], 0x10000011, 0, 0, 0, 0)}; ${call([435, 435], "$a", 88)}; ${call([272, 97], 0x20000)}`,
  "enters namespaces": () =>
    `nsenter -t 1 -m true && echo ESCAPED; nsenter -U -t 1 true && echo ESCAPED; ${call([308, 268], 0, 0)}`,
  "starts bubblewrap inside": () => "bwrap --ro-bind / / --unshare-user true && echo ESCAPED",
  mounts: ({ folder }) =>
    `mount -t tmpfs x /tmp && echo ESCAPED; mount --bind /usr /tmp && echo ESCAPED; mount -o remount,rw /usr && echo ESCAPED; umount -l /workspace && echo ESCAPED; umount /proc && echo ESCAPED; ${call([165, 40], "$a", "$b", "$a", 0, 0)}; ${call([430, 430], "$a", 0)}; ${call([428, 428], -100, "$b", 1)}; ls ${folder}/ && echo ESCAPED`,
  "changes its root": () =>
    `chroot /tmp true && echo ESCAPED; ${call([161, 51], "$b")}; ${call([155, 41], "$b", "$b")}`,
  "opens files by handle": () => `${call([304, 265], 3, "$a", 0)}; ${call([303, 264], -100, "$b", "$a", "$b", 0)}`,
  "gets rights from setuid programs": () =>
    `find /usr -perm /6000 -type f 2>/dev/null | while read f; do case $f in */su|*/sudo|*/pkexec) $f -c id root < /dev/null;; esac; done | grep uid=0 && echo ESCAPED; cp /bin/bash own; chmod 6755 own; ./own -p -c id | grep -E 'uid=0|euid' && echo ESCAPED; perl -e '$> = 0; $< = 0; print "ESCAPED" if $> == 0 || $< == 0'; setpriv --reuid 0 true && echo ESCAPED`,
  "has capabilities": () =>
    `grep -E '^Cap(Inh|Prm|Eff|Bnd|Amb)' /proc/self/status /proc/1/status | grep -v 0000000000000000 && echo ESCAPED; grep -q 'NoNewPrivs:.1' /proc/self/status || echo ESCAPED; grep -q 'Seccomp:.2' /proc/self/status || echo ESCAPED`,
  "types into a terminal": () =>
    `echo x > /dev/tty && echo ESCAPED; perl -e 'for my $f (0, 1, 2) { open(my $t, "+<&=", $f); print "ESCAPED" if ioctl($t, 0x5412, "x") || $! == 25 }'`,
  "uses rare parts of the kernel": () =>
    (
      [
        [321, 280],
        [298, 241],
        [425, 425],
        [323, 282],
        [319, 279],
        [250, 219],
        [248, 217],
        [300, 262],
        [29, 194],
        [175, 105],
        [246, 104],
        [169, 142]
      ] as const
    )
      .map((numbers) => call(numbers, 0, 0, 0, 0, 0))
      .join("; "),
  "calls under the numbers of another ABI": () =>
    x64 ? `perl -e 'syscall(0x40000000 + 39) >= 0 and print "ESCAPED"'` : "true",
  "raises its limits": () =>
    `ulimit -u 100000 && echo ESCAPED; ulimit -d unlimited && echo ESCAPED; prlimit --pid $$ --nofile=100000 && echo ESCAPED; nice -n -15 true 2>&1 | grep -q . || echo ESCAPED; for p in self 1; do echo -1 > /proc/$p/oom_score_adj && echo ESCAPED; done; chrt -f 50 true && echo ESCAPED`,
  "changes the clock, the host's name, the log": () =>
    `date -s 2001-01-01 && echo ESCAPED; hostname evil && echo ESCAPED; dmesg && echo ESCAPED; ${call([103, 116], 3, "$a", 100)}`
}

bubblewrap("Bubblewrap: no command", (test) => {
  for (const [title, attempt] of Object.entries(attempts)) {
    test(
      title,
      Effect.gen(function* () {
        const overlay = yield* emptyOverlay()
        const shell = yield* setUp(overlay)
        // the end shows that all of it was tried; one of them ends itself
        const { stdout, stderr, exit } = yield* shell.exec(`${attempt(host)}\necho TRIED`, { output: 1_000_000 })
        assert.isTrue(stdout.endsWith("TRIED\n") || exit === 137, stderr)
        assert.notInclude(stdout, "ESCAPED", stderr)
        host.check(stdout + stderr)
        for (const path of overlay.paths()) {
          const content = yield* Effect.match(textAt(overlay, path), { onSuccess: (text) => text, onFailure: () => "" })
          host.check(content)
        }
        assert.strictEqual((yield* shell.exec("echo alive")).stdout, "alive\n")
      })
    )
  }
})
