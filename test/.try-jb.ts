import { Effect } from "effect"
import { layer } from "#infra/JustBash/layer.ts"
import { Sandbox } from "#ports/Sandbox.ts"
import { emptyOverlay } from "#test/overlay.ts"
const mb = () => Math.round(process.memoryUsage().rss / 1e6)
const program = Effect.gen(function* () {
  const overlay = yield* emptyOverlay()
  console.log("rss before", mb())
  let t = performance.now()
  const shell = yield* Sandbox.use((s) => s.open(overlay))
  yield* shell.exec("true")
  console.log("first exec", performance.now() - t, "rss", mb())
  t = performance.now(); for (let i = 0; i < 100; i++) yield* shell.exec("true"); console.log("exec true", (performance.now() - t) / 100)
  console.log(yield* shell.exec("echo one > a.txt; mkdir -p d; ln -s a.txt link; ls -la; cat link; readlink link; readlink -f link; cat < link; cp link c; cat c; ln -s ../a.txt d/l; cat d/l; ln -s /workspace/a.txt d/abs; cat d/abs; readlink d/abs; ln -s /tmp/x out; cat out; echo hi > out; [ -L link ] && echo islink; head -1 link; grep one link; wc -l link; test -f link && echo isfile; rm link; ls"))
  for (const c of ["echo one > a.txt; ln -s a.txt link; echo made $?; cat link; echo cat $?; readlink link; readlink -f link; cat < link", "cp link c; cat c; mkdir -p d; ln -s ../a.txt d/l; cat d/l; ln -s /workspace/a.txt d/abs; cat d/abs; readlink d/abs", "ln -s /tmp/x out; cat out; echo out2; echo hi > out; echo after", "[ -L link ] && echo islink; head -1 link; grep one link; wc -l link; test -f link && echo isfile; rm link; ls; echo x | tee link2 > /dev/null; for i in 1 2 3; do echo $i; echo hi > out; done", "for i in $(seq 1 2000); do echo $i >> log.txt; done; wc -l log.txt", "echo a > nodir/x; echo still; echo b > d; echo still2; mkdir d; rm nothing; rmdir d; echo hi > .git/x; echo still3; mkdir .git; cp a.txt 'b\\c'; echo end", "for i in 1 2 3 4 5; do printf '%s' $i; done; printf 'a\xff\n'; cat log.txt | tail -1; printf '\xff\xfe' > raw; cat raw; cat raw | od -c | head -1"]) {
    t = performance.now(); const r = yield* shell.exec(c, { timeout: 10000, output: 300 }); console.log(c, "->", r, Math.round(performance.now() - t), "ms rss", mb())
  }
}).pipe(Effect.scoped, Effect.provide(layer))
await Effect.runPromise(program)
