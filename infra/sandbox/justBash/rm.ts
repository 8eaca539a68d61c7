import { defineCommand } from "just-bash"

const longOptions: { readonly [name: string]: string } = { recursive: "r", force: "f", verbose: "v", dir: "d" }

/** just-bash's own `rm` follows links, so it can't remove one that leads nowhere, outside or to a folder. */
export const rm = defineCommand("rm", async (args, { fs, cwd }) => {
  const last = args.indexOf("--")
  const isOption = (arg: string, index: number) => /^-./.test(arg) && (last < 0 || index < last)
  const letters = args
    .filter(isOption)
    .map((arg) => (arg.startsWith("--") ? (longOptions[arg.slice(2)] ?? "?") : arg.slice(1).toLowerCase()))
    .join("")
  const unknown = /[^rfvdi]/.exec(letters)
  if (unknown !== null) return { stdout: "", stderr: `rm: unknown option in '${args.join(" ")}'\n`, exitCode: 1 }
  const has = (letter: string) => letters.includes(letter)
  const names = args.filter((arg, index) => !isOption(arg, index) && index !== last)
  if (names.length === 0 && !has("f")) return { stdout: "", stderr: "rm: missing operand\n", exitCode: 1 }

  let [stdout, stderr] = ["", ""]
  for (const name of names) {
    const path = fs.resolvePath(cwd, name)
    try {
      const { isDirectory } = await fs.lstat(path)
      if (isDirectory && !has("r") && !has("d")) throw new Error("Is a directory")
      await fs.rm(path, { recursive: isDirectory && has("r") })
      if (has("v")) stdout += `removed '${name}'\n`
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      const missing = message.includes("ENOENT")
      if (!missing || !has("f"))
        stderr += `rm: cannot remove '${name}': ${missing ? "No such file or directory" : message}\n`
    }
  }
  return { stdout, stderr, exitCode: stderr === "" ? 0 : 1 }
})
