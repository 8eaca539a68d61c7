-- Of a database that is, or was, a copy of another's log (decision 56): which log that is, and how much of it is in.
CREATE TABLE log_copy (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  -- a digest of the other installation's secret
  source text NOT NULL,
  -- 'postgres' or 'kurrentdb': where the copy has its log
  engine text NOT NULL,
  -- all up to here is in, as the source counts
  position bigint NOT NULL DEFAULT 0,
  -- the last event of it
  stream text,
  revision integer,
  event_id uuid,
  begun_at timestamptz NOT NULL DEFAULT now(),
  -- null: nothing may be served of it yet
  finished_at timestamptz
);
-- What stands before positions where they are told, since the log was copied from an engine that counts otherwise.
ALTER TABLE installation ADD COLUMN positions text;
