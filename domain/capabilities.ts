/** What modules of all languages are for. One that names a part (`net/http`, `std::fs`) goes before its package. */
const table: ReadonlyArray<readonly [string, string]> = [
  [
    "network access",
    `requests httpx aiohttp urllib urllib3 http https socket net net/http axios node-fetch got undici superagent ky ws
     websocket websockets java.net reqwest hyper ureq std::net tokio::net faraday httparty open-uri ftplib paramiko`
  ],
  [
    "filesystem",
    `pathlib shutil glob tempfile fs fs/promises fs-extra path/filepath io/ioutil io/fs java.io java.nio std::fs tokio::fs
     fileutils tmpdir walkdir`
  ],
  ["subprocesses", "subprocess child_process execa os/exec open3 std::process multiprocessing"],
  [
    "database access",
    `sqlite3 psycopg psycopg2 asyncpg sqlalchemy pymongo mysql pymysql pg postgres mysql2 mongodb mongoose better-sqlite3
     database/sql java.sql diesel sqlx rusqlite activerecord redis ioredis duckdb`
  ],
  ["e-mail", "smtplib email imaplib poplib nodemailer net/smtp net/mail javax.mail mail lettre"],
  ["CSV files", "csv csv-parse csv-parser papaparse encoding/csv"],
  ["spreadsheets", "openpyxl xlsxwriter xlrd xlwt xlsx exceljs roo"],
  ["data frames", "pandas polars"],
  ["numerical computation", "numpy scipy ndarray nalgebra mathjs"],
  ["machine learning", "sklearn torch tensorflow keras transformers xgboost lightgbm"],
  ["language models", "anthropic openai @anthropic-ai/sdk langchain"],
  ["charts", "matplotlib seaborn plotly altair bokeh d3 chart.js"],
  ["image processing", "PIL cv2 skimage imageio sharp jimp image rmagick"],
  ["PDF files", "pypdf PyPDF2 pdfplumber reportlab fitz pdfkit pdf-lib prawn"],
  ["HTML parsing", "bs4 lxml html cheerio jsdom nokogiri scraper"],
  ["browser automation", "selenium playwright puppeteer capybara"],
  ["JSON", "json encoding/json serde_json"],
  ["YAML", "yaml js-yaml serde_yaml"],
  ["XML", "xml xml2js encoding/xml rexml javax.xml"],
  [
    "hashing and encryption",
    "hashlib hmac secrets cryptography crypto bcrypt openssl digest java.security javax.crypto sha2"
  ],
  [
    "archives and compression",
    "zipfile tarfile gzip bz2 zlib archiver adm-zip archive/zip compress/gzip java.util.zip flate2"
  ],
  [
    "concurrency",
    "asyncio threading concurrent worker_threads sync tokio rayon std::thread std::sync java.util.concurrent"
  ],
  ["command line arguments", "argparse click typer optparse commander yargs flag clap"],
  ["web server", "flask fastapi django starlette express koa fastify hono gin axum actix_web sinatra rails"],
  ["cloud services", "boto3 botocore @aws-sdk google azure aws-sdk"]
]

const byModule = new Map(table.flatMap(([phrase, names]) => names.split(/\s+/).map((name) => [name, phrase] as const)))

const phrases: ReadonlySet<string> = new Set(table.map(([phrase]) => phrase))

/** Whether a phrase was derived from modules. Such a phrase says no more than the source, so it is not searched. */
export const isDerivedCapability = (phrase: string): boolean => phrases.has(phrase)

/** What a module is for: by its whole name, or else by its longest known beginning. */
export const capabilityOf = (module: string): string | undefined => {
  let name = module.replace(/^(?:node|npm|jsr):/, "")
  for (let parts = 0; parts < 6 && name !== ""; parts++) {
    const phrase = byModule.get(name)
    if (phrase !== undefined) return phrase
    name = name.replace(/(?:^|\.|\/|::)[^./:]*$/, "")
  }
  return undefined
}
