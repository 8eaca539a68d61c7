const block = 512

/** What is put down; `name` is the path's bytes, `content` a file's bytes or a link's target. */
export interface Item {
  readonly kind: "file" | "executable" | "symlink" | "directory"
  readonly name: Uint8Array
  readonly content: Uint8Array
}

const none = new Uint8Array()

const padded = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => [
  bytes,
  new Uint8Array((block - (bytes.length % block)) % block)
]

const header = (
  type: string,
  name: Uint8Array,
  target: Uint8Array,
  size: number,
  mode: string,
  time: number
): Buffer => {
  const bytes = Buffer.alloc(block)
  bytes.set(name.subarray(0, 100), 0)
  bytes.write(`${mode}\0`, 100)
  bytes.write("0000000\0", 108)
  bytes.write("0000000\0", 116)
  bytes.write(`${size.toString(8).padStart(11, "0")}\0`, 124)
  bytes.write(`${time.toString(8).padStart(11, "0")}\0`, 136)
  bytes.write("        ", 148)
  bytes.write(type, 156)
  bytes.set(target.subarray(0, 100), 157)
  bytes.write("ustar  \0", 257)
  const sum = bytes.reduce((total, byte) => total + byte, 0)
  bytes.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148)
  return bytes
}

/** GNU's way to say a name or a target of more than a hundred bytes: an entry before the entry. */
const long = (type: "L" | "K", text: Uint8Array): ReadonlyArray<Uint8Array> =>
  text.length <= 100
    ? []
    : [
        header(type, Buffer.from("../../Bubblewrap/@LongLink"), none, text.length + 1, "0000644", 0),
        ...padded(Buffer.concat([text, Buffer.alloc(1)]))
      ]

const types = { file: "0", executable: "0", symlink: "2", directory: "5" }
const modes = { file: "0000644", executable: "0000755", symlink: "0000777", directory: "0000755" }

/** A tar archive. `time`: seconds, of every entry. */
export const archive = (items: ReadonlyArray<Item>, time: number): Uint8Array => {
  const parts = items.flatMap(({ kind, name, content }) => {
    const [target, bytes] = kind === "symlink" ? [content, none] : [none, content]
    return [
      ...long("K", target),
      ...long("L", name),
      header(types[kind], name, target, bytes.length, modes[kind], time),
      ...padded(bytes)
    ]
  })
  return Buffer.concat([...parts, new Uint8Array(2 * block)])
}
