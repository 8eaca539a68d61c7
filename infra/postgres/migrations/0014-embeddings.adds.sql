-- What is embedded of each snippet: a digest of it, as the catalogue had it at a position (decision 87).
CREATE TABLE embedded (
  snippet text PRIMARY KEY,
  changed bigint NOT NULL,
  digest text NOT NULL
);
CREATE INDEX ON embedded (digest);

-- Vectors that models have made of it. They are made once, whoever has the same, and go with the last snippet that has it.
CREATE TABLE embeddings (
  model text NOT NULL,
  digest text NOT NULL,
  -- as in the catalogue's rows; empty: the model can't take it
  vector text NOT NULL,
  PRIMARY KEY (digest, model)
);
