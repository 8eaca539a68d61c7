/**
 * Forms of well-known secrets. Each looks at a text in time that grows with its length: no form begins with what may be
 * long, and none looks twice at what it has passed.
 */
export const secretForms: ReadonlyArray<RegExp> = [
  // to its end, or all of the rest: the key is what follows the line that names it
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  /PuTTY-User-Key-File-\d[\s\S]*$/g,
  /\bAGE-SECRET-KEY-1[0-9A-Z]{20,}/g,
  // clouds
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bAIza[\w-]{35}/g,
  /\bya29\.[\w-]{20,}/g,
  /\bdop_v1_[0-9a-f]{64}\b/g,
  /\b(?:AccountKey|SharedAccessKey|sig)=[0-9A-Za-z+/%]{30,}={0,2}/g,
  // code and packages
  /\bgh[pousr]_[0-9A-Za-z]{30,}\b/g,
  /\bgithub_pat_\w{30,}\b/g,
  /\bgl(?:pat|ptt|dt|rt|soat|oas)-[\w-]{20,}/g,
  /\bnpm_[0-9A-Za-z]{36}\b/g,
  /\bpypi-[\w-]{40,}/g,
  /\bdckr_pat_[\w-]{20,}/g,
  /\bATATT3x[\w=-]{20,}/g,
  // models
  /\bsk-[\w-]{20,}/g,
  /\bhf_[0-9A-Za-z]{30,}\b/g,
  /\bgsk_[0-9A-Za-z]{30,}\b/g,
  /\bcairn_[a-z]{1,20}_[0-9A-Za-z]{16,}\b/g,
  // payments, messages and the rest
  /\b[rs]k_(?:live|test)_[0-9A-Za-z]{16,}\b/g,
  /\bwhsec_[0-9A-Za-z+/=]{24,}/g,
  /\bxox[abeprs]-[\w-]{10,}/g,
  /\bxapp-\d-[\w-]{20,}/g,
  /https:\/\/hooks\.slack\.com\/[\w/-]{20,}/g,
  /\bSG\.[\w-]{16,32}\.[\w-]{16,64}/g,
  /\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b/g,
  /\bhv[sb]\.[\w-]{24,}/g,
  /\bdapi[0-9a-f]{32}\b/g,
  /\blin_api_[0-9A-Za-z]{30,}\b/g,
  /\b\d{8,10}:AA[\w-]{33}\b/g,
  // whatever has them
  /\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,}/g,
  /\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/@"']{0,100}:[^\s/@"'{}$<>]{1,200}@/gi,
  /\b(?:proxy-)?authorization["']?\s{0,5}[:=]\s{0,5}["']?(?:bearer|basic|token)\s{1,5}[\w.~+/=-]{12,}/gi
]

/** What a secret is called. */
const name =
  "(?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|secret[_-]?key|credential)"

/** `db_password = "…"`: a text of some length. The name stays, so that what is left can be read. */
export const quotedSecret: RegExp = new RegExp(
  `(${name}["']?\\s{0,5}(?::|=|=>)\\s{0,5}["'\`])([^"'\`\\s]{8,500})(?=["'\`])`,
  "gi"
)

/**
 * `DB_PASSWORD=…`, `aws_secret_access_key = …`, `password: …`, as in the files and outputs of programs: up to the
 * line's end.
 */
export const plainSecret: RegExp = new RegExp(
  `(${name}\\s{0,5}[:=]\\s{0,5})([^\\s"'\`,;(){}[\\]<>]{8,500})(?=[ \\t]*(?:$|[\\n\\r,;#]))`,
  "gim"
)

/** What stands where a secret would, in samples and in code that takes it from elsewhere. */
export const placeholder: RegExp =
  /^(?:your|my|the|test|example|dummy|fake|change|placeholder|insert|replace|x{3,}|\*{3,}|\.{3})|[<>{}$%]|\.\.\.|…/i
