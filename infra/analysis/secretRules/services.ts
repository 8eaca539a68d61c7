import { entropyOf, isPlaceholder, type Match, type Rule } from "./Rule.ts"

/**
 * Kinds of keys by their form, as each service documents it. Secretlint's preset knows other kinds, or finds these only
 * beside a word that names them. The first group, or the whole match, must be no placeholder.
 */
const kinds: ReadonlyArray<readonly [string, RegExp]> = [
  ["aws: access key", /(?<![A-Za-z0-9])((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})(?![A-Za-z0-9])/g],
  [
    "aws: secret key",
    /aws_?secret_?(?:access_?)?key["']?\s{0,3}[:=]\s{0,3}["']?([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/])/gi
  ],
  ["azure: Entra secret", /(?<![\w~.-])([\w.-]{3}\dQ~[\w~.-]{31,34})(?![\w~-])/g],
  ["digitalocean: token", /(?<![\w-])(do[opr]_v1_[0-9a-f]{64})(?![\w-])/g],
  ["alibaba: access key", /(?<![A-Za-z0-9])(LTAI[A-Za-z0-9]{12,24})(?![A-Za-z0-9])/g],
  ["square: token", /(?<![\w-])(sq0(?:atp|csp|idp)-[\w-]{22,43}|EAAA[\w-]{60})(?![\w-])/g],
  ["twilio: key", /(?<![\w-])((?:SK|AC)[0-9a-f]{32})(?![\w-])/g],
  ["sendgrid: key", /(?<![\w.-])(SG\.[\w-]{20,24}\.[\w-]{39,50})(?![\w-])/g],
  ["pypi: token", /(?<![\w-])(pypi-AgE[\w-]{60,300})/g],
  ["rubygems: key", /(?<![\w-])(rubygems_[0-9a-f]{48})(?![\w-])/g],
  ["terraform: token", /(?<![A-Za-z0-9])([A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70})(?![\w-])/g],
  ["sentry: token", /(?<![\w-])(sntry[us]_[A-Za-z0-9+/=_]{60,300})(?![\w-])/g],
  ["postman: key", /(?<![\w-])(PMAK-[0-9a-f]{24}-[0-9a-f]{34})(?![\w-])/gi],
  ["airtable: token", /(?<![\w-])(pat[A-Za-z0-9]{14}\.[0-9a-f]{64})(?![\w-])/g],
  ["dropbox: token", /(?<![\w.-])(sl\.(?:u\.)?[\w-]{130,1000})/g],
  ["perplexity: key", /(?<![\w-])(pplx-[A-Za-z0-9]{48})(?![\w-])/g],
  ["fly.io: token", /(?<![\w-])(fo1_[\w-]{43}|fm[12][ar]?_[\w+/=-]{100,1000})/g],
  ["planetscale: password", /(?<![\w-])(pscale_(?:pw|tkn|oauth)_[\w.=-]{32,64})(?![\w-])/g],
  ["doppler: token", /(?<![\w.-])(dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]{2,35}\.)?[A-Za-z0-9]{40,44})(?![\w-])/g],
  ["heroku: key", /(?<![\w-])(HRKU-AA[\w-]{58})(?![\w-])/g],
  ["1password: secret key", /(?<![\w-])(A3-[A-Z0-9]{6}-[A-Z0-9]{6,11}-(?:[A-Z0-9]{5}-){2,4}[A-Z0-9]{5})(?![\w-])/g],
  ["age: key", /(AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58})(?![A-Z0-9])/g],
  ["JSON web token", /(?<![\w-])(eyJ[\w-]{10,2000}\.eyJ[\w-]{10,8000}\.[\w-]{20,1000})(?![\w-])/g],
  ["azure: storage account key", /AccountKey=([A-Za-z0-9+/]{86}==)/g],
  ["azure: shared access key", /SharedAccessKey=([A-Za-z0-9+/]{40,88}={0,2})/g],
  ["azure: shared access signature", /[?&]sig=([A-Za-z0-9%/+]{40,100}(?:%3D|=))/g],
  ["discord: webhook", /discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/\d{17,20}\/([\w-]{60,80})/g],
  ["discord: bot token", /(?<![\w-])([MNO][A-Za-z\d_-]{23,25}\.[\w-]{6}\.[\w-]{27,38})(?![\w-])/g],
  [
    "slack: webhook",
    /hooks\.slack\.com\/(?:services|workflows|triggers)\/([A-Z0-9]{8,12}\/[A-Z0-9]{8,12}\/\w{20,46})/g
  ],
  ["telegram: bot token", /(?<![\w:])(\d{8,10}:AA[\w-]{33})(?![\w-])/g],
  ["google: OAuth secret", /(GOCSPX-[\w-]{28})(?![\w-])/g],
  ["google: OAuth token", /(?<![\w.])(ya29\.[\w-]{60,300}|1\/\/0[\w-]{40,120})/g],
  ["google: API key", /(?<![\w-])(AIza[\w-]{35})(?![\w-])/g],
  ["mailgun: key", /(?<![\w-])(key-[0-9a-f]{32})(?![\w-])/g],
  ["mailchimp: key", /(?<![\w-])([0-9a-f]{32}-us\d{1,2})(?![\w-])/g],
  ["crates.io: token", /(?<![\w-])(cio[a-zA-Z0-9]{32})(?![\w-])/g],
  ["docker: token", /(dckr_(?:pat|oat)_[\w-]{27,32})(?![\w-])/g],
  ["figma: token", /(?<![\w-])(fig[duor]_[\w-]{40,60})(?![\w-])/g],
  ["supabase: token", /(?<![\w-])(sbp_[0-9a-f]{40}|sb_secret_[\w-]{20,60})(?![\w-])/g],
  ["new relic: key", /(?<![\w-])(NR(?:AK|AL|JS|II|IQ)-[A-Za-z0-9]{19,42})(?![\w-])/g],
  ["groq: key", /(?<![\w-])(gsk_[a-zA-Z0-9]{52})(?![\w-])/g],
  ["xai: key", /(?<![\w-])(xai-[a-zA-Z0-9]{80})(?![\w-])/g],
  ["replicate: token", /(?<![\w-])(r8_[a-zA-Z0-9]{37})(?![\w-])/g],
  ["netlify: token", /(?<![\w-])(nf[pcoub]_[a-zA-Z0-9]{36})(?![\w-])/g],
  ["openrouter: key", /(?<![\w-])(sk-or-v1-[0-9a-f]{64})(?![\w-])/g],
  ["cloudflare: origin key", /(?<![\w-])(v1\.0-[0-9a-f]{24}-[0-9a-f]{146})(?![\w-])/g],
  ["braintree: token", /(access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32})/g],
  ["atlassian: token", /(?<![\w-])(ATATT3[\w=-]{180,200}|ATBB[A-Za-z0-9]{28,32})(?![\w-])/g]
]

