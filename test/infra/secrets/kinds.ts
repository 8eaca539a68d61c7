import type { Draw } from "./draw.ts"

type Kind = (draw: Draw) => string

const b64 = (text: string) => Buffer.from(text).toString("base64")
const b64url = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")

/** A password as people are asked to make them: words, a digit and a sign. */
export const password = (d: Draw) =>
  `${d.one(["Winter", "Blue", "tiger", "Kestrel", "margin"])}${d.one(["!", "#", "-", "_", "+"])}${d.of("alnum", 6)}${d.of("digit", 3)}`

/** Credentials by their formats; each is put into code by `surroundings.ts`. */
export const tokens: { readonly [kind: string]: Kind } = {
  "aws access key": (d) => `${d.one(["AKIA", "ASIA"])}${d.of("base32", 16)}`,
  "aws secret key": (d) => `aws_secret_access_key = ${d.of("base64", 40)}`,
  "google api key": (d) => `AIza${d.of("url", 35)}`,
  "google oauth secret": (d) => `GOCSPX-${d.of("url", 28)}`,
  "google oauth token": (d) => `ya29.${d.of("url", 120)}`,
  "google service account": (d) =>
    JSON.stringify({
      type: "service_account",
      private_key_id: d.of("hex", 40),
      private_key: `-----BEGIN PRIVATE KEY-----\n${d.of("base64", 64)}\n${d.of("base64", 64)}\n-----END PRIVATE KEY-----\n`
    }),
  "azure storage": (d) =>
    `DefaultEndpointsProtocol=https;AccountName=${d.of("lower", 9)};AccountKey=${d.of("base64", 86)}==;EndpointSuffix=core.windows.net`,
  "azure service bus": (d) =>
    `Endpoint=sb://${d.of("lower", 8)}.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=${d.of("base64", 43)}=`,
  "azure ad secret": (d) => `${d.of("alnum", 3)}${d.int(10)}Q~${d.of("url", 31)}`,
  "digitalocean token": (d) => `dop_v1_${d.of("hex", 64)}`,
  "alibaba access key": (d) => `LTAI${d.of("alnum", 20)}`,
  "github token": (d) => `${d.one(["ghp_", "gho_", "ghu_", "ghs_"])}${d.of("alnum", 36)}`,
  "github fine-grained": (d) => `github_pat_${d.of("alnum", 22)}_${d.of("alnum", 59)}`,
  "gitlab token": (d) => `glpat-${d.of("url", 20)}`,
  "atlassian token": (d) => `ATATT3${d.of("url", 186)}`,
  "bitbucket app password": (d) => `ATBB${d.of("alnum", 32)}`,
  "slack bot token": (d) => `xoxb-${d.of("digit", 12)}-${d.of("digit", 12)}-${d.of("alnum", 24)}`,
  "slack user token": (d) => `xoxp-${d.of("digit", 12)}-${d.of("digit", 12)}-${d.of("digit", 12)}-${d.of("hex", 32)}`,
  "slack app token": (d) => `xapp-1-A${d.of("upper", 10)}-${d.of("digit", 13)}-${d.of("hex", 64)}`,
  "slack webhook": (d) =>
    `https://hooks.slack.com/services/T${d.of("upper", 8)}/B${d.of("upper", 8)}/${d.of("alnum", 24)}`,
  "discord webhook": (d) => `https://discord.com/api/webhooks/${d.of("digit", 18)}/${d.of("url", 68)}`,
  "discord bot token": (d) => `M${d.of("alnum", 25)}.${d.of("url", 6)}.${d.of("url", 38)}`,
  "telegram bot token": (d) => `${1 + d.int(9)}${d.of("digit", 9)}:AA${d.of("url", 33)}`,
  "stripe key": (d) => `${d.one(["sk", "rk"])}_live_${d.of("alnum", 24)}`,
  "square token": (d) => `sq0atp-${d.of("url", 22)}`,
  "braintree token": (d) => `access_token$production$${d.of("lower", 16)}$${d.of("hex", 32)}`,
  "shopify token": (d) => `${d.one(["shpat", "shpss", "shpca", "shppa"])}_${d.of("hex", 32)}`,
  "twilio key": (d) => `SK${d.of("hex", 32)}`,
  "sendgrid key": (d) => `SG.${d.of("url", 22)}.${d.of("url", 43)}`,
  "mailgun key": (d) => `key-${d.of("hex", 32)}`,
  "mailchimp key": (d) => `${d.of("hex", 32)}-us${1 + d.int(20)}`,
  "npm token": (d) => `npm_${d.of("alnum", 36)}`,
  "pypi token": (d) => `pypi-AgEIcHlwaS5vcmc${d.of("url", 120)}`,
  "rubygems key": (d) => `rubygems_${d.of("hex", 48)}`,
  "crates.io token": (d) => `cio${d.of("alnum", 32)}`,
  "docker token": (d) => `dckr_pat_${d.of("url", 27)}`,
  "terraform token": (d) => `${d.of("alnum", 14)}.atlasv1.${d.of("alnum", 67)}`,
  "vault token": (d) => `hvs.${d.of("alnum", 95)}`,
  "databricks token": (d) => `dapi${d.of("hex", 32)}`,
  "new relic key": (d) => `NRAK-${d.of("upper", 27)}`,
  "sentry token": (d) => `sntryu_${d.of("hex", 64)}`,
  "grafana token": (d) => `glsa_${d.of("alnum", 32)}_${d.of("hex", 8)}`,
  "linear key": (d) => `lin_api_${d.of("alnum", 40)}`,
  "notion token": (d) => `ntn_${d.of("digit", 11)}${d.of("alnum", 35)}`,
  "figma token": (d) => `figd_${d.of("url", 43)}`,
  "postman key": (d) => `PMAK-${d.of("hex", 24)}-${d.of("hex", 34)}`,
  "airtable token": (d) => `airtable: pat${d.of("alnum", 14)}.${d.of("hex", 64)}`,
  "dropbox token": (d) => `dropbox_token = sl.${d.of("url", 140)}`,
  "openai key": (d) => `sk-${d.of("alnum", 20)}T3BlbkFJ${d.of("alnum", 20)}`,
  "openai project key": (d) => `sk-proj-${d.of("alnum", 74)}T3BlbkFJ${d.of("alnum", 74)}`,
  "anthropic key": (d) => `sk-ant-api03-${d.of("url", 93)}AA`,
  "hugging face token": (d) => `hf_${d.of("alnum", 34).replace(/\d/g, "k")}`,
  "replicate token": (d) => `r8_${d.of("alnum", 37)}`,
  "groq key": (d) => `gsk_${d.of("alnum", 52)}`,
  "perplexity key": (d) => `pplx-${d.of("alnum", 48)}`,
  "supabase token": (d) => `sbp_${d.of("hex", 40)}`,
  "netlify token": (d) => `nfp_${d.of("alnum", 36)}`,
  "fly.io token": (d) => `fo1_${d.of("alnum", 43)}`,
  "planetscale password": (d) => `pscale_pw_${d.of("url", 43)}`,
  "doppler token": (d) => `dp.pt.${d.of("alnum", 43)}`,
  "heroku key": (d) => `HRKU-AA${d.of("url", 58)}`,
  "1password secret key": (d) => `A3-${[6, 6, 5, 5, 5, 5].map((n) => d.of("upper", n)).join("-")}`,
  "age key": (d) =>
    `AGE-SECRET-KEY-1${Array.from({ length: 58 }, () => "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"[d.int(32)]).join("")}`,
  "cairn key": (d) => `cairn_live_${d.of("alnum", 43)}`,
  jwt: (d) =>
    `${b64url({ alg: "HS256", typ: "JWT" })}.${b64url({ sub: d.of("digit", 10), iat: d.int(1e9) })}.${d.of("url", 43)}`
}

