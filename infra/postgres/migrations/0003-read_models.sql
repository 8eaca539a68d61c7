-- Every build of every read model, each with tables in a schema of its own. Readers ask the views in the schema
-- "<name>_v<version>", which show the live build.
CREATE TABLE read_models (
  name text NOT NULL,
  version integer NOT NULL,
  build integer NOT NULL,
  -- everything up to here is in
  position bigint NOT NULL DEFAULT 0,
  -- the last event that changed a row
  changed bigint NOT NULL DEFAULT 0,
  live boolean NOT NULL DEFAULT false,
  PRIMARY KEY (name, version, build)
);
CREATE UNIQUE INDEX read_models_live ON read_models (name, version) WHERE live;

-- How far each reaction has come.
CREATE TABLE reactions (
  name text PRIMARY KEY,
  position bigint NOT NULL
);
