/**
 * Whether what a TLS client said is of a certificate: nobody whom we trust vouches for it, or it says another name. Trying
 * again does not help. Runtimes have no code for it, and words of their own.
 */
export const isOfCertificate = (said: string): boolean =>
  /self.signed|unable to (?:verify|get)|unknown ?issuer|signed by|altnames|NotValidForName|servername|certificate/i.test(
    said
  )
