/**
 * Postgres's settings, given on the command line at each start, so that they also hold for clusters that an earlier
 * release made. An operator who wants other values runs a Postgres of their own and sets `DATABASE_URL`.
 */
export const settings = (port: number): Record<string, string> => ({
  listen_addresses: "127.0.0.1",
  port: String(port),
  unix_socket_directories: "",
  // a service takes twenty; a slot that nobody uses costs a few kilobytes
  max_connections: "200",

  shared_buffers: "128MB",
  jit: "off",
  // Small queries by primary key only: a parallel plan would cost more than it saves.
  max_parallel_workers_per_gather: "0",

  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",
  // After a crash, one call makes durable what would otherwise take a walk over a thousand files.
  ...(process.platform === "linux" ? { recovery_init_sync_method: "syncfs" } : {}),
  wal_compression: "on",
  wal_buffers: "16MB",
  max_wal_size: "1GB",
  min_wal_size: "256MB",
  checkpoint_completion_target: "0.9",

  // The log would otherwise quote the rows of a failed statement, which may be somebody's text.
  log_error_verbosity: "terse",
  log_min_error_statement: "panic",
  log_parameter_max_length: "0",
  log_checkpoints: "off"
})