const named = ([kind, pattern]: (typeof kinds)[number]): Rule =>
  function* (text): Iterable<Match> {
    for (const { index, 0: match, 1: secret = match } of text.matchAll(pattern)) {
      if (entropyOf(secret) > 3 && !/x{6}|\.{3}|example/i.test(secret)) yield { at: index, kind }
    }
  }

/** Keys of this service, which have a form of their own and are in no other rules. */
const cairn: Rule = function* (text): Iterable<Match> {
  for (const { index } of text.matchAll(/\bcairn_live_[0-9A-Za-z]{43}(?![0-9A-Za-z])/g)) {
    yield { at: index, kind: "cairn: API key" }
  }
}

/** User and password within a URL, of whatever scheme. */
const url: Rule = function* (text): Iterable<Match> {
  for (const { index, 2: password = "" } of text.matchAll(
    /:\/\/([^\s:@/'"`<>{}$|\\]{0,80}):([^\s@/'"`<>{}$|\\]{3,100})@[\w[][\w.:-]/g
  )) {
    if (
      isPlaceholder(password) ||
      /^(?:pass(?:word|wd)?|pwd|secret|token|user|test|admin|root|postgres|guest)$/i.test(password)
    )
      continue
    yield { at: index, kind: "URL with a password" }
  }
}

/** Credentials in a header, in a flag of curl, and in files where clients keep them. */
const signIns: ReadonlyArray<RegExp> = [
  /\b(?:authorization|private-token|x-(?:[a-z]{1,20}-)?(?:api-)?(?:key|token))["']?\s{0,3}[:=]\s{0,3}["'`]?(?:(?:basic|bearer|token|apikey)\s{1,3})([\w=~@.+/-]{16,500})/gi,
  /\b(?:private-token|x-(?:[a-z]{1,20}-)?(?:api-)?(?:key|token))["']?\s{0,3}[:=]\s{0,3}["'`]?([\w=~@.+/-]{16,500})/gi,
  /\bcurl\s[^\n]{0,300}?\s(?:-u|--user)[\s=]{0,3}["']?[\w.@-]{1,80}:([^\s"'$]{6,100})/g,
  /\b(?:machine\s{1,3}\S{1,200}|default)\s{1,9}login\s{1,3}\S{1,100}\s{1,9}password\s{1,3}(\S{6,200})/g,
  /(?<![\w-])_(?:auth|password|authToken)\s{0,3}=\s{0,3}["']?([\w=+/.-]{8,500})/g
]

const signIn = (pattern: RegExp): Rule =>
  function* (text): Iterable<Match> {
    for (const { index, 0: match, 1: secret = "" } of text.matchAll(pattern)) {
      if (entropyOf(secret) <= 2.75 || isPlaceholder(secret)) continue
      yield { at: index + match.length - match.trimStart().length, kind: "credentials" }
    }
  }

export const services: ReadonlyArray<Rule> = [cairn, ...kinds.map(named), url, ...signIns.map(signIn)]
