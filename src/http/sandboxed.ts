/** For an answer that is a caller's text or file: no browser takes it for a page of ours, or runs anything in it. */
export const sandboxed = { "content-security-policy": "sandbox; default-src 'none'" } as const
