/**
 * Gives bytes back at once. V8 looks after what lies outside of its heap when there are 64 MiB more of it than the last
 * time: who makes many bytes for a moment, and has them alone, says when it is over.
 */
export const release = (bytes: Uint8Array): void => {
  const { buffer, byteLength } = bytes
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
