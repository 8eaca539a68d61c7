-- When each key was last seen in use, to half a minute. Beside the log, which says it to the hour: an event a minute and key would
-- make most of the log of what nothing is decided on.
CREATE TABLE key_sightings (
  key text PRIMARY KEY,
  seen_at timestamptz NOT NULL
);
