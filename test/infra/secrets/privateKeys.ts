import { generateKeyPairSync } from "node:crypto"
import type { Draw } from "./draw.ts"

/** Real keys of Node's making, for their encodings; made once, since making one takes long. */
const made = () => {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey
  const ec = generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey
  const ec384 = generateKeyPairSync("ec", { namedCurve: "secp384r1" }).privateKey
  const ed = generateKeyPairSync("ed25519").privateKey
  const locked = { format: "pem", cipher: "aes-256-cbc", passphrase: "p" } as const
  const pem = (key: typeof rsa, type: "pkcs1" | "pkcs8" | "sec1") =>
    key.export({ type, format: "pem" } as never) as unknown as string
  return {
    "RSA (PKCS #1)": pem(rsa, "pkcs1"),
    "RSA (PKCS #8)": pem(rsa, "pkcs8"),
    "RSA, encrypted": rsa.export({ type: "pkcs1", ...locked }) as string,
    "PKCS #8, encrypted": rsa.export({ type: "pkcs8", ...locked }) as string,
    "EC (SEC 1)": pem(ec, "sec1"),
    "EC P-384 (PKCS #8)": pem(ec384, "pkcs8"),
    "EC, encrypted": ec.export({ type: "sec1", ...locked }) as string,
    Ed25519: pem(ed, "pkcs8"),
    JWK: JSON.stringify(ec.export({ format: "jwk" })),
    "DER in base64, RSA": (rsa.export({ type: "pkcs1", format: "der" }) as unknown as Buffer).toString("base64"),
    "DER in base64, EC": (ec.export({ type: "pkcs8", format: "der" }) as unknown as Buffer).toString("base64"),
    "DER in base64, Ed25519": (ed.export({ type: "pkcs8", format: "der" }) as unknown as Buffer).toString("base64")
  }
}
let kept: ReturnType<typeof made> | undefined

const body = (d: Draw, lines: number) => Array.from({ length: lines }, () => d.of("base64", 64)).join("\n")
const between = (label: string, text: string) => `-----BEGIN ${label}-----\n${text}\n-----END ${label}-----\n`

const drawn: { readonly [kind: string]: (d: Draw) => string } = {
  DSA: (d) => between("DSA PRIVATE KEY", body(d, 8)),
  OPENSSH: (d) => between("OPENSSH PRIVATE KEY", `b3BlbnNzaC1rZXktdjEAAAAA${d.of("base64", 40)}\n${body(d, 5)}`),
  PGP: (d) =>
    between("PGP PRIVATE KEY BLOCK", `Version: GnuPG v2\nComment: mine\n\n${body(d, 10)}\n=${d.of("base64", 4)}`),
  "ANY (no name)": (d) => between("PRIVATE KEY", body(d, 6)),
  SSH2: (d) =>
    `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: "me"\n${body(d, 6)}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----\n`,
  PuTTY: (d) =>
    `PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nComment: me\nPublic-Lines: 1\n${body(d, 1)}\nPrivate-Lines: 2\n${body(d, 2)}\n`
}

export const keyKinds = [
  ...["RSA (PKCS #1)", "RSA (PKCS #8)", "RSA, encrypted", "PKCS #8, encrypted", "EC (SEC 1)", "EC P-384 (PKCS #8)"],
  ...["EC, encrypted", "Ed25519", "JWK", "DER in base64, RSA", "DER in base64, EC", "DER in base64, Ed25519"],
  ...Object.keys(drawn)
]

export const keyOf = (kind: string, draw: Draw): string => {
  kept ??= made()
  return drawn[kind]?.(draw) ?? kept[kind as keyof typeof kept]
}

/** How a text of several lines comes to stand in code. */
export const writings: ReadonlyArray<(key: string) => string> = [
  (key) => key,
  (key) => `KEY = """${key}"""\n`,
  (key) => `const key = ${JSON.stringify(key)}\n`,
  (key) => `KEY="${key.trim().replaceAll("\n", "\\n")}"\n`,
  (key) => `{"key": ${JSON.stringify(JSON.stringify(key))}}\n`,
  (key) => `key: |\n${key.replace(/^(?=.)/gm, "    ")}\n`,
  (key) => key.replaceAll("\n", "\r\n"),
  (key) =>
    `var key =\n${key
      .trim()
      .split("\n")
      .map((line) => `  "${line}\\n"`)
      .join(" +\n")};\n`,
  (key) => `key: ${key.trim().replaceAll("\n", " ")}\n`,
  (key) => `secret: ${Buffer.from(key).toString("base64")}\n`
]
