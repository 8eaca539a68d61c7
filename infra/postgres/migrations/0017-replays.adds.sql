-- The last replay of each read model that a service was asked for; of one that runs, how far it is, and who waits for
-- it to end. Where `outcome` is null and nobody has said for a while that it goes on, its process is gone.
CREATE TABLE replays (
  name text PRIMARY KEY,
  id uuid NOT NULL,
  promote boolean NOT NULL,
  key text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at timestamptz,
  cancelled boolean NOT NULL DEFAULT false,
  outcome text,
  position bigint,
  goal bigint,
  events bigint NOT NULL DEFAULT 0,
  differences json NOT NULL DEFAULT '[]',
  fault text
);
