import { X509Certificate } from "node:crypto"

/**
 * Whether what a TLS client said is about a certificate: nobody whom we trust vouches for it, or it names another host.
 * Trying again does not help. Runtimes have no code for this, and words of their own.
 */
export const isOfCertificate = (said: string): boolean =>
  /self.signed|unable to (?:verify|get)|unknown ?issuer|signed by|altnames|NotValidForName|servername|certificate/i.test(
    said
  )

/**
 * Whether a PEM file of authorities holds certificates, all of them readable: a runtime would skip any other, and the
 * server's certificate would be blamed.
 */
export const areCertificates = (pem: string): boolean => {
  const found = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  try {
    return found.length > 0 && found.every((one) => new X509Certificate(one).subject !== undefined)
  } catch {
    return false
  }
}
