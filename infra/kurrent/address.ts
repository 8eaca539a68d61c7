import { Data } from "effect"

/** A URL that this adapter can't use; `message` quotes nothing of it. */
export class BadAddress extends Data.TaggedError("BadAddress")<{ readonly message: string }> {}

export interface Credentials {
  readonly username: string
  readonly password: string
}

export interface Address {
  /** The URL without credentials: it may be shown. */
  readonly url: string
  /** Its hosts and ports. */
  readonly place: string
  /** Whether the hosts are those of a cluster, or tell of one. */
  readonly cluster: boolean
  readonly credentials: Credentials | undefined
}

const refuse = (expected: string): never => {
  throw new BadAddress({ message: `expected ${expected}` })
}

/**
 * The options that the client gets to see. It warns of one that it doesn't know by showing the whole URL, password and
 * all. Nor does it see those that its two halves read differently: `gossipTimeout` is in seconds for one and in
 * milliseconds for the other, and `tls_ca_file` is known to one alone.
 */
const options = new Set(
  [
    ...["tls", "tlsVerifyCert", "tlsCAFile", "connectionName", "defaultDeadline", "nodePreference"],
    ...["discoveryInterval", "maxDiscoverAttempts", "keepAliveInterval", "keepAliveTimeout"]
  ].map((name) => name.toLowerCase())
)

const form = /^((?:kurrentdb|kurrent|kdb|esdb)(?:\+discover)?:\/\/)(?:([^@/]*)@)?([^/?#\s]+)\/?(?:\?([^#\s]+))?$/

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return refuse("a name and a password that are percent-encoded")
  }
}

const host = /^(?:\[[0-9a-fA-F:.]+\]|[\w.-]+)(?::\d{1,5})?$/

/** Takes a URL apart; throws `BadAddress`. */
export const addressOf = (text: string): Address => {
  const [, protocol, who, hosts, query = ""] =
    form.exec(text.trim()) ?? refuse("kurrentdb://user:password@host:2113, with options behind a ?")
  if (!hosts!.split(",").every((one) => host.test(one))) refuse("hosts like one.example.com:2113,two.example.com:2113")
  const pairs = query === "" ? [] : query.split("&").map((pair) => pair.split("="))
  for (const [name = "", value = ""] of pairs) {
    const flat = name.toLowerCase()
    if (flat === "usercertfile" || flat === "userkeyfile")
      refuse("a user and a password: certificates of users are not supported")
    if (!options.has(flat) || value === "")
      refuse("no other options than tls, tlsCAFile and those of discovery and keep-alive")
  }
  const plain = pairs.some(([name, value]) => name!.toLowerCase() === "tls" && value === "false")
  const [, username, password] =
    who === undefined ? [] : (/^([^:]+):(.+)$/.exec(who) ?? refuse("user:password before the @"))
  if (username === undefined && !plain)
    refuse("user:password before the host; or ?tls=false, for a server that lets in everybody")
  const cluster = protocol!.includes("+discover") || hosts!.includes(",")
  return {
    // the client warns of the oldest name
    url: `${protocol!.replace(/^esdb/, "kurrentdb")}${hosts}${query === "" ? "" : `?${query}`}`,
    place: hosts!,
    cluster,
    credentials: username === undefined ? undefined : { username: decoded(username), password: decoded(password!) }
  }
}