/** Credentials that stand in a line of their own kind. */
export const lines: { readonly [kind: string]: Kind } = {
  "database url": (d) =>
    `DATABASE_URL=${d.one(["postgres", "mysql", "mongodb+srv", "redis", "amqp", "postgresql"])}://${d.of("lower", 6)}:${password(d)}@db.${d.of("lower", 6)}.net:5432/orders`,
  "basic-auth url": (d) => `git clone https://${d.of("lower", 6)}:${password(d)}@git.${d.of("lower", 6)}.org/x.git`,
  "basic-auth header": (d) => `Authorization: Basic ${b64(`${d.of("lower", 8)}:${password(d)}`)}`,
  "bearer header": (d) => `headers = {"Authorization": "Bearer ${d.of("alnum", 40)}"}`,
  "curl user": (d) => `curl -s -u ${d.of("lower", 6)}:${password(d)} https://api.example.org/x`,
  npmrc: (d) => `//registry.npmjs.org/:_authToken=${d.uuid()}`,
  "npmrc _auth": (d) => `_auth=${b64(`${d.of("lower", 8)}:${password(d)}`)}`,
  netrc: (d) => `machine api.example.org\n  login ${d.of("lower", 6)}\n  password ${password(d)}`,
  pypirc: (d) => `[pypi]\nusername = ${d.of("lower", 6)}\npassword = ${password(d)}`,
  "env password": (d) => `DB_PASSWORD=${password(d)}`,
  "env secret": (d) => `export SESSION_SECRET=${d.of("hex", 64)}`,
  "yaml password": (d) => `database:\n  password: "${password(d)}"`,
  "json secret": (d) => `{"client_secret": "${d.of("alnum", 32)}"}`,
  "python password": (d) => `password = "${password(d)}"`,
  "js api key": (d) => `const apiKey = '${d.of("hex", 32)}'`,
  "go token": (d) => `authToken := "${d.of("url", 32)}"`,
  "php define": (d) => `define('AUTH_KEY', '${d.of("url", 64)}');`,
  "docker env": (d) => `ENV API_TOKEN=${d.of("alnum", 32)}`,
  "kubernetes secret": (d) => `apiVersion: v1\nkind: Secret\ndata:\n  password: ${b64(password(d))}`,
  "aws credentials": (d) =>
    `[default]\naws_access_key_id = AKIA${d.of("base32", 16)}\naws_secret_access_key = ${d.of("base64", 40)}`
}
