import { readFileSync } from "node:fs"
import { areCertificates } from "#ports/certificate.ts"
import { refuse } from "./BadConfig.ts"

/** Not `prefer` and `allow`: they go on without TLS if the server, or somebody in between, says that there is none. */
const tlsModes = ["disable", "require", "verify-ca", "verify-full"]

/**
 * The known parameters about TLS. The client would ignore any other (`ssl=true`, `sslMode`, `tls`), and so leave TLS
 * out.
 */
const ofTls = ["sslmode", "sslrootcert"]

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return refuse(
      "DATABASE_URL",
      "%25 for a % in the user, password, host or database, and any other byte of UTF-8 alike"
    )
  }
}

const isControl = (text: string) => /\p{Cc}/u.test(text)

/** Refuses what the database's client would not understand, read differently, or ignore. */
export const parseDatabaseUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol) || !text.includes("://")) {
    return refuse("DATABASE_URL", "a URL that begins with postgres:// or postgresql://")
  }
  // a / (or ? or #) in a password ends the host before it: what follows would be shown as the database's name
  if ([url.pathname, url.hash, ...url.searchParams.keys()].some((part) => part.includes("@")))
    return refuse(
      "DATABASE_URL",
      "%2F for a /, %3F for a ?, %23 for a # in the user and password, and %40 for any other @"
    )
  const parts = [url.username, url.password, url.hostname, url.pathname].map(decoded)
  if ([...parts, ...url.searchParams.values()].some(isControl)) return refuse("DATABASE_URL", "no control characters")
  const names = [...url.searchParams.keys()]
  const unknown = names.find(
    (name) => /^(ssl|tls)/i.test(name) && !/^ssl(cert|key)$/.test(name) && !ofTls.includes(name)
  )
  if (unknown !== undefined) {
    return refuse("DATABASE_URL", `TLS to be asked for by sslmode and sslrootcert; ${unknown} is not known`)
  }
  const twice = ofTls.find((name) => url.searchParams.getAll(name).length > 1)
  if (twice !== undefined) return refuse("DATABASE_URL", `${twice} once`)
  const mode = url.searchParams.get("sslmode")
  if (mode !== null && !tlsModes.includes(mode)) {
    return refuse("DATABASE_URL", `sslmode as one of ${tlsModes.join(", ")}: others may leave TLS out unnoticed`)
  }
  if (url.searchParams.has("sslcert") || url.searchParams.has("sslkey")) {
    return refuse("DATABASE_URL", "a user and a password: a client's certificate (sslcert, sslkey) is not supported")
  }
  return text
}

/** The certificates (PEM) that `sslrootcert` names. */
export const readCa = (text: string | undefined): string | undefined => {
  const { searchParams } = new URL(text ?? "postgres:")
  const file = searchParams.get("sslrootcert")
  if (file === null) return undefined
  if ((searchParams.get("sslmode") ?? "disable") === "disable") {
    return refuse("DATABASE_URL", "sslmode=verify-full beside sslrootcert: without it there is no TLS")
  }
  let pem = ""
  try {
    pem = readFileSync(file, "utf8")
  } catch {
    // refused below, like a file without a certificate
  }
  return areCertificates(pem)
    ? pem
    : refuse("DATABASE_URL", `sslrootcert to be a file with certificates (PEM); ${file} is none that can be read`)
}
