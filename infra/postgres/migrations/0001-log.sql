-- The log. Positions are dense: es_append counts on from the last one, under one lock.
CREATE TABLE events (
  position bigint PRIMARY KEY,
  tenant text NOT NULL,
  stream text NOT NULL,
  revision integer NOT NULL,
  event_id uuid NOT NULL,
  type text NOT NULL,
  schema_version smallint NOT NULL,
  -- text, not jsonb: jsonb refuses \u0000 and lone surrogates, which JSON allows
  data text NOT NULL,
  has_text boolean NOT NULL,
  actor_key text,
  actor_user text,
  actor_organization text,
  command_id uuid NOT NULL,
  correlation_id uuid NOT NULL,
  causation_id uuid,
  recorded_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX events_stream ON events (stream, revision);
CREATE UNIQUE INDEX events_event_id ON events (event_id);

-- What callers typed, beside the log, so that it can be erased. id = the event's.
CREATE TABLE payloads (
  id uuid PRIMARY KEY,
  tenant text NOT NULL,
  subject text NOT NULL,
  salt bytea NOT NULL,
  bytes bytea NOT NULL
);
CREATE INDEX payloads_subject ON payloads (tenant, subject);

CREATE TABLE erasures (
  tenant text NOT NULL,
  subject text NOT NULL,
  position bigint NOT NULL,
  PRIMARY KEY (tenant, subject)
);

-- Which command answers which HTTP request; n = how many identical ones were delivered before.
CREATE TABLE requests (
  digest text NOT NULL,
  n integer NOT NULL,
  command_id uuid NOT NULL,
  -- of the request's body, where the caller chose the key
  fingerprint text,
  recorded_at timestamptz NOT NULL,
  delivered_at timestamptz,
  PRIMARY KEY (digest, n)
);
CREATE INDEX requests_recorded_at ON requests (recorded_at);

-- One random secret for the installation: ids of persons are derived from it.
CREATE TABLE installation (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  secret text NOT NULL
);
INSERT INTO installation (secret)
  SELECT translate(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
