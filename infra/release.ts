/**
 * Frees bytes at once, if they have their buffer alone. V8 collects memory outside of its heap only when that has grown
 * by 64 MiB since the last time: code that makes many bytes for a moment says when it is done with them.
 */
export const release = (bytes: Uint8Array): void => {
  const { buffer, byteLength } = bytes
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
