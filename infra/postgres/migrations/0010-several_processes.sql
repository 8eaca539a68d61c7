-- How many requests of a name (the first half of its SHA-256) there were in each of the last seconds: `counts` begins with the second
-- `at` and goes back from there, for 61 of them at most. What a crash loses is a minute's counts.
CREATE UNLOGGED TABLE request_counts (
  name uuid PRIMARY KEY,
  at bigint NOT NULL,
  counts integer[] NOT NULL
) WITH (fillfactor = 50);

-- Counts as many of each name's requests as its limit has room for, and says how many those were, and for the rest after how many
-- milliseconds one more may come. A second counts until the one a minute later has ended, so that no 60 seconds ever have more than the
-- limit. Names come in one order, each once, so that two callers never wait for each other. The time is the database's: one for all.
CREATE FUNCTION count_requests(
  p_names uuid[], p_wanted integer[], p_limits integer[],
  OUT counted integer[], OUT waits integer[]
) LANGUAGE plpgsql AS $$
DECLARE
  known request_counts;
  moment double precision;
  this_second bigint;
  total bigint;
  fits integer;
  wait integer;
BEGIN
  FOR i IN 1 .. cardinality(p_names) LOOP
    LOOP
      SELECT * INTO known FROM request_counts c WHERE c.name = p_names[i] FOR UPDATE;
      EXIT WHEN FOUND;
      INSERT INTO request_counts VALUES (p_names[i], 0, '{}') ON CONFLICT DO NOTHING;
    END LOOP;

    moment := extract(epoch FROM clock_timestamp());
    this_second := floor(moment);
    -- a clock that was set back a little stands still until then; one that was set back a lot begins anew
    IF this_second < known.at AND this_second > known.at - 61 THEN
      this_second := known.at;
      moment := known.at;
    END IF;
    IF this_second - known.at NOT BETWEEN 0 AND 60 THEN
      known.counts := '{}';
    ELSE
      known.counts := array_fill(0, ARRAY[(this_second - known.at)::integer]) || known.counts[1 : 61 - (this_second - known.at)::integer];
    END IF;
    known.at := this_second;

    SELECT coalesce(sum(c), 0) INTO total FROM unnest(known.counts) AS c;
    fits := least(p_wanted[i], greatest(p_limits[i] - total, 0));
    IF fits > 0 THEN
      known.counts := ARRAY[coalesce(known.counts[1], 0) + fits] || known.counts[2 : 61];
      UPDATE request_counts c SET at = known.at, counts = known.counts WHERE c.name = p_names[i];
      total := total + fits;
    END IF;

    wait := 0;
    IF fits < p_wanted[i] THEN
      FOR back IN REVERSE cardinality(known.counts) .. 1 LOOP
        total := total - known.counts[back];
        IF total < p_limits[i] THEN
          wait := greatest(ceil((known.at - back + 62 - moment) * 1000), 1);
          EXIT;
        END IF;
      END LOOP;
    END IF;
    counted := counted || fits;
    waits := waits || wait;
  END LOOP;
END $$;

-- Sessions of agents (MCP), so that any process knows them: the id's SHA-256, whose it is, and what its client said when it began it.
CREATE TABLE mcp_sessions (
  id bytea PRIMARY KEY,
  key text NOT NULL,
  tenant text NOT NULL,
  begun text NOT NULL,
  used_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX ON mcp_sessions (tenant, key);
