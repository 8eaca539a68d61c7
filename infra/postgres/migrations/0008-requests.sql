-- The request that led to a command, on its first event: JSON {"digest", "n", "fingerprint"}. No part of the row's digest: nothing
-- is decided on it after a day. The table `requests` follows from it (decision 47); what it has by now stays, and is passed.
ALTER TABLE events ADD COLUMN request text;

DELETE FROM requests WHERE recorded_at < now() - interval '25 hours';
-- where the command of a request went
ALTER TABLE requests ADD COLUMN stream text;
UPDATE requests r SET stream = e.stream FROM events e
  WHERE e.command_id = r.command_id AND e.recorded_at > now() - interval '26 hours';
DELETE FROM requests WHERE stream IS NULL;
ALTER TABLE requests ALTER COLUMN stream SET NOT NULL;

INSERT INTO reactions (name, position) SELECT 'requests', coalesce(max(position), 0) FROM events ON CONFLICT DO NOTHING;

DROP FUNCTION es_append(
  text[], text[], integer[], integer[],
  integer[], boolean[], uuid[], text[], smallint[], text[], boolean[], text[], text[], text[], uuid[], uuid[], uuid[],
  integer[], text[], bytea[], bytea[], integer[], text[], text[], integer[], uuid[], text[]);

-- As in 0006, but that the request goes with its event; and what the caller can count it is told: how many events units before a
-- unit have for its stream, where an event stands in its unit, and the bytes of its text. Its statements are planned once: planning them took
-- longer than carrying them out, as plans for given arrays look cheaper than one for all. What is read is read by an index,
-- whatever the tables had in them when that was planned.
CREATE FUNCTION es_append(
  u_tenant text[], u_stream text[], u_expected integer[], u_before integer[],
  e_unit integer[], e_place integer[], e_id uuid[], e_type text[], e_version smallint[], e_data text[], e_text integer[],
  e_key text[], e_user text[], e_organization text[], e_command uuid[], e_correlation uuid[], e_causation uuid[],
  e_request text[],
  p_event integer[], p_subject text[], p_salt bytea[], p_bytes bytea[],
  x_unit integer[], x_subject text[],
  OUT head bigint, OUT recorded timestamptz, OUT trouble integer[], OUT actual integer[]
) LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
DECLARE
  -- a variable's places are found at once, those of a parameter one after the other
  tenants text[] := u_tenant;
  streams text[] := u_stream;
  stored uuid[];
  previous timestamptz;
BEGIN
  IF cardinality(p_event) > 0 THEN
    WITH put AS (
      INSERT INTO payloads (id, tenant, subject, salt, bytes)
        SELECT e_id[p.event], tenants[e_unit[p.event]], p.subject, p.salt, p.bytes
        FROM unnest(p_event, p_subject, p_salt, p_bytes) AS p (event, subject, salt, bytes)
        -- in one order everywhere: two processes that repeat the same commands would wait for each other
        ORDER BY e_id[p.event]
        ON CONFLICT DO NOTHING RETURNING id)
    SELECT array_agg(id) INTO stored FROM put;
  END IF;

  PERFORM pg_advisory_xact_lock(5020717);

  SELECT e.position, e.recorded_at INTO head, previous FROM events e ORDER BY e.position DESC LIMIT 1;
  head := coalesce(head, 0);

  -- where each unit's stream stands, were the units before it in
  SELECT array_agg(s.actual ORDER BY s.unit),
         array_agg(s.unit ORDER BY s.unit) FILTER (WHERE s.expected <> -2 AND s.expected <> s.actual)
    INTO actual, trouble
    FROM (
      SELECT u.unit, u.expected, u.before
        + coalesce((SELECT e.revision FROM events e WHERE e.stream = u.stream ORDER BY e.revision DESC LIMIT 1), -1) AS actual
      FROM unnest(u_stream, u_expected, u_before) WITH ORDINALITY AS u (stream, expected, before, unit)
      OFFSET 0
    ) s;

  IF EXISTS (SELECT FROM events e WHERE e.event_id = ANY (e_id)) THEN
    SELECT trouble || array_agg(DISTINCT n.unit) INTO trouble
      FROM unnest(e_unit, e_id) AS n (unit, id) WHERE (SELECT true FROM events e WHERE e.event_id = n.id);
  END IF;

  IF cardinality(trouble) > 0 THEN
    DELETE FROM payloads WHERE id = ANY (stored);
    RETURN;
  END IF;

  -- clocks may go back, the log's time does not
  recorded := greatest(date_trunc('milliseconds', clock_timestamp()), previous);

  INSERT INTO events
    SELECT r.*, sha256(record_send(r)), nullif(greatest(octet_length(n.data) + coalesce(n.text, 0), 2048), 2048), n.request
    FROM unnest(e_unit, e_place, e_id, e_type, e_version, e_data, e_text, e_key, e_user, e_organization,
                e_command, e_correlation, e_causation, e_request) WITH ORDINALITY
      AS n (unit, place, id, type, version, data, text, key, usr, organization, command, correlation, causation, request, number),
    LATERAL (
      SELECT head + n.number AS position, tenants[n.unit] AS tenant, streams[n.unit] AS stream,
             actual[n.unit] + n.place + 1 AS revision,
             n.id, n.type, n.version, n.data, n.text IS NOT NULL AS has_text, n.key, n.usr, n.organization,
             n.command, n.correlation, n.causation, recorded AS recorded_at
      OFFSET 0
    ) r;

  -- a payload may have been written while its subject was being erased by who held the lock before
  IF cardinality(stored) > 0 THEN
    DELETE FROM payloads p USING erasures x
      WHERE p.id = ANY (stored) AND x.tenant = p.tenant AND x.subject = p.subject;
  END IF;

  IF cardinality(x_unit) > 0 THEN
    INSERT INTO erasures (tenant, subject, position)
      SELECT DISTINCT ON (tenants[x.unit], x.subject) tenants[x.unit], x.subject, head + cardinality(e_id)
      FROM unnest(x_unit, x_subject) AS x (unit, subject)
      ON CONFLICT DO NOTHING;
    DELETE FROM payloads p USING unnest(x_unit, x_subject) AS x (unit, subject)
      WHERE p.tenant = tenants[x.unit] AND p.subject = x.subject;
  END IF;
END $$;
