import { VERSION } from "../version.ts"

export const usage: string = `cairn-mcp ${VERSION}: Cairn's tools for a program that starts its MCP servers and talks to them over standard input and output.

  cairn-mcp [--header "Name: value"]…

It takes the service's address from CAIRN_BASE_URL (http://127.0.0.1:8080 unless set), the API key from CAIRN_API_KEY. --header
sends a header with every request, such as "X-Cairn-Workspace-Id: customer-1".
`

/** What the command line says: what to do, with which headers; or why it can't be read. */
export type Given =
  | { readonly to: "pass"; readonly headers: { readonly [name: string]: string } }
  | { readonly to: "help" }
  | { readonly to: "version" }
  | { readonly to: "complain"; readonly complaint: string }

const complain = (complaint: string): Given => ({ to: "complain", complaint })

/** Reads the command line's arguments. */
export const argumentsOf = (args: ReadonlyArray<string>): Given => {
  const headers: { [name: string]: string } = {}
  for (let at = 0; at < args.length; at++) {
    const [, flag = "", joined] = /^([^=]*)(?:=(.*))?$/s.exec(args[at]!) ?? []
    if (flag === "--help" || flag === "-h") return { to: "help" }
    if (flag === "--version") return { to: "version" }
    if (flag !== "--header") return complain(`There is no option ${args[at]}.`)
    const [, name, value] = /^([\w-]+):\s*([\x20-\x7e]*)$/.exec(joined ?? args[++at] ?? "") ?? []
    // the header itself may be a secret
    if (name === undefined) return complain(`--header takes one text such as "X-Cairn-Agent-Id: me".`)
    if (name.toLowerCase() === "authorization")
      return complain("The key is taken from CAIRN_API_KEY only: others can see arguments.")
    headers[name.toLowerCase()] = value ?? ""
  }
  return { to: "pass", headers }
}
