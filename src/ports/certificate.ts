import { X509Certificate } from "node:crypto"

/**
 * Whether what a TLS client said is of a certificate: nobody whom we trust vouches for it, or it says another name.
 * Trying again does not help. Runtimes have no code for it, and words of their own.
 */
export const isOfCertificate = (said: string): boolean =>
  /self.signed|unable to (?:verify|get)|unknown ?issuer|signed by|altnames|NotValidForName|servername|certificate/i.test(
    said
  )

/**
 * Whether a file of authorities (PEM) has some, and nothing that is none: a runtime would pass that over, and the
 * server's certificate be blamed.
 */
export const areCertificates = (pem: string): boolean => {
  const found = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  try {
    return found.length > 0 && found.every((one) => new X509Certificate(one).subject !== undefined)
  } catch {
    return false
  }
}
